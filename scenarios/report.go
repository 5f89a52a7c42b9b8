package scenarios

import (
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// Verdict is how a run ended.
type Verdict string

// The verdicts.
const (
	Held             Verdict = "held"
	Violated         Verdict = "violated"
	NotConverged     Verdict = "not_converged"
	NotDeterministic Verdict = "not_deterministic"
)

// InvariantResult is one invariant's judgement.
type InvariantResult struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail"`
	// Event is the number of the trace's event at which it broke.
	Event int64 `json:"event,omitempty"`
	// AtMS is the instant at which it broke, in milliseconds from the plan's start.
	AtMS int64 `json:"-"`
}

// Report is what a run came to.
type Report struct {
	Verdict    Verdict
	Invariants []InvariantResult
	// Pending says in words what had not settled when time was up.
	Pending []string
	Hash    string
	Events  int64
	Steps   int64
	Calls   int64 // HTTP exchanges, both directions
	Faults  []chaos.KindCount
	Void    []Void

	Settled, Charges, Credits   int
	StatementCents, LedgerCents int64
	// Refunds counts those returned, the PSP's own among them; InProcessCents is
	// what refunds without a known end hold.
	Refunds                       int
	RefundedCents, InProcessCents int64
	// Payouts counts those confirmed, PaidCents what they come to, ReturnedCents what
	// came back of them; InTransitCents is what payouts without a known end hold.
	Payouts                                  int
	PaidCents, ReturnedCents, InTransitCents int64
	Processed, Quarantined, PendingInbox     int
	CasesOpen, OutboxSent, Acknowledged      int
	SimulatedMS                              int64
	// Marks are what the run came to, see [Marks].
	Marks []string
	// Switches is how often somebody else stepped than the step before; Schedule
	// is the order of the steps, where [Options.Record] asks for it.
	Switches int64
	Schedule *chaos.Schedule
	// State is the state at the end, where [Options.Show] asks for it.
	State *State
	// Stack is where the receiver panicked, if it did.
	Stack string
}

func (w *World) report(pending []string) *Report {
	r := &Report{
		Verdict: Held, Pending: pending, Hash: w.trace.Hash(), Events: w.trace.Count(),
		Acknowledged: w.acknowledged, Steps: w.sched.Steps(), Calls: w.calls, Faults: w.tally.Counts(), Void: w.void,
		SimulatedMS: int64(w.sched.Now() / chaos.Millisecond),
	}
	w.countInto(r)
	r.Marks, r.Switches = w.marks.list(), w.sched.Switches()
	if w.option.Record {
		r.Schedule = w.sched.Recorded()
	}
	if w.option.Show {
		r.State = w.state()
	}
	if len(pending) > 0 {
		r.Verdict = NotConverged
	}
	for _, c := range w.judge.checkers {
		r.Invariants = append(r.Invariants, InvariantResult{ID: c.id(), Name: c.sentence(), Held: true})
	}
	for _, v := range w.judge.found {
		r.Verdict = Violated
		if v.stack != nil {
			r.Stack = string(v.stack)
		}
		i := slices.IndexFunc(r.Invariants, func(x InvariantResult) bool { return x.ID == v.Invariant })
		if i < 0 {
			r.Invariants = append(r.Invariants, InvariantResult{ID: v.Invariant, Name: extraSentence(v.Invariant)})
			i = len(r.Invariants) - 1
		}
		r.Invariants[i].Held, r.Invariants[i].Detail, r.Invariants[i].Event = false, v.Detail, v.Event
		r.Invariants[i].AtMS = v.At.Sub(w.plan.Start).Milliseconds()
	}
	return r
}

func extraSentence(id string) string {
	if id == "PSP" {
		return "The fake PSP agrees with itself"
	}
	return "The receiver does not panic"
}

func (w *World) countInto(r *Report) {
	for _, l := range w.statement() {
		r.StatementCents += l.Signed()
	}
	r.InProcessCents = -int64(w.view.Balance[receiver.AccountInProcess])
	for _, p := range w.view.Pix {
		if p.Truth.Settled {
			r.Settled++
		}
		if p.Payment != nil {
			r.Credits++
		}
		for _, x := range p.Refunds {
			if x.State == receiver.RefundReturned {
				r.Refunds++
				r.RefundedCents += int64(x.Amount)
			}
		}
	}
	r.InTransitCents = -int64(w.view.Balance[receiver.AccountInTransit])
	for _, key := range sorted(w.view.Payouts) {
		if x := w.view.Payouts[key]; x.State == receiver.PayoutConfirmed {
			r.Payouts++
			r.PaidCents += int64(x.Amount)
			r.ReturnedCents += int64(x.Returned())
		}
	}
	r.LedgerCents = int64(w.view.Balance[receiver.AccountSettlement])
	r.Charges = len(w.view.Charges)
	for e := range w.view.Events.all() {
		switch e.State {
		case receiver.EventProcessed:
			r.Processed++
		case receiver.EventQuarantined:
			r.Quarantined++
		default:
			r.PendingInbox++
		}
	}
	for _, c := range w.view.Cases {
		if c.State == receiver.CaseOpen {
			r.CasesOpen++
		}
	}
	for _, o := range w.view.Outbox.all() {
		if o.sent {
			r.OutboxSent++
		}
	}
}

// FirstBroken is the invariant that broke first, "" if none did.
func (r *Report) FirstBroken() string {
	first := InvariantResult{}
	for _, i := range r.Invariants {
		if !i.Held && (first.ID == "" || i.Event < first.Event) {
			first = i
		}
	}
	return first.ID
}

// TraceVersion counts the changes after which a seed's trace is another one:
// of the order of steps, of the receiver, or of what the trace says.
const TraceVersion = 2
