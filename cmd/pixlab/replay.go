package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// replayFlags are the flags of "replay".
type replayFlags struct {
	drawing
	plan, receiver string
	until          countFlag
	json           bool
}

const replayDoc = `Run a plan up to an event of its trace and show what inbox, ledger and truth hold there.

The events' numbers stand in a trace (pixlab run --trace FILE) and beside every broken
invariant of a report. Without --until the state at the end is shown.`

func (c *cli) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay --plan FILE | --seed N", Short: "Show the state of a run at an event", Long: replayDoc, Args: noArgs,
		Example: "  pixlab replay --plan pixlab-plan-7-hostile.json --until 812",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := (&runFlags{drawing: f.drawing, plan: f.plan}).oneSource(cmd); err != nil {
				return err
			}
			return c.replay(&f)
		},
	}
	flags := cmd.Flags()
	f.addTo(flags)
	flags.StringVar(&f.plan, "plan", "", "run the plan in `FILE` (-: from standard input)")
	flags.StringVar(&f.receiver, "receiver", scenarios.Reference().Name, "run the receiver called `NAME`; see pixlab broken")
	flags.Var(&f.until, "until", "end after event `N`")
	flags.BoolVar(&f.json, "json", false, "show as JSON")
	return cmd
}

func (c *cli) replay(f *replayFlags) error {
	receiver, err := c.receiverNamed(f.receiver)
	if err != nil {
		return err
	}
	src, err := c.sourceOf(&runFlags{drawing: f.drawing, plan: f.plan})
	if err != nil {
		return err
	}
	tail := &lastEvent{}
	report, err := c.drive(src.plan, scenarios.Options{Receiver: &receiver, Until: int64(f.until.n), Show: true, Trace: tail}, nil)
	if err != nil {
		return err
	}
	if f.until.n > 0 && report.State.Event < int64(f.until.n) {
		return usagef("--until is %d; the run ends with event %d", f.until.n, report.State.Event)
	}
	if f.json {
		return write(c.out, encodeState(report.State, tail.text()))
	}
	p := &page{colour: coloured(c.out)}
	if until := int64(f.until.n); until > 0 && report.State.Event > until {
		p.field("note", "event %s has no state of its own: the step that it is part of ends with event %s", grouped(until), grouped(report.State.Event))
	}
	stateText(p, report.State, tail.text())
	return write(c.out, p.Bytes())
}

// lastEvent keeps the last line of what is written to it, line by line.
type lastEvent struct{ line []byte }

// Write takes one line.
func (l *lastEvent) Write(b []byte) (int, error) {
	l.line = append(l.line[:0], b...)
	return len(b), nil
}

func (l *lastEvent) text() string { return strings.TrimSpace(string(l.line)) }

// stateText shows a state to people.
func stateText(p *page, s *scenarios.State, line string) {
	p.field("event", "%s, at %s", p.bold(grouped(s.Event)), virtual(s.AtMS))
	p.wrapped(12, line)
	p.line("")
	p.line("%s", p.bold(counted(len(s.Inbox), "event in the inbox", "events in the inbox")))
	for _, e := range s.Inbox {
		p.line("  %s %s", pad(string(e.State), 11), inboxLine(e))
	}
	p.line("")
	p.line("%s", p.bold("ledger and truth, by Pix"))
	for _, x := range s.Pix {
		pixText(p, x)
	}
	for _, r := range s.Refunds {
		p.line("  refund %s of %s: %s, %s by the %s", r.ID, r.EndToEndID, r.Amount.BRL(), r.State, r.Origin)
	}
	p.line("")
	p.line("%s", p.bold("accounts"))
	for _, a := range s.Accounts {
		p.line("  %s %s", pad(string(a.Account), 32), padLeft(a.Cents.BRL(), 16))
	}
	p.line("")
	p.line("%s, %s for the merchant", counted(len(s.Cases), "case", "cases"), counted(s.Unsent, "event unsent", "events unsent"))
	for _, k := range s.Cases {
		p.line("  %s %s: %s", pad(string(k.State), 7), k.ID, strings.Join(k.Reasons, "; "))
	}
}

func inboxLine(e receiver.Event) string {
	text := e.Key
	if e.Confirmed {
		text += ", confirmed"
	}
	if e.Attempts > 0 {
		text += ", " + counted(e.Attempts, "attempt", "attempts")
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func pixText(p *page, x scenarios.PixState) {
	name := string(x.EndToEndID)
	if x.Payment != "" {
		name += " (" + x.Payment + ")"
	}
	truth := "never settled"
	if x.Settled {
		truth = "settled with " + x.True.BRL()
	}
	p.line("  %s", name)
	p.line("    %s; %s in the ledger, %s in the statement", truth, x.Net.BRL(), x.Statement.BRL())
	if x.Booked != nil {
		on := "no charge"
		if x.Booked.Charge != "" {
			on = "charge " + x.Booked.Charge
		}
		p.line("    booked as %s on %s, %s", x.Booked.Disposition, on, confirmedWord(x.Booked.Confirmed))
	}
}

func confirmedWord(ok bool) string {
	if ok {
		return "confirmed"
	}
	return "not confirmed"
}

// encodeState shows a state to machines.
func encodeState(s *scenarios.State, line string) []byte {
	type row map[string]any
	out := row{"event": s.Event, "at_ms": s.AtMS, "line": line, "unsent": s.Unsent}
	inbox, all, accounts, refunds, cases := []row{}, []row{}, []row{}, []row{}, []row{}
	for _, e := range s.Inbox {
		inbox = append(inbox, row{"key": e.Key, "state": e.State, "confirmed": e.Confirmed, "attempts": e.Attempts, "reason": e.Reason})
	}
	for _, x := range s.Pix {
		r := row{
			"end_to_end_id": x.EndToEndID, "payment": x.Payment, "settled": x.Settled, "true_cents": int64(x.True),
			"ledger_cents": int64(x.Net), "statement_cents": int64(x.Statement), "credits_cents": centsOf(x.Credits),
		}
		if x.Booked != nil {
			r["disposition"], r["charge"] = x.Booked.Disposition, x.Booked.Charge
		}
		all = append(all, r)
	}
	for _, a := range s.Accounts {
		accounts = append(accounts, row{"account": a.Account, "cents": int64(a.Cents)})
	}
	for _, r := range s.Refunds {
		refunds = append(refunds, row{"id": r.ID, "end_to_end_id": r.EndToEndID, "cents": int64(r.Amount), "state": r.State, "origin": r.Origin})
	}
	for _, k := range s.Cases {
		cases = append(cases, row{"id": k.ID, "state": k.State, "cents": int64(k.Amount), "reasons": k.Reasons})
	}
	out["inbox"], out["pix"], out["accounts"], out["refunds"], out["cases"] = inbox, all, accounts, refunds, cases
	return encodeJSON(out)
}

func centsOf(amounts []pix.Amount) []int64 {
	out := []int64{}
	for _, a := range amounts {
		out = append(out, int64(a))
	}
	return out
}
