package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundEndOutcomes() []outcome {
	return []outcome{
		{"a returned refund leaves the account and is told once", endReturned},
		{"a refused refund puts its money back once", endRefused},
		{"a refund that failed at the PSP puts its money back once", endFailed},
		{"a refund moves forward only", endForward},
		{"what the PSP has under an rtrId cannot be refused", endRefusedLate},
		{"a status without an rtrId is no answer", endWithoutReturnID},
		{"money put back can be asked for again", endAgain},
		{"one intention is one amount out, however often it is told", endDebitsOnce},
	}
}

func endReturned(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.clock.pass(time.Second)
	x := f.answered(1, 1, pix.RefundReturned)
	equal(f, "rtrId", x.ReturnID, returnID(1))
	sameTime(f, "finished at", x.FinishedAt, f.now())
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	equal(f, "events told", f.payment(1).Events, 2)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.settled(1, 1000, e2e(1))
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func endRefused(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	for range 3 {
		x := f.refusedRefund(1)
		equal(f, "state", x.State, receiver.RefundFailed)
		equal(f, "problem", x.Problem, "no")
	}
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefundFailed)
	f.idle(receiver.QueueRefunds)
	f.noCase()
}

func endFailed(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	for range 3 {
		f.answered(1, 1, pix.RefundFailed)
	}
	f.refundIn(1, receiver.RefundFailed)
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefundFailed)
	f.refundMatched(1, 1, 300, receiver.MatchDivergent, 0)
}

func endForward(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 300, 1)
	f.reserved(2, 1, 200)
	f.calling(2)
	f.refusedRefund(2)
	for n, want := range map[int]receiver.RefundState{1: receiver.RefundReturned, 2: receiver.RefundFailed} {
		before := f.refund(n)
		for _, status := range []pix.RefundStatus{pix.RefundProcessing, pix.RefundFailed, pix.RefundReturned, receiver.StatusClash} {
			f.answered(n, n, status)
		}
		f.refusedRefund(n)
		f.recordRefunds(f.call(n))
		x := f.refundIn(n, want)
		equal(f, "clash", x.Clash, false)
		equal(f, "rtrId", x.ReturnID, before.ReturnID)
		sameTime(f, "due at", x.DueAt, before.DueAt)
	}
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefundFailed)
}

func endRefusedLate(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	f.refusedRefund(1)
	f.refundIn(1, receiver.RefundProcessing)
	f.holds(1, receiver.Holdings{Revenue: 700}, 300, 0)
	f.answered(1, 2, pix.RefundReturned)
	equal(f, "rtrId", f.refundIn(1, receiver.RefundProcessing).ReturnID, returnID(1))
}

func endWithoutReturnID(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	call := f.call(1)
	call.Status = pix.RefundReturned
	f.recordRefunds(call)
	f.refundIn(1, receiver.RefundReserved)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func endAgain(f *fixture) {
	f.paid(1, 10000)
	f.reserved(1, 1, 6000)
	f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	f.notReserved(2, 1, 5000, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.answered(1, 1, pix.RefundFailed)
	f.returned(2, 1, 5000, 2)
	f.holds(1, receiver.Holdings{Revenue: 5000}, 0, 5000)
}

func endDebitsOnce(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	x := f.calling(1)
	for range 3 {
		f.answered(1, 1, pix.RefundReturned)
	}
	c := f.content(1, x.ID, 1, 300, pix.RefundReturned)
	f.toldRefund(c, receiver.ApplyKnown, "")
	f.appended(f.sweptRefund(c), receiver.AppendKnown)
	f.repairedRefund(c, receiver.ApplyKnown)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.noCase()
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
}
