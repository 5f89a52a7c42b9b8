package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundOrderOutcomes() []outcome {
	return []outcome{
		{"a refund before its credit waits, and is revived by it", refundBeforeCredit},
		{"what waits changes nothing, though the PSP's word is another", refundWaitsUnchanged},
		{"an id of ours that is done with is free for another's refund", foreignUnderEndedID},
		{"an event of our own refund waits while our call has no answer", callbackBeforeAnswer},
		{"a refund of another's under our id not sent yet is booked and clashes", foreignUnderUnsentID},
		{"a refund of another's under our id already sent waits for our answer", foreignUnderSentID},
		{"over the cap while ours is open it waits, and is booked when ours gives way", medWaitsForOurs},
		{"over the cap with nothing of ours open it is set aside with a case", overCapAside},
		{"over the cap and unknown at the PSP it is set aside with a case", overCapDenied},
		{"within the cap and unknown at the PSP it waits without a case", deniedWaits},
		{"an event set aside over the cap does not block the next", overCapNotBlocking},
		{"a refund over the cap that is swept again is looked at again", overCapRevived},
	}
}

func refundBeforeCredit(f *fixture) {
	c := f.med(1, 1, 300)
	e := f.toldRefund(c, receiver.ApplyWait, receiver.ReasonNoCredit)
	after := f.inState(e.ID, receiver.EventReceived)
	equal(f, "confirmed", after.Confirmed, false)
	f.deferred(e, receiver.Deferral{Reason: receiver.ReasonNoCredit, Quarantine: receiver.QuarantineWaiting}, true)
	bad := f.appended(f.refundItem(f.med(1, 2, 100)), receiver.AppendNew).EventID
	f.deferred(f.claimed(), receiver.Deferral{Quarantine: receiver.QuarantineBad}, true)
	other := f.appended(f.refundItem(f.med(2, 3, 100)), receiver.AppendNew).EventID
	f.deferred(f.claimed(), receiver.Deferral{Quarantine: receiver.QuarantineWaiting}, true)
	f.idle(receiver.QueueInbox)
	f.clock.pass(time.Hour)
	f.paid(1, 1000)
	revived := f.inState(e.ID, receiver.EventReceived)
	equal(f, "quarantine", revived.Quarantine, "")
	equal(f, "attempts", revived.Attempts, 1)
	sameTime(f, "due at", revived.DueAt, f.now())
	f.inState(bad, receiver.EventQuarantined)
	f.inState(other, receiver.EventQuarantined)
	f.appliedRefund(f.claimed(), &c, receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.noCase()
	f.repaired(f.credit(2, 0, 1000), receiver.ApplyBooked)
	f.inState(other, receiver.EventReceived)
}

func refundWaitsUnchanged(f *fixture) {
	c := f.med(1, 1, 900)
	e := f.toldRefundAs(c, f.med(1, 1, 300), receiver.ApplyWait, receiver.ReasonNoCredit)
	after := f.inState(e.ID, receiver.EventReceived)
	equal(f, "content", *after.Refund, c)
	equal(f, "confirmed", after.Confirmed, false)
	f.noCase()
}

func foreignUnderEndedID(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.refusedRefund(1)
	f.toldRefund(f.content(1, refundID(1), 9, 200, pix.RefundReturned), receiver.ApplyBooked, "")
	equal(f, "clash", f.refundIn(1, receiver.RefundFailed).Clash, false)
	f.holds(1, receiver.Holdings{Revenue: 800}, 0, 200)
}

func callbackBeforeAnswer(f *fixture) {
	f.paid(1, 10000)
	for n := 1; n <= 2; n++ {
		f.reserved(n, 1, 3000)
		x := f.calling(n)
		c := f.content(1, x.ID, n, 3000, pix.RefundReturned)
		f.appended(f.refundItem(c), receiver.AppendNew)
		e := f.claimed()
		f.appliedRefund(e, nil, receiver.ApplyWait, receiver.ReasonOwnCallOpen)
		f.appliedRefund(e, &c, receiver.ApplyWait, receiver.ReasonOwnCallOpen)
		equal(f, "confirmed", f.inState(e.ID, receiver.EventReceived).Confirmed, false)
		f.answered(n, n, pix.RefundReturned)
		f.appliedRefund(e, nil, receiver.ApplyKnown, "")
		f.inState(e.ID, receiver.EventProcessed)
		f.holds(1, receiver.Holdings{Revenue: pix.Amount(10000 - 3000*n)}, 0, pix.Amount(3000*n))
	}
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded)
	f.noCase()
}

func foreignUnderUnsentID(f *fixture) {
	f.paid(3, 10000)
	f.reserved(1, 3, 1500)
	c := f.content(3, refundID(1), 9, 500, pix.RefundReturned)
	f.toldRefund(c, receiver.ApplyBooked, "")
	x := f.refundIn(1, receiver.RefundReserved)
	equal(f, "clash", x.Clash, true)
	equal(f, "rtrId", x.ReturnID, "")
	equal(f, "id", x.ID, refundID(1))
	f.holds(3, receiver.Holdings{Revenue: 8000}, 1500, 500)
	f.dueAt(receiver.QueueRefunds, x.DueAt)
	f.calling(1)
	call := f.call(1)
	call.NewID = refundID(2)
	f.recordRefunds(call)
	f.calling(1)
	f.answered(1, 10, pix.RefundReturned)
	equal(f, "own rtrId", f.refundIn(1, receiver.RefundReturned).ReturnID, returnID(10))
	f.holds(3, receiver.Holdings{Revenue: 8000}, 0, 2000)
	f.refundMatched(3, 9, 500, receiver.MatchOK, -500)
	f.refundMatched(3, 10, 1500, receiver.MatchOK, -1500)
	f.told(3, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded)
}

func foreignUnderSentID(f *fixture) {
	f.paid(1, 10000)
	f.reserved(1, 1, 1500)
	f.calling(1)
	c := f.content(1, refundID(1), 9, 500, pix.RefundReturned)
	e := f.toldRefund(c, receiver.ApplyWait, receiver.ReasonOwnCallOpen)
	equal(f, "clash", f.refundIn(1, receiver.RefundReserved).Clash, false)
	f.holds(1, receiver.Holdings{Revenue: 8500}, 1500, 0)
	f.answered(1, 9, receiver.StatusClash)
	f.clashed(1)
	call := f.call(1)
	call.NewID = refundID(2)
	f.recordRefunds(call)
	f.appliedRefund(e, &c, receiver.ApplyBooked, "")
	equal(f, "clash", f.refundIn(1, receiver.RefundReserved).Clash, false)
	f.holds(1, receiver.Holdings{Revenue: 8000}, 1500, 500)
}

func medWaitsForOurs(f *fixture) {
	f.paid(1, 10000)
	f.reserved(1, 1, 10000)
	f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	c := f.med(1, 2, 10000)
	e := f.toldRefund(c, receiver.ApplyWait, receiver.ReasonOverCap)
	f.inState(e.ID, receiver.EventReceived)
	f.noCase()
	f.answered(1, 1, pix.RefundFailed)
	f.appliedRefund(e, &c, receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{}, 0, 10000)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefundFailed, receiver.OutboxRefunded)
	f.noCase()
}

func overCapAside(f *fixture) {
	f.paid(1, 10000)
	f.toldRefund(f.med(1, 1, 7000), receiver.ApplyBooked, "")
	f.returned(1, 1, 3000, 2)
	c := f.med(1, 3, 1)
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedRefund(e, nil, receiver.ApplyConfirm, "")
	f.appliedRefund(e, &c, receiver.ApplyAside, receiver.ReasonOverCap)
	after := f.inState(e.ID, receiver.EventQuarantined)
	equal(f, "kind", after.Quarantine, receiver.QuarantineWaiting)
	equal(f, "reason", after.Reason, receiver.ReasonOverCap)
	equal(f, "confirmed", after.Confirmed, true)
	f.contradicted(c, receiver.ReasonOverCap)
	f.holds(1, receiver.Holdings{}, 0, 10000)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded)
	f.refundMatched(1, 3, 1, receiver.MatchMissingInLedger, 0)
}

// deniedRefund says that the PSP knows of no refund as e tells, and wants that
// result for that reason.
func (f *fixture) deniedRefund(e receiver.Event, want receiver.ApplyResult, reason string) {
	f.Helper()
	out := f.apply(receiver.Application{EventID: e.ID, Version: e.Version, Denied: true, Now: f.now()})[0]
	equal(f, "apply "+e.Key, out, receiver.ApplyOutcome{Result: want, Reason: reason})
}

func overCapDenied(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 600, 1)
	c := f.med(1, 2, 401)
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.deniedRefund(e, receiver.ApplyAside, receiver.ReasonUnknownAtPSP)
	after := f.inState(e.ID, receiver.EventQuarantined)
	equal(f, "kind", after.Quarantine, receiver.QuarantineWaiting)
	equal(f, "reason", after.Reason, receiver.ReasonUnknownAtPSP)
	equal(f, "confirmed", after.Confirmed, false)
	f.contradicted(c, receiver.ReasonOverCap, receiver.ReasonUnknownAtPSP)
	f.holds(1, receiver.Holdings{Revenue: 400}, 0, 600)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.deniedRefund(e, receiver.ApplyLost, "")
	f.appended(f.sweptRefund(c), receiver.AppendRevived)
	f.appliedRefund(f.claimed(), nil, receiver.ApplyAside, receiver.ReasonOverCap)
	f.contradicted(c, receiver.ReasonOverCap, receiver.ReasonUnknownAtPSP)
}

func deniedWaits(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 600, 1)
	failed := f.med(1, 3, 500)
	failed.Status = pix.RefundFailed
	undone := f.content(1, refundID(1), 1, 600, pix.RefundFailed)
	for _, c := range []receiver.RefundContent{f.med(1, 2, 400), failed, undone} {
		f.appended(f.refundItem(c), receiver.AppendNew)
		e := f.claimed()
		f.deniedRefund(e, receiver.ApplyWait, receiver.ReasonUnknownAtPSP)
		after := f.inState(e.ID, receiver.EventReceived)
		equal(f, "version", after.Version, e.Version)
		sameTime(f, "lease end", after.DueAt, e.DueAt)
	}
	f.reserved(2, 1, 400)
	f.appended(f.refundItem(f.med(1, 5, 400)), receiver.AppendNew)
	f.deniedRefund(f.claimed(), receiver.ApplyWait, receiver.ReasonUnknownAtPSP) // ours may give way
	f.appended(f.refundItem(f.med(9, 6, 400)), receiver.AppendNew)
	f.deniedRefund(f.claimed(), receiver.ApplyWait, receiver.ReasonNoCredit)
	f.noCase()
	f.holds(1, receiver.Holdings{}, 400, 600)
	f.appended(f.sweptRefund(f.med(1, 7, 1)), receiver.AppendNew)
	f.deniedRefund(f.claimed(), receiver.ApplyWait, receiver.ReasonOverCap) // the PSP vouched for it meanwhile
}

func overCapNotBlocking(f *fixture) {
	f.paid(1, 1000)
	f.append(f.sweptRefund(f.med(1, 1, 1001)), f.sweptRefund(f.med(1, 2, 400)))
	events := f.claim(2)
	count(f, "claimed", events, 2)
	out := f.apply(f.application(events[0], nil), f.application(events[1], nil))
	equal(f, "over the cap", out[0].Result, receiver.ApplyAside)
	equal(f, "next", out[1].Result, receiver.ApplyBooked)
	f.holds(1, receiver.Holdings{Revenue: 600}, 0, 400)
	f.idle(receiver.QueueInbox)
}

func overCapRevived(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 600, 1)
	c := f.med(1, 2, 500)
	e := f.toldRefund(c, receiver.ApplyAside, receiver.ReasonOverCap)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.adjusted(1, 1100, receiver.MatchDivergent, true)
	f.appended(f.sweptRefund(c), receiver.AppendRevived)
	f.appliedRefund(f.claimed(), nil, receiver.ApplyBooked, "")
	f.inState(e.ID, receiver.EventProcessed)
	f.holds(1, receiver.Holdings{}, 0, 1100)
}
