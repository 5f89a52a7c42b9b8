package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundRepairOutcomes() []outcome {
	return []outcome{
		{"a refund that only the statement knew is booked with a case", refundRepaired},
		{"a refund of a Pix that is not booked waits and leaves nothing", refundRepairWaits},
		{"a refund of ours in process is ended with a case", refundRepairEnds},
		{"more than is left, but in the statement, is booked against suspense", refundExcess},
		{"an event that waits, was dropped or is held ends processed", refundRepairStates},
		{"the statement's other word is booked and the event's kept", refundRepairOther},
		{"an event that could not be read gets its content", refundRepairUnreadable},
		{"an item of the other kind under a key is refused", refundRepairKind},
	}
}

func (f *fixture) repairRefund(c receiver.RefundContent) receiver.Repair {
	item := f.sweptRefund(c)
	item.Channel = receiver.ChannelRepair
	return receiver.Repair{Item: item, Now: f.now()}
}

// repairedRefund repairs one refund and wants that result.
func (f *fixture) repairedRefund(c receiver.RefundContent, want receiver.ApplyResult) {
	f.Helper()
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{f.repairRefund(c)})
	equal(f, "repaired", must(f, out, err)[0].Result, want)
}

func refundRepaired(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	f.repairedRefund(c, receiver.ApplyBooked)
	f.repairedRefund(c, receiver.ApplyKnown)
	f.contradicted(c, receiver.ReasonMissedRefund)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.idle(receiver.QueueInbox)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	events := f.eventIDs(receiver.EventQuery{State: receiver.EventProcessed})
	count(f, "events", events, 2)
	equal(f, "channel", f.event(events[1]).Channel, receiver.ChannelRepair)
}

func refundRepairWaits(f *fixture) {
	c := f.med(1, 1, 300)
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{f.repairRefund(c), f.repair(f.credit(2, 0, 500))})
	must(f, out, err)
	equal(f, "refund", out[0], receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNoCredit})
	equal(f, "neighbour", out[1].Result, receiver.ApplyBooked)
	count(f, "events", f.eventIDs(receiver.EventQuery{}), 1)
	f.refundMatched(1, 1, 300, receiver.MatchMissingInLedger, 0)
	f.paid(1, 1000)
	f.repairedRefund(c, receiver.ApplyBooked)
}

func refundRepairEnds(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	x := f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	c := f.content(1, x.ID, 1, 300, pix.RefundReturned)
	f.repairedRefund(c, receiver.ApplyBooked)
	f.refundIn(1, receiver.RefundReturned)
	f.contradicted(c, receiver.ReasonMissedRefund)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.idle(receiver.QueueRefunds)
}

func refundExcess(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 800, 1)
	c := f.med(1, 2, 500)
	e := f.toldRefund(c, receiver.ApplyAside, receiver.ReasonOverCap)
	f.repairedRefund(c, receiver.ApplyBooked)
	f.inState(e.ID, receiver.EventProcessed)
	f.holds(1, receiver.Holdings{Revenue: 200, Divergent: -500}, 0, 800)
	f.caseIs(receiver.RefundCase(e2e(1), c.ID), receiver.CaseOpen, receiver.AccountDivergence, -500,
		receiver.ReasonOverCap, receiver.ReasonMissedRefund)
	f.notReserved(2, 1, 1, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded)
	f.repairedRefund(c, receiver.ApplyKnown)
	f.appended(f.sweptRefund(c), receiver.AppendKnown)
	f.refundMatched(1, 2, 500, receiver.MatchOK, -500)
	before := f.charge(1)
	f.closed(receiver.RefundCase(e2e(1), c.ID), receiver.AccountRevenue, true)
	f.holds(1, receiver.Holdings{Revenue: -300}, 0, 800)
	if after := f.charge(1); after.Settled != before.Settled || after.SettledBy != before.SettledBy {
		f.T.Errorf("a loss taken moved the charge from %s to %s settled", before.Settled, after.Settled)
	}
}

func refundRepairStates(f *fixture) {
	f.paid(1, 1000)
	var ids []int64
	for r := 1; r <= 3; r++ {
		ids = append(ids, f.appended(f.refundItem(f.med(1, r, 100)), receiver.AppendNew).EventID)
	}
	events := f.claim(3)
	count(f, "claimed", events, 3)
	f.deferred(events[0], receiver.Deferral{Quarantine: receiver.QuarantineWaiting}, true)
	f.decided(f.store.DropEvents, ids[1], true)
	for r := 1; r <= 3; r++ {
		f.repairedRefund(f.med(1, r, 100), receiver.ApplyBooked)
		f.contradicted(f.med(1, r, 100), receiver.ReasonMissedRefund)
		equal(f, "confirmed", f.inState(ids[r-1], receiver.EventProcessed).Confirmed, true)
	}
	c := f.med(1, 3, 100)
	f.appliedRefund(events[2], &c, receiver.ApplyLost, "")
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.idle(receiver.QueueInbox)
}

func refundRepairOther(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	f.repairedRefund(f.med(1, 1, 200), receiver.ApplyBooked)
	equal(f, "content", *f.inState(id, receiver.EventProcessed).Refund, f.med(1, 1, 200))
	f.contradicted(c, receiver.ReasonVariant, receiver.ReasonMissedRefund)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.holds(1, receiver.Holdings{Revenue: 800}, 0, 200)
}

func refundRepairUnreadable(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	bad := f.refundItem(c)
	bad.Refund, bad.Invalid = nil, "cut short"
	id := f.appended(bad, receiver.AppendNew).EventID
	f.repairedRefund(c, receiver.ApplyBooked)
	e := f.inState(id, receiver.EventProcessed)
	equal(f, "content", *e.Refund, c)
	equal(f, "confirmed", e.Confirmed, true)
}

func refundRepairKind(f *fixture) {
	f.paid(1, 1000)
	r := f.repairRefund(f.med(1, 1, 300))
	r.Item.Key = receiver.CreditKey(e2e(1))
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{r})
	equal(f, "result", must(f, out, err)[0].Result, receiver.ApplyFailed)
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
}
