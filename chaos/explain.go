package chaos

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Explain lists a plan for people: the charges with the txids they will get,
// the payments with their callbacks and what goes wrong with them, then the
// calls, crashes and windows. The list is for reading and its layout promises
// nothing. Errors of w are w's to remember.
func (p *Plan) Explain(w io.Writer) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	e := explainer{b, p}
	e.head()
	e.charges()
	e.payments()
	e.payouts()
	e.section("calls of the PSP's API", func(t Target) bool { return t.API != nil })
	e.section("store commands", func(t Target) bool { return t.Command != nil })
	e.section("requests of the merchant", func(t Target) bool { return t.Request != "" })
	e.section("windows", func(t Target) bool { return t.Window != nil })
	e.operator()
}

// operator lists what an operator does with what was put aside.
func (e explainer) operator() {
	if len(e.plan.Operator) == 0 {
		return
	}
	fmt.Fprintf(e, "\noperator (%d)\n", len(e.plan.Operator))
	for _, a := range e.plan.Operator {
		fmt.Fprintf(e, "  %s: %s %s %s\n", clock(a.AtMS), a.Do, a.Key, a.To)
	}
}

type explainer struct {
	*bufio.Writer
	plan *Plan
}

func (e explainer) head() {
	p, s := e.plan, e.plan.Settings
	fmt.Fprintf(e, "seed %s, profile %s, generator %d\n%s\n", p.Seed, p.Profile, p.Generator, p.Hash())
	fmt.Fprintf(e, "starts %s, %s long, last action at %s; times below count from the start\n",
		p.Start.UTC().Format("2006-01-02T15:04:05Z"), span(p.HorizonMS), clock(p.LastActionMS()))
	fmt.Fprintf(e, "receiver processes: %d, workers in each: %d; retry table %s, %s for an answer; a sweep every %s in pages of %d; statement %s behind; a refund asked for again: %s\n",
		s.Instances, s.Workers, s.Retry, span(s.CallbackTimeoutMS), span(s.SweepEveryMS), s.PageSize, span(s.StatementLagMS),
		cmp.Or(s.RefundRepeat, "same"))
}

func (e explainer) charges() {
	fmt.Fprintf(e, "\ncharges (%d)\n", len(e.plan.Charges))
	for _, c := range e.plan.Charges {
		fmt.Fprintf(e, "  %-4s %s  %s  %s of %s, made at %s", c.ID, Txid(e.plan.Seed, c), c.Reference, c.Kind, due(c), clock(c.CreateAtMS))
		if c.ExpiresInS > 0 {
			fmt.Fprintf(e, ", expires at %s", clock(c.CreateAtMS+c.ExpiresInS*secondMS))
		}
		if c.Elsewhere {
			fmt.Fprintf(e, ", by another system: the receiver learns of it %s", orNever("at ", c.AdoptAtMS))
		}
		if c.RemoveAtMS > 0 {
			fmt.Fprintf(e, ", removed at %s", clock(c.RemoveAtMS))
		}
		fmt.Fprintln(e)
	}
}

func (e explainer) payments() {
	fmt.Fprintf(e, "\npayments (%d)\n", len(e.plan.Payments))
	for _, pay := range e.plan.Payments {
		fmt.Fprintf(e, "  %-4s %s  %s at %s ", pay.ID, pay.EndToEndID, reais(pay.AmountCents), clock(pay.AtMS))
		if pay.Charge == "" {
			fmt.Fprint(e, "to the bare key, so no callback\n")
		} else {
			fmt.Fprintf(e, "for %s, callback %s later\n", pay.Charge, span(pay.NotifyAfterMS))
		}
		e.returns(pay.ID)
		e.faultsOn(pay.ID)
	}
}

// returns lists a payment's refunds and MED cases.
func (e explainer) returns(id string) {
	for _, r := range e.plan.Refunds {
		if r.Payment != id {
			continue
		}
		end := "returned"
		if r.Fails {
			end = "not made"
		}
		fmt.Fprintf(e, "         %s: the %s asks %s back at %s as %s, %s %s later, callback %s after that\n", r.ID, r.Origin,
			reais(r.AmountCents), clock(r.AtMS), RefundID(e.plan.Seed, r), end, span(r.SettleAfterMS), span(r.NotifyAfterMS))
	}
	for _, d := range e.plan.Disputes {
		if d.Payment == id {
			fmt.Fprintf(e, "         %s: %s over %s reported at %s, %s %s later%s\n", d.ID, d.Nature,
				reais(d.AmountCents), clock(d.ReportAtMS), d.Outcome, span(d.DecideAfterMS), told(d))
		}
	}
}

// payouts lists what the merchant sends, with what goes wrong with its callbacks.
func (e explainer) payouts() {
	if len(e.plan.Payouts) == 0 {
		return
	}
	s := e.plan.Settings
	fmt.Fprintf(e, "\npayouts (%d), endToEndIds %s, a key good for %s\n", len(e.plan.Payouts),
		cmp.Or(s.PayoutIDs, PayoutIDsAssigned), span(cmp.Or(s.PayoutKeyTTLMS, DayMS)))
	for _, o := range e.plan.Payouts {
		fmt.Fprintf(e, "  %-4s %s  %s of %s to %s at %s, %s %s later, callback %s after that\n", o.ID, PayoutKey(e.plan.Seed, o), o.Reference,
			reais(o.AmountCents), o.Payee, clock(o.AtMS), o.Outcome, span(o.SettleAfterMS), span(o.NotifyAfterMS))
		for _, r := range o.Returns {
			fmt.Fprintf(e, "         %s comes back %s after it settled\n", reais(r.AmountCents), span(r.AfterMS))
		}
		e.faultsOn(o.ID)
	}
}

// told is what the merchant hears of a MED case.
func told(d Dispute) string {
	text := ""
	if d.Memo {
		text = ", the block told by another channel"
	}
	if d.Outcome == DisputeAccepted {
		text += ", callback " + span(d.NotifyAfterMS) + " after that"
	}
	return text
}

// faultsOn lists what strikes a payment's payer and callbacks. A kind that
// sends many copies is told in one line.
func (e explainer) faultsOn(id string) {
	var mine []Deviation
	for _, d := range e.plan.Faults {
		if t := d.Target; t.Payment == id || t.Callback != nil && t.Callback.Subject == id {
			mine = append(mine, d)
		}
	}
	for i := 0; i < len(mine); {
		n := 1
		for i+n < len(mine) && mine[i+n].Kind == mine[i].Kind && sameNotice(mine[i].Target, mine[i+n].Target) {
			n++
		}
		if n > 3 && mine[i].Set.CopyAfterMS > 0 {
			fmt.Fprintf(e, "         %s: %d copies%s, from %s to %s after the first\n", mine[i].Kind, n,
				ofNotice(mine[i].Target.Callback), span(mine[i].Set.CopyAfterMS), span(mine[i+n-1].Set.CopyAfterMS))
			i += n
			continue
		}
		fmt.Fprintf(e, "         %s: %s %s\n", mine[i].Kind, place(mine[i].Target), strings.Join(mine[i].Set.words(), ", "))
		i++
	}
}

func (e explainer) section(title string, belongs func(Target) bool) {
	var mine []Deviation
	for _, d := range e.plan.Faults {
		if belongs(d.Target) {
			mine = append(mine, d)
		}
	}
	if len(mine) == 0 {
		return
	}
	fmt.Fprintf(e, "\n%s (%d)\n", title, len(mine))
	for _, d := range mine {
		fmt.Fprintf(e, "  %s: %s %s\n", d.Kind, place(d.Target), strings.Join(d.Set.words(), ", "))
	}
}
