package storetest

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func operatorOutcomes() []outcome {
	return []outcome{
		{"a requeued event is received and due at once", requeued},
		{"only quarantined events are requeued", requeueOnlyAside},
		{"a dropped event is closed with the note", droppedClosed},
		{"a processed event is not dropped", dropNotProcessed},
		{"a dropped event is not requeued", droppedForGood},
		{"who held a dropped event has lost it", dropTakesLease},
	}
}

// decided has an operator decide about one event and wants that answer.
func (f *fixture) decided(
	command func(context.Context, []receiver.Decision) ([]bool, error), id int64, want bool,
) {
	f.Helper()
	out, err := command(f.ctx(), []receiver.Decision{f.decision(id)})
	equal(f, "decided", must(f, out, err)[0], want)
}

func requeued(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineBad)
	f.clock.pass(time.Hour)
	f.decided(f.store.RequeueEvents, id, true)
	e := f.inState(id, receiver.EventReceived)
	equal(f, "quarantine", e.Quarantine, "")
	sameTime(f, "due at", e.DueAt, f.now())
	count(f, "claimed", f.claim(9), 1)
}

func requeueOnlyAside(f *fixture) {
	f.charged(1, 1000)
	done := f.credited(f.credit(1, 1, 1000))
	f.decided(f.store.RequeueEvents, done, false)
	f.inState(done, receiver.EventProcessed)
	open := f.appended(f.item(f.credit(2, 2, 1000)), receiver.AppendNew).EventID
	f.decided(f.store.RequeueEvents, open, false)
	f.decided(f.store.RequeueEvents, open+1000, false)
}

func droppedClosed(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	f.decided(f.store.DropEvents, id, true)
	e := f.inState(id, receiver.EventQuarantined)
	equal(f, "kind", e.Quarantine, receiver.QuarantineBad)
	equal(f, "reason", e.Reason, "dropped: why")
	f.decided(f.store.DropEvents, id, false)
	f.decided(f.store.DropEvents, id+1000, false)
}

func dropNotProcessed(f *fixture) {
	f.charged(1, 1000)
	id := f.credited(f.credit(1, 1, 1000))
	f.decided(f.store.DropEvents, id, false)
	f.inState(id, receiver.EventProcessed)
}

func droppedForGood(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineBad)
	f.decided(f.store.DropEvents, id, true)
	f.decided(f.store.RequeueEvents, id, false)
	f.inState(id, receiver.EventQuarantined)
}

func dropTakesLease(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	f.decided(f.store.DropEvents, e.ID, true)
	f.applied(e, nil, receiver.ApplyLost)
	f.settled(1, 0, "")
	f.idle(receiver.QueueInbox)
}

func attachOutcomes() []outcome {
	return []outcome{
		{"unidentified money goes to the charge an operator names", attached},
		{"of another amount it goes where fresh money would", attachedOther},
		{"money that has its place is refused with a reason", attachRefused},
		{"money whose case was closed is refused with a reason", attachClosed},
		{"a late notice with the txid changes nothing", attachThenNotice},
	}
}

func (f *fixture) attach(n, order int) receiver.AttachOutcome {
	f.Helper()
	out, err := f.store.AttachPayments(f.ctx(), []receiver.Attachment{
		{EndToEndID: e2e(n), Charge: refOf(order), Operator: "ana", Note: "why", Now: f.now()},
	})
	return must(f, out, err)[0]
}

// refused wants an attachment to move nothing and say why.
func (f *fixture) refused(out receiver.AttachOutcome) {
	f.Helper()
	equal(f, "attached", out.Attached, false)
	equal(f, "says why", out.Reason != "", true)
}

func attached(f *fixture) {
	f.charged(2, 1000)
	f.booked(f.credit(1, 0, 1000))
	equal(f, "attached", f.attach(1, 2), receiver.AttachOutcome{Attached: true})
	f.settled(2, 1000, e2e(1))
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionExact)
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseClosed, receiver.AccountUnidentified, 1000, receiver.ReasonUnidentified)
	equal(f, "note", f.cases()[0].Note, "why")
	f.told(1, receiver.OutboxUnidentified, receiver.OutboxMatched)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func attachedOther(f *fixture) {
	f.charged(2, 900)
	f.booked(f.credit(1, 0, 1000))
	equal(f, "attached", f.attach(1, 2).Attached, true)
	f.settled(2, 900, e2e(1))
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionOverpaid)
}

func attachRefused(f *fixture) {
	f.charged(1, 1000)
	f.charged(2, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.booked(f.credit(3, 0, 1000))
	f.refused(f.attach(1, 2))
	f.refused(f.attach(3, 9))
	f.refused(f.attach(9, 2))
	f.settled(2, 0, "")
	equal(f, "attached", f.attach(3, 2).Attached, true)
	f.refused(f.attach(3, 2))
	f.settled(2, 1000, e2e(3))
}

func attachClosed(f *fixture) {
	f.charged(2, 1000)
	f.booked(f.credit(1, 0, 1000))
	f.closed(receiver.UnidentifiedCase(e2e(1)), receiver.AccountToReturn, true)
	f.refused(f.attach(1, 2))
	f.settled(2, 0, "")
}

func attachThenNotice(f *fixture) {
	f.charged(2, 1000)
	f.booked(f.credit(1, 0, 1000))
	f.attach(1, 2)
	f.appended(f.item(f.credit(1, 2, 1000)), receiver.AppendEnriched)
	f.settled(2, 1000, e2e(1))
	f.told(1, receiver.OutboxUnidentified, receiver.OutboxMatched)
	equal(f, "amount", f.payment(1).Amount, pix.Amount(1000))
}

// decision is an operator's word on an event.
func (f *fixture) decision(id int64) receiver.Decision {
	return receiver.Decision{EventID: id, Operator: "ana", Note: "why", Now: f.now()}
}
