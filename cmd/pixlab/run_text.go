package main

import (
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios"
)

// text writes the report of a run for people.
func (r *finished) text(p *page) {
	r.head(p)
	faultTable(p, r.Faults)
	r.numbers(p)
	r.invariants(p)
	r.trouble(p)
	r.turning.text(p)
	r.verdict(p)
	p.line("")
	p.line("repeat: %s", r.repeat())
}

func (r *finished) head(p *page) {
	plan := r.source.plan
	s := plan.Settings
	planned, _ := faultTotals(r.Faults)
	p.field("run", "%s", p.bold(fmt.Sprintf("seed %s · profile %s · receiver %s", plan.Seed, plan.Profile, r.receiver)))
	p.field("plan", "%s, %s, %s, %s, %s, %s planned", counted(len(plan.Charges), "charge", "charges"),
		counted(len(plan.Payments), "payment", "payments"), counted(len(plan.Refunds), "refund", "refunds"),
		counted(len(plan.Payouts), "payout", "payouts"), counted(len(plan.Disputes), "MED case", "MED cases"), counted(planned, "fault", "faults"))
	p.field("", "%s of the receiver, %s in each; retry table %s",
		counted(s.Instances, "process", "processes"), counted(s.Workers, "worker", "workers"), s.Retry)
}

func (r *finished) numbers(p *page) {
	p.line("")
	r.work(p)
	p.field("inbox", "%s processed, %s quarantined, %s pending", grouped(r.Processed), grouped(r.Quarantined), grouped(r.PendingInbox))
	p.field("refunds", "%s returned, %s; %s in process",
		grouped(r.Refunds), pix.Amount(r.RefundedCents).BRL(), pix.Amount(r.InProcessCents).BRL())
	p.field("payouts", "%s confirmed, %s, of which %s came back; %s in transit",
		grouped(r.Payouts), pix.Amount(r.PaidCents).BRL(), pix.Amount(r.ReturnedCents).BRL(), pix.Amount(r.InTransitCents).BRL())
	p.field("cases", "%s open", grouped(r.CasesOpen))
	r.voids(p)
	ledger, statement := pix.Amount(r.LedgerCents), pix.Amount(r.StatementCents)
	amounts := []string{ledger.BRL(), statement.BRL(), (ledger - statement).BRL()}
	wide := 0
	for _, a := range amounts {
		wide = max(wide, len(a))
	}
	p.line("")
	p.field("ledger", "%*s", wide, amounts[0])
	p.field("statement", "%*s", wide, amounts[1])
	off := fmt.Sprintf("%*s", wide, amounts[2])
	if ledger != statement {
		off = p.bad(off)
	}
	p.field("difference", "%s", off)
}

// voids lists payments that could not be made, the first few of them.
func (r *finished) voids(p *page) {
	const most = 3
	if len(r.Void) == 0 {
		p.field("void", "no payment")
		return
	}
	p.field("void", "%s that could not be made", counted(len(r.Void), "payment", "payments"))
	for i, v := range r.Void {
		if i == most {
			p.field("", "and %s more", grouped(len(r.Void)-most))
			return
		}
		for n, l := range wrap(v.Payment+": "+v.Reason, width-14) {
			p.field("", "%s%s", strings.Repeat("  ", min(n, 1)), l)
		}
	}
}

// faultTable lists the kinds that the plan holds, column by column.
func faultTable(p *page, counts []chaos.KindCount) {
	p.line("")
	planned, fired := faultTotals(counts)
	if planned == 0 {
		p.field("faults", "none: nothing was to go wrong")
		return
	}
	p.field("faults", "%s planned, %s fired", grouped(planned), grouped(fired))
	columns := min(3, (len(counts)+3)/4)
	rows := (len(counts) + columns - 1) / columns
	head := p.dim(pad("kind", 16) + "planned fired")
	p.line("  %s", strings.TrimRight(strings.Repeat(head+"    ", columns), " "))
	for row := range rows {
		var line strings.Builder
		for i := row; i < len(counts); i += rows {
			cell := fmt.Sprintf("%s%7d %5d", pad(counts[i].Kind, 16), counts[i].Planned, counts[i].Fired)
			if counts[i].Fired == 0 {
				cell = p.dim(cell)
			}
			line.WriteString(cell + "    ")
		}
		p.line("  %s", strings.TrimRight(line.String(), " "))
	}
}

func (r *finished) invariants(p *page) {
	p.line("")
	for _, i := range r.Invariants {
		id := i.ID
		if id == "panic" {
			id = "–"
		}
		p.line("  %s %s %s", p.mark(i.Held), pad(id, 4), i.Name)
		if !i.Held {
			p.wrapped(9, r.finding(i))
		}
	}
}

// trouble tells what a reader needs to go on with when a run failed.
func (r *finished) trouble(p *page) {
	if r.Stack != "" {
		p.line("")
		p.line("the receiver panicked at")
		for _, f := range frames(r.Stack) {
			p.line("  %s", f)
		}
	}
	if len(r.Pending) > 0 {
		p.line("")
		p.line("still open after %s of healing", virtual(r.bound().Milliseconds()))
		for _, what := range r.Pending {
			p.wrapped(2, "· "+what)
		}
	}
	if d := r.differs; d != nil {
		p.line("")
		p.line("%s", d.sentence())
		p.line("  first run   %s", orEnd(d.first, d.verdictsOnly))
		p.line("  second run  %s", orEnd(d.second, d.verdictsOnly))
		p.line("  first run   %s", d.firstHash)
		p.line("  second run  %s", d.secondHash)
	}
}

// orEnd is a trace's line, or word of its absence.
func orEnd(line string, same bool) string {
	switch {
	case line != "":
		return line
	case same:
		return "(the same)"
	}
	return "(has ended)"
}

func (r *finished) verdict(p *page) {
	p.line("")
	bad := r.broken()
	again := ""
	if r.twice {
		again = "; a second run has the same hash"
	}
	switch r.Verdict {
	case scenarios.Held:
		p.line("%s: all %d invariants%s", p.good("held"), len(r.Invariants), again)
	case scenarios.Violated:
		p.line("%s: %d of %d invariants, %s first%s", p.bad("violated"), len(bad), len(r.Invariants), r.FirstBroken(), again)
	case scenarios.NotConverged:
		p.line("%s: the receiver did not come to rest%s", p.bad("not converged"), again)
	case scenarios.NotDeterministic:
		p.line("%s: one plan, two runs", p.bad("not deterministic"))
	}
	p.line("%s", p.dim(r.hashOrNone()))
	switch {
	case r.kept != "":
		p.line("plan written to %s", r.kept)
	case r.keepErr != nil:
		p.line("the plan is lost: %s", oneLine(r.keepErr.Error()))
	}
}

// frames are the lines of a panic's stack that tell where it was: functions
// with file and line, without addresses, which change from run to run.
func frames(stack string) []string {
	const most = 12
	var out []string
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines) && len(out) < most; i++ {
		where, isPlace := strings.CutPrefix(lines[i+1], "\t")
		if !isPlace || strings.HasPrefix(lines[i], "runtime") || strings.HasPrefix(lines[i], "panic(") {
			continue
		}
		where, _, _ = strings.Cut(where, " +0x")
		name := lines[i]
		if cut := strings.LastIndexByte(name, '('); cut > 0 {
			name = name[:cut]
		}
		out = append(out, name+" "+where)
	}
	return out
}
