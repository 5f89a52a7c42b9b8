package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundCallOutcomes() []outcome {
	return []outcome{
		{"open refunds are leased in the order due, requested, reference", leaseRefundsInOrder},
		{"a lease counts the attempt and is fenced by its version", leaseRefundMarks},
		{"the queue of refunds is due with its first open one", refundsNextDue},
		{"an unknown outcome stays open and keeps when the first call left", refundUnknown},
		{"a refund that the PSP has in process is asked about later", refundInProcess},
		{"another's rtrId is a clash, due at once, and not taken", clashByReturnID},
		{"another's refund under our id is a clash", clashByContent},
		{"a new id starts afresh", rekeyed},
		{"a new id without a clash changes nothing", rekeyedWithoutClash},
		{"an answer about an id given up changes nothing", answerAboutOldID},
		{"the same rtrId on another Pix is no clash", sameReturnIDElsewhere},
		{"a call about no refund of ours answers a zero refund", refundCallAboutNothing},
	}
}

func leaseRefundsInOrder(f *fixture) {
	f.paid(1, 10000)
	f.reserved(3, 1, 100)
	f.clock.pass(time.Second)
	for _, n := range []int{5, 2} {
		f.reserved(n, 1, 100)
	}
	late, early := f.newRefund(4, 1, 100), f.newRefund(1, 1, 100)
	late.Refund.DueAt = start().Add(2 * time.Second)
	early.Refund.DueAt = start().Add(-time.Second)
	f.reserve(late, early)
	f.leasedRefunds(append(f.leaseRefunds(2), f.leaseRefunds(9)...), 1, 3, 2, 5)
	f.clock.pass(lease)
	f.leasedRefunds(f.leaseRefunds(9), 4, 3, 1, 2, 5)
}

// leasedRefunds wants just these refunds in this order.
func (f *fixture) leasedRefunds(got []receiver.Refund, want ...int) {
	f.Helper()
	count(f, "leased", got, len(want))
	for i, n := range want {
		equal(f, "leased", got[i].Reference, refundRef(n).Reference)
	}
}

func leaseRefundMarks(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	first := f.calling(1)
	for _, x := range []receiver.Refund{first, f.refund(1)} {
		equal(f, "attempts", x.Attempts, 1)
		equal(f, "state", x.State, receiver.RefundReserved)
		sameTime(f, "lease end", x.DueAt, f.now().Add(lease))
	}
	f.clock.pass(lease - time.Millisecond)
	count(f, "leased while held", f.leaseRefunds(9), 0)
	f.clock.pass(time.Millisecond)
	second := f.calling(1)
	equal(f, "attempts", second.Attempts, 2)
	equal(f, "version", second.Version, first.Version+1)
}

func refundsNextDue(f *fixture) {
	f.idle(receiver.QueueRefunds)
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	f.clock.pass(time.Second)
	f.reserved(2, 1, 100)
	f.dueAt(receiver.QueueRefunds, start())
	f.calling(1)
	f.dueAt(receiver.QueueRefunds, f.now())
	f.calling(2)
	f.dueAt(receiver.QueueRefunds, f.now().Add(lease))
	f.answered(1, 1, pix.RefundReturned)
	f.refusedRefund(2)
	f.idle(receiver.QueueRefunds)
	f.toldRefund(f.med(1, 3, 100), receiver.ApplyBooked, "")
	f.idle(receiver.QueueRefunds)
}

func refundUnknown(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 400)
	f.clock.pass(time.Second)
	first := f.now()
	for range 3 {
		f.calling(1)
		f.recordRefunds(f.call(1))
		x := f.refundIn(1, receiver.RefundReserved)
		sameTime(f, "first call", x.FirstCallAt, first)
		sameTime(f, "due at", x.DueAt, f.now().Add(lease))
		f.clock.pass(lease)
	}
	f.holds(1, receiver.Holdings{Revenue: 600}, 400, 0)
	f.told(1, receiver.OutboxCredited)
}

func refundInProcess(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 400)
	f.calling(1)
	x := f.answered(1, 1, pix.RefundProcessing)
	equal(f, "rtrId", x.ReturnID, returnID(1))
	f.refundIn(1, receiver.RefundProcessing)
	f.dueAt(receiver.QueueRefunds, f.now().Add(lease))
	f.clock.pass(lease)
	f.calling(1)
	f.recordRefunds(f.call(1))
	equal(f, "rtrId", f.refundIn(1, receiver.RefundProcessing).ReturnID, returnID(1))
	f.holds(1, receiver.Holdings{Revenue: 600}, 400, 0)
	f.told(1, receiver.OutboxCredited)
	f.answered(1, 1, pix.RefundReturned)
	f.refundIn(1, receiver.RefundReturned)
}

// clashed wants refund n to be known as clashing, its money still aside.
func (f *fixture) clashed(n int) {
	f.Helper()
	x := f.refundIn(n, receiver.RefundReserved)
	equal(f, "clash", x.Clash, true)
	equal(f, "rtrId", x.ReturnID, "")
	sameTime(f, "due at", x.DueAt, f.now())
}

func clashByReturnID(f *fixture) {
	f.paid(1, 1000)
	f.toldRefund(f.med(1, 7, 100), receiver.ApplyBooked, "")
	f.returned(1, 1, 100, 8)
	for n := 2; n <= 3; n++ {
		f.reserved(n, 1, 100)
	}
	count(f, "leased", f.leaseRefunds(9), 2)
	for n := 2; n <= 3; n++ {
		f.answered(n, 5+n, pix.RefundReturned)
		f.clashed(n)
	}
	f.holds(1, receiver.Holdings{Revenue: 600}, 200, 200)
}

func clashByContent(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	f.calling(1)
	f.answered(1, 7, receiver.StatusClash)
	f.clashed(1)
	f.answered(1, 7, pix.RefundReturned)
	f.clashed(1)
	f.refusedRefund(1)
	f.clashed(1)
	f.toldRefund(f.content(1, "R7", 7, 50, pix.RefundReturned), receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{Revenue: 850}, 100, 50)
}

func rekeyed(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	f.calling(1)
	f.answered(1, 7, receiver.StatusClash)
	version := f.calling(1).Version
	call := f.call(1)
	call.NewID = refundID(8)
	for _, x := range []receiver.Refund{f.recordRefunds(call)[0], f.refundIn(1, receiver.RefundReserved)} {
		equal(f, "id", x.ID, refundID(8))
		equal(f, "rekeys", x.Rekeys, 1)
		equal(f, "clash", x.Clash, false)
		equal(f, "attempts", x.Attempts, 0)
		equal(f, "never called", x.FirstCallAt.IsZero(), true)
		equal(f, "version", x.Version, version)
		sameTime(f, "due at", x.DueAt, f.now())
	}
	f.calling(1)
	f.answered(1, 9, pix.RefundReturned)
	equal(f, "rtrId", f.refundIn(1, receiver.RefundReturned).ReturnID, returnID(9))
	f.holds(1, receiver.Holdings{Revenue: 900}, 0, 100)
}

func rekeyedWithoutClash(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	f.calling(1)
	call := f.call(1)
	call.NewID = refundID(8)
	f.recordRefunds(call)
	equal(f, "id", f.refund(1).ID, refundID(1))
	equal(f, "rekeys", f.refund(1).Rekeys, 0)
	f.answered(1, 7, receiver.StatusClash)
	f.recordRefunds(call, call)
	equal(f, "rekeyed once", f.refund(1).Rekeys, 1)
}

func answerAboutOldID(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	old := f.calling(1)
	f.answered(1, 7, receiver.StatusClash)
	call := f.call(1)
	call.NewID = refundID(8)
	f.recordRefunds(call)
	f.calling(1)
	for _, late := range []receiver.RefundCall{
		{ReturnID: returnID(7), Status: receiver.StatusClash}, {ReturnID: returnID(7), Status: pix.RefundReturned}, {Refused: true}, {},
	} {
		late.Ref, late.ID, late.Now, late.DueAt = refundRef(1), old.ID, f.now(), f.now().Add(24*time.Hour)
		f.recordRefunds(late)
		x := f.refundIn(1, receiver.RefundReserved)
		equal(f, "clash", x.Clash, false)
		equal(f, "rtrId", x.ReturnID, "")
		sameTime(f, "due at", x.DueAt, f.now().Add(lease))
	}
	now := f.call(1)
	now.ID, now.ReturnID, now.Status = refundID(8), returnID(9), pix.RefundReturned
	equal(f, "of the id it has", f.recordRefunds(now)[0].State, receiver.RefundReturned)
}

func sameReturnIDElsewhere(f *fixture) {
	f.paid(1, 1000)
	f.paid(2, 1000)
	f.returned(1, 1, 100, 7)
	f.returned(2, 2, 100, 7)
	equal(f, "clash", f.refund(2).Clash, false)
}

func refundCallAboutNothing(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	call := f.call(1)
	call.ReturnID, call.Status = returnID(1), pix.RefundReturned
	nothing := f.call(2)
	nothing.Refused = true
	out := f.recordRefunds(nothing, call)
	equal(f, "of nothing", out[0].Reference, "")
	equal(f, "neighbour", out[1].State, receiver.RefundReturned)
}
