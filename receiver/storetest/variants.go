package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func variantOutcomes() []outcome {
	return []outcome{
		{"other content under a known key is kept with a case", variantKept},
		{"each other content is kept once", variantOnce},
		{"amount, key and txid are content, the instant is not", whatIsContent},
		{"the PSP's word takes the place of other content not booked yet", confirmedTakesOver},
		{"the PSP's word takes over quarantined events too", confirmedTakesOverAside},
		{"a variant that the PSP then vouches for takes over", keptVariantConfirmed},
		{"the PSP's other word on booked money changes nothing booked", confirmedAfterBooking},
		{"a case that exists is joined, not doubled", variantJoinsCase},
	}
}

func (f *fixture) variantCase(n int) {
	f.Helper()
	f.caseIs(receiver.DivergenceCase(e2e(n)), receiver.CaseOpen, "", 0, receiver.ReasonVariant)
}

func variantKept(f *fixture) {
	id := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew).EventID
	out := f.appended(f.item(f.credit(1, 1, 9999)), receiver.AppendVariant)
	equal(f, "id", out.EventID, id)
	equal(f, "confirmed", out.Confirmed, false)
	equal(f, "content", f.event(id).Credit.Amount, pix.Amount(1000))
	f.variantCase(1)
	count(f, "cases", f.cases(), 1)
}

func variantOnce(f *fixture) {
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew)
	f.appended(f.item(f.credit(1, 1, 2000)), receiver.AppendVariant)
	f.appended(f.item(f.credit(1, 1, 3000)), receiver.AppendVariant)
	for _, cents := range []pix.Amount{1000, 2000, 3000} {
		f.appended(f.item(f.credit(1, 1, cents)), receiver.AppendKnown)
	}
	f.variantCase(1)
}

func whatIsContent(f *fixture) {
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew)
	other := f.credit(1, 1, 1000)
	other.PaidAt = start().AddDate(0, 0, -1)
	f.appended(f.item(other), receiver.AppendKnown)
	other.PixKey = foreignKey
	f.appended(f.item(other), receiver.AppendVariant)
	f.appended(f.item(f.credit(1, 2, 1000)), receiver.AppendVariant)
}

func confirmedTakesOver(f *fixture) {
	f.charged(1, 1000)
	id := f.appended(f.item(f.credit(1, 1, 700)), receiver.AppendNew).EventID
	out := f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendVariant)
	equal(f, "confirmed", out.Confirmed, true)
	e := f.inState(id, receiver.EventReceived)
	equal(f, "content", e.Credit.Amount, pix.Amount(1000))
	equal(f, "stored as confirmed", e.Confirmed, true)
	f.variantCase(1)
	f.appended(f.item(f.credit(1, 1, 700)), receiver.AppendKnown)
	f.applied(f.claimed(), nil, receiver.ApplyBooked)
	f.settled(1, 1000, e2e(1))
	equal(f, "payment confirmed", f.payment(1).Confirmed, true)
}

func confirmedTakesOverAside(f *fixture) {
	bad := f.aside(f.credit(1, 1, 700), receiver.QuarantineBad)
	waiting := f.aside(f.credit(2, 2, 700), receiver.QuarantineWaiting)
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendVariant)
	f.appended(f.swept(f.credit(2, 2, 1000)), receiver.AppendVariant)
	equal(f, "bad content", f.inState(bad, receiver.EventQuarantined).Credit.Amount, pix.Amount(1000))
	equal(f, "waiting content", f.inState(waiting, receiver.EventReceived).Credit.Amount, pix.Amount(1000))
}

func keptVariantConfirmed(f *fixture) {
	id := f.appended(f.item(f.credit(1, 1, 700)), receiver.AppendNew).EventID
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendVariant)
	out := f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendVariant)
	equal(f, "confirmed", out.Confirmed, true)
	equal(f, "content", f.event(id).Credit.Amount, pix.Amount(1000))
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.appended(f.item(f.credit(1, 1, 700)), receiver.AppendKnown)
}

func confirmedAfterBooking(f *fixture) {
	f.charged(1, 1000)
	id := f.credited(f.credit(1, 1, 1000))
	out := f.appended(f.swept(f.credit(1, 1, 10)), receiver.AppendVariant)
	equal(f, "confirmed", out.Confirmed, false)
	e := f.inState(id, receiver.EventProcessed)
	equal(f, "content", e.Credit.Amount, pix.Amount(1000))
	equal(f, "payment confirmed", f.payment(1).Confirmed, false)
	equal(f, "payment amount", f.payment(1).Amount, pix.Amount(1000))
	f.variantCase(1)
	f.appended(f.swept(f.credit(1, 1, 10)), receiver.AppendKnown)
	f.told(1, receiver.OutboxCredited)
}

func variantJoinsCase(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 400))
	f.appended(f.item(f.credit(1, 1, 500)), receiver.AppendVariant)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseOpen, receiver.AccountDivergence, 400,
		receiver.ReasonUnderpaid, receiver.ReasonVariant)
	count(f, "cases", f.cases(), 1)
}
