package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Outcome is what a run left behind that no world stepped: a live one, of which
// nobody saw every commit.
type Outcome struct {
	Plan *chaos.Plan
	// Rows are all rows of the store, as one change set.
	Rows receiver.ChangeSet
	// Stored are the balances that the store keeps beside the ledger.
	Stored map[receiver.Account]pix.Amount
	// Settled, Refunds, Payouts and Statement are the PSP's truth; Contradiction is what
	// the PSP found wrong with itself.
	Settled       []fakepsp.SettledPix
	Refunds       []fakepsp.RefundRow
	Payouts       []fakepsp.PayoutRow
	Statement     []pix.StatementLine
	Contradiction string
	// Acknowledged are the callbacks that were answered 2xx, Unreadable counts
	// those whose bodies cannot be read, Refused the attempts that were answered
	// otherwise.
	Acknowledged        []Acknowledged
	Unreadable, Refused int
	// Skewed says that a receiver's clock was wrong on purpose, so that the times
	// of its rows prove nothing.
	Skewed bool
	// Answers are what the merchant was answered under idempotency keys, in order.
	Answers []Answer
	// Arrived counts outbox events at the merchant's endpoint, by id.
	Arrived map[int64]int
	// Replayed is what delivering everything again moved, Died what ended a
	// process or a step of the receiver that was not to end.
	Replayed, Died string
	// Pending says in words what had not settled when time was up.
	Pending []string
	Faults  []chaos.KindCount
	Void    []Void
	Calls   int64
	Took    time.Duration
}

// Acknowledged is a callback that was answered 2xx, by the time of the PSP's
// clock, which is the receivers'.
type Acknowledged struct {
	At      time.Time
	Items   []pix.CallbackItem
	Payouts []pix.PayoutItem
}

// Answer is one answer to a request of the merchant's under an idempotency key,
// which is its reference. Altered says that the request asked for another amount.
type Answer struct {
	Route, Reference, EndToEndID string
	Altered                      bool
	At                           time.Time
	Status                       int
	ContentType, Body            string
}

// Judge has the checkers of every invariant look at an outcome, those of each
// commit too, which see all rows as one. What shows in a single step alone,
// such as a state that moved back, nobody can see any more.
func Judge(o Outcome) *Report {
	w := newWorld(o.Plan, Options{})
	w.left, w.replayed, w.acknowledged, w.calls, w.void = &o, o.Replayed, len(o.Acknowledged), o.Calls, o.Void
	w.stored = func(a receiver.Account) (pix.Amount, bool) {
		cents, kept := o.Stored[a]
		return cents, kept
	}
	if o.Arrived != nil {
		// A live run's merchant has one endpoint, under the default name.
		got := counts{}
		for _, id := range slices.Sorted(maps.Keys(o.Arrived)) {
			for range o.Arrived[id] {
				got.add(id)
			}
		}
		w.endpoints = []*endpoint{{name: receiver.DefaultEndpoint, got: got}}
		w.view.endpoints = w.rules().Endpoints
	}
	if plain(o.Plan) && o.Refused > 0 {
		w.refusals, w.firstRefusal = o.Refused, "a live run keeps no address"
	}
	w.learn()
	w.view.apply(&o.Rows)
	w.judge.afterwards(&o)
	r := w.report(o.Pending)
	r.Hash, r.Events, r.Steps, r.Faults, r.SimulatedMS = "", 0, 0, o.Faults, o.Took.Milliseconds()
	for i := range r.Invariants {
		r.Invariants[i].Event = 0
	}
	return r
}

// learn puts the PSP's truth into the view, and what the plan has it say that
// is not so.
func (w *World) learn() {
	v := w.view
	for _, row := range w.left.Settled {
		v.of(row.EndToEndID).Truth = TruePix{Settled: true, TxID: row.TxID, Amount: row.Amount, PaidAt: row.PaidAt}
	}
	for _, row := range w.left.Refunds {
		if row.Status.Final() {
			v.TruthRefunds = append(v.TruthRefunds, TrueRefund{
				EndToEndID: row.EndToEndID, ID: row.ID, ReturnID: row.ReturnID, Amount: row.Amount, Nature: row.Nature, Status: row.Status,
			})
		}
	}
	for _, row := range w.left.Payouts {
		v.TruthPayouts[row.EndToEndID] = row
		v.TruthByKey[row.Key] = append(v.TruthByKey[row.Key], row.EndToEndID)
	}
	for _, d := range w.plan.Faults {
		at := d.Target.Callback
		if at == nil {
			continue
		}
		set := w.faults.Callback(*at).Change
		id := pix.EndToEndID(w.payments[at.Subject].EndToEndID)
		if set.SayEndToEndID != "" {
			id = pix.EndToEndID(set.SayEndToEndID)
		}
		if set.Signature == "" && set.SayCents != 0 {
			v.Said[id] = append(v.Said[id], pix.Amount(set.SayCents))
		}
	}
}

// afterwards is the whole judgement of an outcome.
func (j *judge) afterwards(o *Outcome) {
	if o.Contradiction != "" {
		j.report("PSP", "the fake PSP contradicts itself: "+o.Contradiction, nil)
	}
	if o.Died != "" {
		j.report("panic", o.Died, nil)
	}
	if o.Unreadable > 0 {
		j.report("I5", fmt.Sprintf("%d bodies that cannot be read were acknowledged", o.Unreadable), nil)
	}
	j.commit(&o.Rows)
	for _, a := range o.Acknowledged {
		j.acked(a.Items)
		if d := j.w.view.lostPayouts(a.Payouts); d != "" {
			j.report("I5", d, nil)
		}
		if d := j.w.view.late(a); d != "" && !o.Skewed {
			j.report("I5", d, nil)
		}
	}
	for _, a := range o.Answers {
		j.answer(&apiAnswer{
			asking:  &asking{w: j.w, route: a.Route, reference: a.Reference, endToEnd: a.EndToEndID},
			altered: a.Altered, at: a.At, status: a.Status, contentType: a.ContentType, body: []byte(a.Body),
		})
	}
	if len(o.Pending) == 0 {
		j.last()
	}
}

// late finds an item that was acknowledged before anything stored it: its row is
// of a later instant than the answer, so that another copy or a sweep brought it.
func (v *View) late(a Acknowledged) string {
	stored := func(e *receiver.Event) bool {
		if !e.ReceivedAt.After(a.At) {
			return true
		}
		for _, k := range v.Variants {
			if k.EventID == e.ID && !k.ReceivedAt.After(a.At) {
				return true
			}
		}
		return false
	}
	for _, it := range a.Items {
		id := it.Payment.EndToEndID
		if e := v.at(id).Event; it.Err == nil && e != nil && !stored(e) {
			return fmt.Sprintf("Pix %s was acknowledged at %s and is in the inbox since %s", id, pix.FormatTime(a.At), pix.FormatTime(e.ReceivedAt))
		}
		for _, x := range it.Payment.Refunds {
			e := v.ByRefund[refundState{id, x.ID, x.Status}]
			if e != nil && !stored(e) {
				return fmt.Sprintf("refund %s of Pix %s was acknowledged at %s and is in the inbox since %s", x.ID, id, pix.FormatTime(a.At), pix.FormatTime(e.ReceivedAt))
			}
		}
	}
	return ""
}
