package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func adjustmentOutcomes() []outcome {
	return []outcome{
		{"a statement below the ledger takes from suspense", adjustDown},
		{"a statement above the ledger adds to suspense", adjustUp},
		{"money that never settled is reversed", adjustPhantom},
		{"a case is adjusted again when the statement differs again", adjustAgain},
		{"an adjustment vouches for the payment, its mere difference does not", adjustConfirms},
		{"nothing is adjusted where nothing differs or nothing is booked", adjustNothing},
	}
}

// adjusted adjusts Pix n and wants that answer.
func (f *fixture) adjusted(n int, want pix.Amount, reason receiver.MatchClass, moved bool) {
	f.Helper()
	out, err := f.store.PostAdjustments(f.ctx(), []receiver.Adjustment{
		{EndToEndID: e2e(n), Want: want, Reason: reason, Now: f.now()},
	})
	equal(f, "adjusted", must(f, out, err)[0], moved)
}

func adjustDown(f *fixture) {
	f.charged(1, 19800)
	f.credited(f.credit(1, 1, 19800))
	f.adjusted(1, 198, receiver.MatchDivergent, true)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, 198-19800, receiver.ReasonAmountDiffers)
	equal(f, "amount as booked", f.payment(1).Amount, pix.Amount(19800))
	f.told(1, receiver.OutboxCredited, receiver.OutboxAdjusted)
	f.matched(1, 198, receiver.MatchOK, 198)
}

func adjustUp(f *fixture) {
	f.charged(1, 198)
	f.credited(f.credit(1, 1, 198))
	f.adjusted(1, 19800, receiver.MatchDivergent, true)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, 19800-198, receiver.ReasonAmountDiffers)
	f.matched(1, 19800, receiver.MatchOK, 19800)
	f.settled(1, 198, e2e(1))
}

func adjustPhantom(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.adjusted(1, 0, receiver.MatchMissingAtPSP, true)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, -1000, receiver.ReasonPhantom)
	count(f, "expected in the statement", f.unseen(), 0)
	f.adjusted(1, 0, receiver.MatchMissingAtPSP, false)
	f.told(1, receiver.OutboxCredited, receiver.OutboxAdjusted)
}

func adjustAgain(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	out, err := f.store.PostAdjustments(f.ctx(), []receiver.Adjustment{
		{EndToEndID: e2e(1), Want: 900, Reason: receiver.MatchDivergent, Now: f.now()},
		{EndToEndID: e2e(1), Want: 900, Reason: receiver.MatchDivergent, Now: f.now()},
		{EndToEndID: e2e(1), Want: 800, Reason: receiver.MatchDivergent, Now: f.now()},
	})
	must(f, out, err)
	equal(f, "answers", [3]bool(out), [3]bool{true, false, true})
	f.adjusted(1, 1000, receiver.MatchDivergent, true)
	f.adjusted(1, 1000, receiver.MatchDivergent, false)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, 0, receiver.ReasonAmountDiffers)
	f.told(1, receiver.OutboxCredited, receiver.OutboxAdjusted, receiver.OutboxAdjusted, receiver.OutboxAdjusted)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func adjustConfirms(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.matched(1, 900, receiver.MatchDivergent, 1000)
	equal(f, "confirmed by the difference", f.payment(1).Confirmed, false)
	f.adjusted(1, 900, receiver.MatchDivergent, true)
	p := f.payment(1)
	equal(f, "confirmed by the adjustment", p.Confirmed, true)
	equal(f, "held", p.Held, receiver.Holdings{Revenue: 1000, Divergent: -100})
}

func adjustNothing(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.adjusted(1, 1000, receiver.MatchDivergent, false)
	f.adjusted(2, 1000, receiver.MatchDivergent, false)
	f.noCase()
	f.told(1, receiver.OutboxCredited)
}
