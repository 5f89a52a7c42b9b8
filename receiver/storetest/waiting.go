package storetest

import (
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func waitingOutcomes() []outcome {
	return []outcome{
		{"money that waited for a txid is attached when its charge is made", attachedOnCreation},
		{"of several, the first paid settles and the others are to return", attachedInOrderPaid},
		{"paid at one instant, the lower id settles", attachedInOrderOfID},
		{"money of another amount is attached by the same rules as fresh money", attachedUnderpaid},
		{"money under another txid or none stays", othersStay},
		{"money whose case an operator closed stays where it went", closedStays},
		{"events waiting for the txid wake, bad ones do not", waitingEventsWake},
	}
}

func attachedOnCreation(f *fixture) {
	f.booked(f.credit(1, 5, 1000))
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseOpen, receiver.AccountUnidentified, 1000, receiver.ReasonUnidentified)
	out := f.create(f.newCharge(5, 1000))[0]
	equal(f, "settled in the answer", out.Charge.SettledBy, e2e(1))
	f.settled(5, 1000, e2e(1))
	p := f.payment(1)
	equal(f, "disposition", p.Disposition, receiver.DispositionExact)
	equal(f, "charge", p.Charge, ref(5))
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseClosed, receiver.AccountUnidentified, 1000, receiver.ReasonUnidentified)
	f.told(1, receiver.OutboxUnidentified, receiver.OutboxMatched)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func attachedInOrderPaid(f *fixture) {
	late, early := f.credit(1, 5, 1000), f.credit(2, 5, 1000)
	late.PaidAt = start().Add(-time.Minute)
	early.PaidAt = start().Add(-time.Hour)
	f.booked(late)
	f.booked(early)
	f.create(f.newCharge(5, 1000))
	f.settled(5, 1000, e2e(2))
	equal(f, "the later one", f.payment(1).Disposition, receiver.DispositionSecond)
	f.matched(1, 1000, receiver.MatchDuplicate, 1000)
}

func attachedInOrderOfID(f *fixture) {
	f.booked(f.credit(2, 5, 1000))
	f.booked(f.credit(1, 5, 1000))
	f.create(f.newCharge(5, 1000))
	f.settled(5, 1000, e2e(1))
}

func attachedUnderpaid(f *fixture) {
	f.booked(f.credit(1, 5, 400))
	f.create(f.newCharge(5, 1000))
	f.settled(5, 0, "")
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseClosed, receiver.AccountUnidentified, 400, receiver.ReasonUnidentified)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, 400, receiver.ReasonUnderpaid)
}

func othersStay(f *fixture) {
	f.booked(f.credit(1, 6, 1000))
	f.booked(f.credit(2, 0, 1000))
	f.create(f.newCharge(5, 1000))
	f.settled(5, 0, "")
	for n := 1; n <= 2; n++ {
		equal(f, "disposition", f.payment(n).Disposition, receiver.DispositionUnidentified)
	}
}

func closedStays(f *fixture) {
	f.booked(f.credit(1, 5, 1000))
	f.closed(receiver.UnidentifiedCase(e2e(1)), receiver.AccountToReturn, true)
	f.create(f.newCharge(5, 1000))
	f.settled(5, 0, "")
	f.told(1, receiver.OutboxUnidentified)
}

func waitingEventsWake(f *fixture) {
	waiting := f.aside(f.credit(1, 5, 1000), receiver.QuarantineWaiting)
	bad := f.aside(f.credit(2, 5, 1000), receiver.QuarantineBad)
	other := f.aside(f.credit(3, 6, 1000), receiver.QuarantineWaiting)
	f.clock.pass(time.Hour)
	f.create(f.newCharge(5, 1000))
	e := f.inState(waiting, receiver.EventReceived)
	sameTime(f, "due at", e.DueAt, f.now())
	equal(f, "attempts", e.Attempts, 1)
	equal(f, "quarantine", e.Quarantine, "")
	f.inState(bad, receiver.EventQuarantined)
	f.inState(other, receiver.EventQuarantined)
	f.dueAt(receiver.QueueInbox, f.now())
}
