package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func payoutEventOutcomes() []outcome {
	return []outcome{
		{"news of a payout is booked on the PSP's word alone", payoutNews},
		{"a state of a payout that is not final moves nothing", payoutNewsOpen},
		{"whoever hears of a payout's end first books it", payoutNewsTwice},
		{"a return is an entry of its own, once", payoutReturned},
		{"a return before the payout's end brings the end with it", payoutReturnFirst},
		{"more cannot come back than went out", payoutOverReturned},
		{"a rejection after the confirmation is ignored and opens a case", payoutUndone},
		{"news of a payout that nobody asked for is set aside with a case", payoutUnasked},
		{"another amount or payee under our key opens a case and moves nothing", payoutOther},
		{"what the PSP denies of a payout waits", payoutDenied},
		{"other content under a payout's key is kept with a case", payoutVariant},
		{"a payout's line waits for its call and for its news", payoutLineInFlight},
		{"a payout and a return that only the statement knew are booked with a case", payoutRepaired},
		{"a payout that counts as failed and stands in the statement is booked against suspense", payoutAfterAll},
		{"each return of a payout has a line of its own", payoutLines},
		{"of twenty payouts asked for at once, what fits is reserved", payoutsAtOnce},
		{"one payout asked for by many is reserved once", samePayoutAtOnce},
		{"one end of a payout told by many is booked once", payoutEndAtOnce},
		{"each open payout is leased by one of many", leasePayoutsAtOnce},
	}
}

func payoutNews(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	c := f.payoutContent(1, 600, pix.PayoutConfirmed)
	f.appended(f.payoutItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedPayout(e, nil, receiver.ApplyConfirm, "")
	f.payoutIn(1, receiver.PayoutReserved)
	f.appliedPayout(e, &c, receiver.ApplyBooked, "")
	f.payoutIn(1, receiver.PayoutConfirmed)
	f.inState(e.ID, receiver.EventProcessed)
	f.notPaying(2, 401)
	f.noCase()
}

func payoutNewsOpen(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.toldPayout(f.payoutContent(1, 600, pix.PayoutProcessing), receiver.ApplyKnown, "")
	f.toldPayout(f.payoutContent(1, 600, "QUEM_SABE"), receiver.ApplyKnown, "")
	f.payoutIn(1, receiver.PayoutReserved)
}

func payoutNewsTwice(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	c := f.payoutContent(1, 600, pix.PayoutConfirmed)
	f.appended(f.payoutItem(c), receiver.AppendNew)
	f.appliedPayout(f.claimed(), nil, receiver.ApplyKnown, "")
	f.appended(f.payoutItem(c), receiver.AppendKnown)
	f.paying(2, 100)
	f.sending(2)
	f.toldPayout(f.payoutContent(2, 100, pix.PayoutRejected), receiver.ApplyBooked, "")
	equal(f, "state", f.payoutAnswered(2, pix.PayoutRejected).State, receiver.PayoutFailed)
	f.paying(3, 400)
	f.notPaying(4, 1)
	f.noCase()
}

func payoutReturned(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 1000)
	f.notPaying(2, 1)
	f.toldPayout(f.comeBack(1, 1, 300), receiver.ApplyBooked, "")
	f.appended(f.payoutItem(f.comeBack(1, 1, 300)), receiver.AppendKnown)
	f.toldPayout(f.comeBack(1, 2, 700), receiver.ApplyBooked, "")
	x := f.payoutIn(1, receiver.PayoutConfirmed)
	equal(f, "came back", x.Returned(), 1000)
	count(f, "returns", x.Returns, 2)
	f.notPaying(2, 1001)
	f.paying(2, 1000)
	f.noCase()
}

func payoutReturnFirst(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	f.toldPayout(f.comeBack(1, 1, 600), receiver.ApplyBooked, "")
	x := f.payoutIn(1, receiver.PayoutConfirmed)
	equal(f, "came back", x.Returned(), 600)
	equal(f, "endToEndId", x.EndToEndID, sentID(1))
	f.toldPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyKnown, "")
	f.paying(2, 1000)
}

func payoutOverReturned(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	f.toldPayout(f.comeBack(1, 1, 600), receiver.ApplyBooked, "")
	f.toldPayout(f.comeBack(1, 2, 1), receiver.ApplyKnown, "")
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, "", 0, receiver.ReasonOverReturned)
	f.notPaying(2, 1001)
}

func payoutUndone(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	late := f.payoutContent(1, 600, pix.PayoutRejected)
	f.appended(f.payoutItem(late), receiver.AppendNew)
	e := f.claimed()
	f.appliedPayout(e, nil, receiver.ApplyConfirm, "")
	word := f.payoutContent(1, 600, pix.PayoutConfirmed)
	f.appliedPayout(e, &word, receiver.ApplyKnown, "")
	f.payoutIn(1, receiver.PayoutConfirmed)
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, "", 0, receiver.ReasonVariant)
	f.notPaying(2, 401)

	f.paying(2, 100)
	f.sending(2)
	f.payoutAnswered(2, pix.PayoutRejected)
	f.toldPayout(f.payoutContent(2, 100, pix.PayoutConfirmed), receiver.ApplyKnown, "")
	f.payoutIn(2, receiver.PayoutFailed)
	f.caseIs(receiver.PayoutCase(payoutKey(2)), receiver.CaseOpen, "", 0, receiver.ReasonPayoutUndone)
}

func payoutUnasked(f *fixture) {
	e := f.toldPayout(f.payoutContent(9, 600, pix.PayoutConfirmed), receiver.ApplyAside, receiver.ReasonNoPayout)
	equal(f, "kind", f.inState(e.ID, receiver.EventQuarantined).Quarantine, receiver.QuarantineWaiting)
	f.caseIs(receiver.PayoutCase(payoutKey(9)), receiver.CaseOpen, "", 0, receiver.ReasonNoPayout)
}

func payoutOther(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.toldPayout(f.payoutContent(1, 601, pix.PayoutConfirmed), receiver.ApplyKnown, "")
	other := f.payoutContent(1, 600, pix.PayoutRejected)
	other.PixKey = "thief@ex"
	f.toldPayout(other, receiver.ApplyKnown, "")
	f.payoutIn(1, receiver.PayoutReserved)
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, "", 0, receiver.ReasonPayoutDiffers)
}

func payoutDenied(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.appended(f.payoutItem(f.payoutContent(1, 600, pix.PayoutRejected)), receiver.AppendNew)
	e := f.claimed()
	out := f.apply(receiver.Application{EventID: e.ID, Version: e.Version, Denied: true, Now: f.now()})[0]
	equal(f, "apply", out, receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonUnknownAtPSP})
	open := f.payoutContent(1, 600, pix.PayoutProcessing)
	f.appliedPayout(e, &open, receiver.ApplyWait, receiver.ReasonNotFinalYet)
	f.payoutIn(1, receiver.PayoutReserved)
}

func payoutVariant(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.appended(f.payoutItem(f.payoutContent(1, 600, pix.PayoutConfirmed)), receiver.AppendNew)
	f.appended(f.payoutItem(f.payoutContent(1, 599, pix.PayoutConfirmed)), receiver.AppendVariant)
	f.appended(f.payoutItem(f.payoutContent(1, 599, pix.PayoutConfirmed)), receiver.AppendKnown)
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, "", 0, receiver.ReasonVariant)
	word := f.payoutContent(1, 600, pix.PayoutConfirmed)
	f.appliedPayout(f.claimed(), &word, receiver.ApplyBooked, "")
}

func payoutLineInFlight(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchInFlight, 0) // our own call may have made it
	f.lineIs(f.payoutLine(1, 599), receiver.MatchMissingInLedger, 0)
	f.sending(1)
	f.payoutAnswered(1, pix.PayoutRejected)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchMissingInLedger, 0)
	f.appended(f.payoutItem(f.comeBack(1, 1, 5)), receiver.AppendNew)
	f.lineIs(f.backLine(1, 1, 5), receiver.MatchInFlight, 0)
}

func payoutRepaired(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyBooked)
	f.payoutIn(1, receiver.PayoutConfirmed)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
	f.repairedPayout(f.comeBack(1, 1, 200), receiver.ApplyBooked)
	f.repairedPayout(f.comeBack(1, 1, 200), receiver.ApplyKnown)
	f.lineIs(f.backLine(1, 1, 200), receiver.MatchOK, 200)
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, "", 0, receiver.ReasonMissedPayout)
}

func payoutAfterAll(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	f.resolve(1, receiver.ResolveFailed, "the PSP never had it")
	f.lineIs(f.payoutLine(1, 600), receiver.MatchMissingInLedger, 0)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyBooked)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyKnown)
	f.payoutIn(1, receiver.PayoutFailed)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
	f.caseIs(receiver.PayoutCase(payoutKey(1)), receiver.CaseOpen, receiver.AccountDivergence, -600,
		receiver.ReasonPayoutAfter, receiver.ReasonMissedPayout, receiver.ReasonPayoutUndone)
	f.notPaying(2, 401)
}

func payoutLines(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
	f.lineIs(f.payoutLine(1, 599), receiver.MatchDivergent, -600)
	f.toldPayout(f.comeBack(1, 1, 100), receiver.ApplyBooked, "")
	f.toldPayout(f.comeBack(1, 2, 200), receiver.ApplyBooked, "")
	f.lineIs(f.backLine(1, 2, 200), receiver.MatchOK, 200)
	f.lineIs(f.backLine(1, 2, 201), receiver.MatchDivergent, 200)
	f.lineIs(f.backLine(1, 3, 50), receiver.MatchMissingInLedger, 0)
	x := f.payout(1)
	equal(f, "first seen", x.Returns[0].InStatement, false)
	equal(f, "second seen", x.Returns[1].InStatement, true)
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
}

func payoutsAtOnce(f *fixture) {
	f.paid(1, 10000)
	outs := allAtOnce(f, 20, func(w int) ([]receiver.ReservePayoutOutcome, error) {
		return f.store.ReservePayouts(f.ctx(), []receiver.NewPayout{f.newPayout(w+1, 4000)})
	})
	done := 0
	for _, out := range outs {
		if out[0].Result == receiver.ReserveDone {
			done++
			continue
		}
		equal(f, "reason", out[0].Reason, receiver.ReasonNoBalance)
	}
	equal(f, "reserved", done, 2)
	f.notPaying(50, 2001)
	f.paying(51, 2000)
}

func samePayoutAtOnce(f *fixture) {
	f.paid(1, 10000)
	fresh := 0
	for _, out := range atOnce(f, func(int) ([]receiver.ReservePayoutOutcome, error) {
		return f.store.ReservePayouts(f.ctx(), []receiver.NewPayout{f.newPayout(1, 600)})
	}) {
		if out[0].Result == receiver.ReserveDone {
			fresh++
		}
		equal(f, "key", out[0].Payout.Key, payoutKey(1))
	}
	equal(f, "reserved", fresh, 1)
	f.notPaying(2, 9401)
}

func payoutEndAtOnce(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	c := f.payoutContent(1, 600, pix.PayoutConfirmed)
	f.appended(f.payoutItem(c), receiver.AppendNew)
	e := f.claimed()
	call := f.payoutCall(1)
	call.EndToEndID, call.Status = sentID(1), pix.PayoutConfirmed
	atOnce(f, func(w int) (bool, error) {
		if w%2 == 0 {
			_, err := f.store.RecordPayouts(f.ctx(), []receiver.PayoutCall{call})
			return true, err
		}
		_, err := f.store.ApplyEvents(f.ctx(), []receiver.Application{{EventID: e.ID, Version: e.Version, Payout: &c, Now: f.now()}})
		return true, err
	})
	f.payoutIn(1, receiver.PayoutConfirmed)
	f.notPaying(2, 401)
	f.paying(3, 400)
	f.noCase()
}

func leasePayoutsAtOnce(f *fixture) {
	f.paid(1, 100000)
	for n := 1; n <= 20; n++ {
		f.paying(n, 100)
	}
	seen := map[string]bool{}
	for _, out := range atOnce(f, func(int) ([]receiver.Payout, error) { return f.store.LeasePayouts(f.ctx(), f.lease(4)) }) {
		for _, x := range out {
			equal(f, x.Reference+" leased before", seen[x.Reference], false)
			seen[x.Reference] = true
		}
	}
}
