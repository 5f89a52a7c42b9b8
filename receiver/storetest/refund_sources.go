package storetest

import (
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundSourceOutcomes() []outcome {
	return []outcome{
		{"money owed to the payer goes first, revenue last, and all comes back", sourcesInOrder},
		{"money in suspense leaves its case and comes back to it", sourceSuspense},
		{"a case closed meanwhile opens again for money that comes back", sourceCaseReopened},
		{"money of an unidentified Pix that was refunded in part is attached in the rest", sourceAttachRest},
		{"an unidentified Pix that was refunded whole has nothing to attach", sourceAttachNothing},
		{"a late txid of a Pix that was refunded whole is kept and moves nothing", sourceLateTxID},
		{"money that a case's closing moved is refunded from where it went", sourceAfterClosing},
		{"money adjusted away cannot be refunded", sourceAdjustedAway},
	}
}

// drawn wants refund n to have these sources.
func (f *fixture) drawn(n int, want ...receiver.Part) {
	f.Helper()
	if got := f.refund(n).Source; !slices.Equal(got, want) {
		f.Errorf("sources: got %+v, want %+v", got, want)
	}
}

func sourcesInOrder(f *fixture) {
	f.charged(1, 700)
	f.booked(f.credit(1, 1, 1000))
	f.reserved(1, 1, 200)
	f.drawn(1, receiver.Part{Account: receiver.AccountToReturn, Cents: 200})
	f.reserved(2, 1, 500)
	f.drawn(2, receiver.Part{Account: receiver.AccountToReturn, Cents: 100}, receiver.Part{Account: receiver.AccountRefunds, Cents: 400})
	f.holds(1, receiver.Holdings{Revenue: 300}, 700, 0)
	f.calling(1)
	f.calling(2)
	f.refusedRefund(2)
	f.holds(1, receiver.Holdings{Revenue: 700, ToReturn: 100}, 200, 0)
	f.answered(1, 1, pix.RefundReturned)
	f.toldRefund(f.med(1, 2, 150), receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{Revenue: 650}, 0, 350)
	f.noCase()
}

func sourceSuspense(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 400))
	f.booked(f.credit(2, 0, 500))
	divergent, unidentified := receiver.DivergenceCase(e2e(1)), receiver.UnidentifiedCase(e2e(2))
	f.reserved(1, 1, 300)
	f.reserved(2, 2, 200)
	f.drawn(1, receiver.Part{Account: receiver.AccountDivergence, Cents: 300})
	f.drawn(2, receiver.Part{Account: receiver.AccountUnidentified, Cents: 200})
	f.caseIs(divergent, receiver.CaseOpen, receiver.AccountDivergence, 100, receiver.ReasonUnderpaid, receiver.ReasonRefunded)
	f.caseIs(unidentified, receiver.CaseOpen, receiver.AccountUnidentified, 300, receiver.ReasonUnidentified, receiver.ReasonRefunded)
	f.calling(1)
	f.calling(2)
	for range 2 {
		f.refusedRefund(1)
		f.refusedRefund(2)
	}
	f.caseIs(divergent, receiver.CaseOpen, receiver.AccountDivergence, 400,
		receiver.ReasonUnderpaid, receiver.ReasonRefunded, receiver.ReasonRefundPutBack)
	f.caseIs(unidentified, receiver.CaseOpen, receiver.AccountUnidentified, 500,
		receiver.ReasonUnidentified, receiver.ReasonRefunded, receiver.ReasonRefundPutBack)
	f.holds(1, receiver.Holdings{Divergent: 400}, 0, 0)
	f.toldRefund(f.med(2, 1, 500), receiver.ApplyBooked, "")
	f.caseIs(unidentified, receiver.CaseOpen, receiver.AccountUnidentified, 0,
		receiver.ReasonUnidentified, receiver.ReasonRefunded, receiver.ReasonRefundPutBack)
	f.holds(2, receiver.Holdings{}, 0, 500)
}

func sourceCaseReopened(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 400))
	f.reserved(1, 1, 300)
	f.calling(1)
	id := receiver.DivergenceCase(e2e(1))
	f.closed(id, receiver.AccountRevenue, true)
	f.holds(1, receiver.Holdings{Revenue: 100}, 300, 0)
	f.answered(1, 1, pix.RefundFailed)
	f.holds(1, receiver.Holdings{Revenue: 100, Divergent: 300}, 0, 0)
	f.caseIs(id, receiver.CaseOpen, receiver.AccountDivergence, 300,
		receiver.ReasonUnderpaid, receiver.ReasonRefunded, receiver.ReasonRefundPutBack)
	f.closed(id, receiver.AccountToReturn, true)
	f.holds(1, receiver.Holdings{Revenue: 100, ToReturn: 300}, 0, 0)
	f.settled(1, 100, "")
}

func sourceAttachRest(f *fixture) {
	f.booked(f.credit(1, 5, 1000))
	f.returned(1, 1, 300, 1)
	f.create(f.newCharge(5, 700))
	f.settled(5, 700, e2e(1))
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionExact)
	equal(f, "state", f.cases()[0].State, receiver.CaseClosed)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func sourceAttachNothing(f *fixture) {
	f.booked(f.credit(1, 5, 1000))
	f.returned(1, 1, 1000, 1)
	f.create(f.newCharge(5, 1000))
	f.settled(5, 0, "")
	f.refused(f.attach(1, 5))
	f.holds(1, receiver.Holdings{}, 0, 1000)
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionUnidentified)
	f.told(1, receiver.OutboxUnidentified, receiver.OutboxRefunded)
	f.credited(f.credit(2, 5, 1000))
	f.settled(5, 1000, e2e(2))
}

func sourceLateTxID(f *fixture) {
	f.charged(5, 1000)
	other := f.item(f.credit(2, 5, 1000))
	other.Source = "another psp"
	for n := 1; n <= 2; n++ {
		f.booked(f.credit(n, 0, 1000))
		f.returned(n, n, 1000, n)
	}
	f.appended(f.item(f.credit(1, 5, 1000)), receiver.AppendEnriched)
	f.appended(other, receiver.AppendNew)
	f.applied(f.claimed(), nil, receiver.ApplyKnown)
	f.settled(5, 0, "")
	for n := 1; n <= 2; n++ {
		equal(f, "txid", f.payment(n).TxID, txid(5))
		equal(f, "disposition", f.payment(n).Disposition, receiver.DispositionUnidentified)
	}
	count(f, "outbox", f.sent(), 4)
}

func sourceAfterClosing(f *fixture) {
	f.booked(f.credit(1, 0, 1000))
	f.closed(receiver.UnidentifiedCase(e2e(1)), receiver.AccountToReturn, true)
	f.reserved(1, 1, 400)
	f.drawn(1, receiver.Part{Account: receiver.AccountToReturn, Cents: 400})
	f.booked(f.credit(2, 0, 1000))
	f.closed(receiver.UnidentifiedCase(e2e(2)), receiver.AccountRevenue, true)
	f.reserved(2, 2, 1000)
	f.drawn(2, receiver.Part{Account: receiver.AccountRefunds, Cents: 1000})
	f.calling(1)
	f.calling(2)
	f.refusedRefund(1)
	f.refusedRefund(2)
	f.holds(1, receiver.Holdings{ToReturn: 1000}, 0, 0)
	f.holds(2, receiver.Holdings{Revenue: 1000}, 0, 0)
	for _, c := range f.cases() {
		equal(f, "case", c.State, receiver.CaseClosed)
	}
}

func sourceAdjustedAway(f *fixture) {
	f.paid(1, 1000)
	f.paid(2, 1000)
	f.adjusted(1, 300, receiver.MatchDivergent, true)
	f.holds(1, receiver.Holdings{Revenue: 1000, Divergent: -700}, 0, 0)
	f.notReserved(1, 1, 301, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.reserved(1, 1, 300)
	f.holds(1, receiver.Holdings{Revenue: 700, Divergent: -700}, 300, 0)
	f.calling(1)
	f.refusedRefund(1)
	f.holds(1, receiver.Holdings{Revenue: 1000, Divergent: -700}, 0, 0)
}
