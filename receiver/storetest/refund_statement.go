package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundLineOutcomes() []outcome {
	return []outcome{
		{"a refund's line that the ledger has is OK", refundLineOK},
		{"a refund's line without a booking is FALTA_NO_LEDGER", refundLineMissing},
		{"a refund's line of another amount is VALOR_DIVERGENTE and is adjusted", refundLineDivergent},
		{"a refund's line is EM_VOO while an event about a refund is worked on", refundLineEventInFlight},
		{"a refund's line is EM_VOO while a call of ours for as much has no answer", refundLineCallInFlight},
		{"a Pix' credit and its refunds are lines of their own", refundLinesApart},
		{"a refunded Pix is still expected in the statement", refundedUnseen},
		{"a failed refund that the statement holds is adjusted, with a case", refundLineFailed},
		{"unseen refunds are listed by their end and rtrId, after a cursor", unseenRefundPages},
		{"a refund whose line was seen is unseen no more", unseenRefundUntilSeen},
		{"a return that never settled is taken back, with a case", refundTakenBack},
		{"one rtrId on two Pix is two lines and two cases", refundLinesOfOneReturnID},
	}
}

func refundLineOK(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 300, 1)
	equal(f, "seen before", f.refund(1).InStatement, false)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	equal(f, "seen", f.refund(1).InStatement, true)
	f.toldRefund(f.med(1, 2, 200), receiver.ApplyBooked, "")
	f.refundMatched(1, 2, 200, receiver.MatchOK, -200)
	equal(f, "the credit is not", f.payment(1).InStatement, false)
}

func refundLineMissing(f *fixture) {
	f.refundMatched(1, 1, 300, receiver.MatchMissingInLedger, 0)
	f.paid(1, 1000)
	f.refundMatched(1, 1, 300, receiver.MatchMissingInLedger, 0)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.refusedRefund(1)
	f.refundMatched(1, 1, 300, receiver.MatchMissingInLedger, 0)
}

func refundLineDivergent(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 300, 1)
	f.refundMatched(1, 1, 200, receiver.MatchDivergent, -300)
	equal(f, "seen", f.refund(1).InStatement, false)
	a := receiver.Adjustment{EndToEndID: e2e(1), ReturnID: returnID(1), Want: -200, Reason: receiver.MatchDivergent, Now: f.now()}
	for _, want := range []bool{true, false} {
		out, err := f.store.PostAdjustments(f.ctx(), []receiver.Adjustment{a})
		equal(f, "adjusted", must(f, out, err)[0], want)
	}
	f.holds(1, receiver.Holdings{Revenue: 700, Divergent: 100}, 0, 300)
	f.caseIs(receiver.RefundCase(e2e(1), refundID(1)), receiver.CaseOpen, receiver.AccountDivergence, 100, receiver.ReasonAmountDiffers)
	equal(f, "seen once it is adjusted", f.refund(1).InStatement, true)
	equal(f, "net", f.lineNet(1, 1), pix.Amount(-200))
	a.Want = -250
	out, err := f.store.PostAdjustments(f.ctx(), []receiver.Adjustment{a})
	equal(f, "adjusted again", must(f, out, err)[0], true)
	f.holds(1, receiver.Holdings{Revenue: 700, Divergent: 50}, 0, 300)
	f.adjusted(1, 1000, receiver.MatchDivergent, false)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

// lineNet is the ledger's net for the PSP's refund r of Pix p.
func (f *fixture) lineNet(p, r int) pix.Amount {
	f.Helper()
	line := f.line(p, 1)
	line.Kind, line.ID = pix.KindRefundOut, string(returnID(r))
	return f.match(line)[0].Ledger
}

func refundLineEventInFlight(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	f.append(f.refundItem(c), f.refundItem(f.med(2, 2, 300)))
	f.refundMatched(1, 1, 300, receiver.MatchInFlight, 0)
	f.refundMatched(1, 7, 50, receiver.MatchInFlight, 0)
	f.appliedRefund(f.claimed(), &c, receiver.ApplyBooked, "")
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	f.refundMatched(1, 7, 50, receiver.MatchMissingInLedger, 0)
	f.refundMatched(2, 2, 300, receiver.MatchInFlight, 0)
	f.deferred(f.claimed(), receiver.Deferral{Quarantine: receiver.QuarantineWaiting}, true)
	f.refundMatched(2, 2, 300, receiver.MatchMissingInLedger, 0)
}

func refundLineCallInFlight(f *fixture) {
	f.paid(1, 1000)
	f.paid(2, 1000)
	f.reserved(1, 1, 300)
	f.calling(1)
	f.refundMatched(1, 1, 300, receiver.MatchInFlight, 0)
	f.refundMatched(1, 1, 299, receiver.MatchMissingInLedger, 0)
	f.refundMatched(2, 1, 300, receiver.MatchMissingInLedger, 0)
	f.answered(1, 1, pix.RefundProcessing)
	f.refundMatched(1, 1, 300, receiver.MatchInFlight, 0)
	f.refundMatched(1, 2, 300, receiver.MatchMissingInLedger, 0)
	f.answered(1, 1, pix.RefundReturned)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
}

func refundLinesApart(f *fixture) {
	f.paid(1, 1000)
	f.append(f.refundItem(f.med(1, 1, 300)))
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.append(f.item(f.credit(2, 0, 500)))
	f.matched(2, 500, receiver.MatchInFlight, 0)
	f.refundMatched(2, 2, 100, receiver.MatchMissingInLedger, 0)
	f.returned(1, 1, 1000, 3)
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.matched(1, 999, receiver.MatchDivergent, 1000)
	equal(f, "net of the refund", f.lineNet(1, 3), pix.Amount(-1000))
}

func refundedUnseen(f *fixture) {
	f.paid(1, 1000)
	f.returned(1, 1, 1000, 1)
	f.refundMatched(1, 1, 1000, receiver.MatchOK, -1000)
	count(f, "unseen", f.unseen(), 1)
}
