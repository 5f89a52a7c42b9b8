package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// unseenRefunds are all returned refunds that no line of the statement vouches for.
func (f *fixture) unseenRefunds() []receiver.Refund {
	f.Helper()
	out, err := f.store.UnseenRefunds(f.ctx(), receiver.UnseenRefundQuery{FinishedBefore: f.now().Add(24 * time.Hour), Limit: 1000})
	return must(f, out, err)
}

// refundAdjusted brings the line of the PSP's refund r of Pix p to want, and
// wants that answer.
func (f *fixture) refundAdjusted(p, r int, want pix.Amount, reason receiver.MatchClass, moved bool) {
	f.Helper()
	out, err := f.store.PostAdjustments(f.ctx(), []receiver.Adjustment{
		{EndToEndID: e2e(p), ReturnID: returnID(r), Want: want, Reason: reason, Now: f.now()},
	})
	equal(f, "adjusted", must(f, out, err)[0], moved)
}

func refundLineFailed(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	f.answered(1, 1, pix.RefundFailed)
	f.refundMatched(1, 1, 300, receiver.MatchDivergent, 0)
	f.refundAdjusted(1, 1, -300, receiver.MatchDivergent, true)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	x := f.refundIn(1, receiver.RefundFailed)
	equal(f, "seen", x.InStatement, true)
	f.holds(1, receiver.Holdings{Revenue: 1000, Divergent: -300}, 0, 0)
	f.caseIs(receiver.RefundCase(e2e(1), x.ID), receiver.CaseOpen, receiver.AccountDivergence, -300, receiver.ReasonAmountDiffers)
	f.notReserved(2, 1, 701, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefundFailed, receiver.OutboxAdjusted)
	count(f, "unseen", f.unseenRefunds(), 0)
}

func unseenRefundPages(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 10, 9)
	f.clock.pass(time.Second)
	f.returned(2, 1, 10, 4)
	f.toldRefund(f.med(1, 3, 10), receiver.ApplyBooked, "")
	f.clock.pass(time.Second)
	f.returned(3, 1, 10, 1)
	f.reserved(4, 1, 10)
	q := receiver.UnseenRefundQuery{FinishedBefore: start().Add(time.Second), Limit: 2}
	var got []pix.ReturnID
	for range 3 {
		page, err := f.store.UnseenRefunds(f.ctx(), q)
		for _, x := range must(f, page, err) {
			got = append(got, x.ReturnID)
			q.AfterFinished, q.AfterID = x.FinishedAt, x.ReturnID
		}
	}
	count(f, "unseen", got, 3)
	equal(f, "in order", [3]pix.ReturnID(got), [3]pix.ReturnID{returnID(9), returnID(3), returnID(4)})
	q = receiver.UnseenRefundQuery{FinishedBefore: f.now()}
	all, err := f.store.UnseenRefunds(f.ctx(), q)
	count(f, "without a limit", must(f, all, err), 4)
	equal(f, "origin of the PSP's own", all[1].Origin, receiver.RefundByPSP)
	all[0].Source[0].Cents = 1
	equal(f, "what was handed out is a copy", f.refund(1).Source[0].Cents, pix.Amount(10))
}

func unseenRefundUntilSeen(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 100, 1)
	f.toldRefund(f.med(1, 2, 100), receiver.ApplyBooked, "")
	f.reserved(2, 1, 100)
	f.calling(2)
	f.answered(2, 3, pix.RefundProcessing)
	f.repairedRefund(f.med(1, 4, 100), receiver.ApplyBooked)
	f.repairedRefund(f.content(1, refundID(2), 3, 100, pix.RefundReturned), receiver.ApplyBooked)
	count(f, "unseen", f.unseenRefunds(), 4)
	for r := range 4 {
		if r+1 != 2 {
			f.refundMatched(1, r+1, 100, receiver.MatchOK, -100)
		}
	}
	left := f.unseenRefunds()
	count(f, "unseen", left, 1)
	equal(f, "unseen", left[0].ReturnID, returnID(2))
	f.refundAdjusted(1, 2, -50, receiver.MatchDivergent, true)
	count(f, "unseen", f.unseenRefunds(), 0)
}

func refundTakenBack(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 300, 1)
	f.toldRefund(f.med(1, 2, 100), receiver.ApplyBooked, "")
	for _, moved := range []bool{true, false} {
		f.refundAdjusted(1, 1, 0, receiver.MatchMissingAtPSP, moved)
		f.refundAdjusted(1, 2, 0, receiver.MatchMissingAtPSP, moved)
	}
	f.holds(1, receiver.Holdings{Revenue: 600, Divergent: 400}, 0, 400)
	f.caseIs(receiver.RefundCase(e2e(1), refundID(1)), receiver.CaseOpen, receiver.AccountDivergence, 300, receiver.ReasonPhantom)
	f.caseIs(receiver.RefundCase(e2e(1), "M2"), receiver.CaseOpen, receiver.AccountDivergence, 100, receiver.ReasonPhantom)
	f.refundIn(1, receiver.RefundReturned)
	count(f, "expected in the statement", f.unseenRefunds(), 0)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded, receiver.OutboxAdjusted, receiver.OutboxAdjusted)
	f.refundMatched(1, 1, 300, receiver.MatchDivergent, 0) // it came after all
	f.refundAdjusted(1, 1, -300, receiver.MatchDivergent, true)
	f.caseIs(receiver.RefundCase(e2e(1), refundID(1)), receiver.CaseOpen, receiver.AccountDivergence, 0,
		receiver.ReasonPhantom, receiver.ReasonAmountDiffers)
	f.refundAdjusted(1, 7, -300, receiver.MatchDivergent, false) // no such refund
}

func refundLinesOfOneReturnID(f *fixture) {
	for p := 1; p <= 2; p++ {
		f.paid(p, 1000)
		f.returned(p, p, 100, 7)
	}
	count(f, "unseen", f.unseenRefunds(), 2)
	f.refundAdjusted(2, 7, 0, receiver.MatchMissingAtPSP, true)
	left := f.unseenRefunds()
	count(f, "unseen", left, 1)
	equal(f, "unseen", left[0].EndToEndID, e2e(1))
	f.refundAdjusted(1, 7, 0, receiver.MatchMissingAtPSP, true)
	for p := 1; p <= 2; p++ {
		f.caseIs(receiver.RefundCase(e2e(p), refundID(p)), receiver.CaseOpen, receiver.AccountDivergence, 100, receiver.ReasonPhantom)
		f.holds(p, receiver.Holdings{Revenue: 900, Divergent: 100}, 0, 100)
	}
}
