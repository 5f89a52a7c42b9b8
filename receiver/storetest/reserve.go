package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func reserveOutcomes() []outcome {
	return []outcome{
		{"an intention to refund is stored and its money taken aside", reserveStores},
		{"a Pix that is unknown or not confirmed is too early", reserveEarly},
		{"more than is left of the Pix is refused, all that is left is not", reserveCap},
		{"what was returned counts against the cap, whoever asked for it", reserveCapReturned},
		{"the window is ninety days to the instant", reserveWindow},
		{"a known reference returns what exists, whatever else is asked", reserveKnown},
		{"another consumer may use the same reference", reservePerConsumer},
		{"an amount of zero or less is refused and sinks no neighbour", reserveNothing},
		{"money of other Pix that is on its way back is not free", reserveBalance},
		{"money that is not confirmed covers no refund of another Pix", reserveUnconfirmed},
		{"blocked money is not free until it is released", reserveMemos},
		{"a memo already known changes nothing, a released one stays released", memosKnown},
		{"a refund not known is nil among those that are", findRefunds},
	}
}

func reserveStores(f *fixture) {
	f.paid(1, 10000)
	n := f.newRefund(1, 1, 3000)
	n.Refund.DueAt = f.now().Add(lease)
	out := f.reserve(n)[0]
	equal(f, "result", out.Result, receiver.ReserveDone)
	for _, x := range []receiver.Refund{out.Refund, f.refund(1)} {
		equal(f, "state", x.State, receiver.RefundReserved)
		equal(f, "origin", x.Origin, receiver.RefundByMerchant)
		equal(f, "id", x.ID, refundID(1))
		equal(f, "Pix", x.EndToEndID, e2e(1))
		equal(f, "amount", x.Amount, pix.Amount(3000))
		equal(f, "attempts", x.Attempts, 0)
		equal(f, "never called", x.FirstCallAt.IsZero(), true)
		sameTime(f, "requested at", x.RequestedAt, f.now())
		sameTime(f, "due at", x.DueAt, n.Refund.DueAt)
		count(f, "sources", x.Source, 1)
		equal(f, "source", x.Source[0], receiver.Part{Account: receiver.AccountRefunds, Cents: 3000})
	}
	f.dueAt(receiver.QueueRefunds, n.Refund.DueAt)
	f.holds(1, receiver.Holdings{Revenue: 7000}, 3000, 0)
	f.told(1, receiver.OutboxCredited)
	f.settled(1, 10000, e2e(1))
	f.noCase()
	f.matched(1, 10000, receiver.MatchOK, 10000)
}

func reserveEarly(f *fixture) {
	f.notReserved(1, 1, 100, receiver.ReserveEarly, receiver.ReasonNoCredit)
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.notReserved(1, 1, 100, receiver.ReserveEarly, receiver.ReasonNotConfirmed)
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.reserved(1, 1, 100)
}

func reserveCap(f *fixture) {
	f.paid(1, 10000)
	f.paid(2, 10000)
	f.notReserved(1, 1, 10001, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.reserved(1, 1, 6000)
	f.notReserved(2, 1, 4001, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.reserved(3, 1, 4000)
	f.notReserved(4, 1, 1, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.holds(1, receiver.Holdings{}, 10000, 0)
}

func reserveCapReturned(f *fixture) {
	f.paid(1, 10000)
	f.paid(2, 10000)
	f.toldRefund(f.med(1, 1, 6000), receiver.ApplyBooked, "")
	f.notReserved(1, 1, 5000, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.returned(2, 1, 4000, 2)
	f.notReserved(3, 1, 1, receiver.ReserveRefused, receiver.ReasonOverCap)
	f.holds(1, receiver.Holdings{}, 0, 10000)
}

func reserveWindow(f *fixture) {
	f.paid(1, 1000)
	n := f.newRefund(1, 1, 100)
	n.At = start().Add(receiver.RefundWindow + 1)
	out := f.reserve(n)[0]
	equal(f, "after it", out.Result, receiver.ReserveRefused)
	equal(f, "reason", out.Reason, receiver.ReasonWindowOver)
	n.At = start().Add(receiver.RefundWindow)
	equal(f, "at its end", f.reserve(n)[0].Result, receiver.ReserveDone)
}

func reserveKnown(f *fixture) {
	f.paid(1, 10000)
	f.paid(2, 10000)
	out := f.reserve(f.newRefund(1, 1, 3000), f.newRefund(1, 1, 4000))
	equal(f, "first", out[0].Result, receiver.ReserveDone)
	equal(f, "again in the batch", out[1].Result, receiver.ReserveKnown)
	other := f.newRefund(1, 2, 5000)
	other.Refund.ID = refundID(9)
	for _, n := range []receiver.NewRefund{f.newRefund(1, 1, 3000), f.newRefund(1, 1, 99999), other, f.newRefund(1, 7, 1)} {
		again := f.reserve(n)[0]
		equal(f, "result", again.Result, receiver.ReserveKnown)
		equal(f, "id", again.Refund.ID, refundID(1))
		equal(f, "Pix", again.Refund.EndToEndID, e2e(1))
		equal(f, "amount", again.Refund.Amount, pix.Amount(3000))
	}
	f.holds(1, receiver.Holdings{Revenue: 7000}, 3000, 0)
	f.holds(2, receiver.Holdings{Revenue: 10000}, 0, 0)
	f.calling(1)
	f.answered(1, 1, pix.RefundReturned)
	equal(f, "once final", f.reserve(f.newRefund(1, 1, 3000))[0].Refund.State, receiver.RefundReturned)
}

func reservePerConsumer(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	n := f.newRefund(1, 1, 200)
	n.Refund.Consumer, n.Refund.ID = "another shop", refundID(2)
	equal(f, "result", f.reserve(n)[0].Result, receiver.ReserveDone)
	f.holds(1, receiver.Holdings{Revenue: 500}, 500, 0)
}

func reserveNothing(f *fixture) {
	f.paid(1, 1000)
	out := f.reserve(f.newRefund(1, 1, 0), f.newRefund(2, 1, -500), f.newRefund(3, 1, 100))
	for _, o := range out[:2] {
		equal(f, "result", o.Result, receiver.ReserveRefused)
		equal(f, "says why", o.Reason != "", true)
	}
	equal(f, "neighbour", out[2].Result, receiver.ReserveDone)
	f.holds(1, receiver.Holdings{Revenue: 900}, 100, 0)
	count(f, "leased", f.leaseRefunds(9), 1)
}

// blocked notes a memo about Pix p and wants that answer.
func (f *fixture) blocked(m receiver.Memo, want bool) {
	f.Helper()
	m.At = f.now()
	out, err := f.store.PutMemos(f.ctx(), []receiver.Memo{m})
	equal(f, "memo "+m.ID, must(f, out, err)[0], want)
}

func reserveBalance(f *fixture) {
	f.paid(1, 1000)
	f.paid(2, 1000)
	f.blocked(receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: 1000}, true)
	f.reserved(1, 1, 600)
	f.notReserved(2, 2, 401, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.calling(1)
	f.answered(1, 1, pix.RefundReturned)
	f.notReserved(2, 2, 401, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.reserved(2, 2, 400)
	f.calling(2)
	f.refusedRefund(2)
	f.reserved(3, 2, 400)
	f.notReserved(4, 2, 1, receiver.ReserveRefused, receiver.ReasonNoBalance)
}

func reserveUnconfirmed(f *fixture) {
	f.paid(1, 1000)
	f.blocked(receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: 1000}, true)
	for n := 2; n <= 3; n++ {
		f.charged(n, 500)
		f.credited(f.credit(n, n, 500))
	}
	f.notReserved(1, 1, 1, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.toldRefund(f.med(2, 1, 400), receiver.ApplyBooked, "") // what the PSP returned of one of them was not free before
	f.notReserved(1, 1, 1, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.appended(f.swept(f.credit(2, 2, 500)), receiver.AppendKnown)
	f.notReserved(1, 1, 101, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.reserved(1, 1, 100)
	f.matched(3, 500, receiver.MatchOK, 500)
	f.notReserved(2, 1, 501, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.reserved(2, 1, 500)
	f.charged(4, 800)
	f.credited(f.credit(4, 4, 800))
	f.adjusted(4, 0, receiver.MatchMissingAtPSP, true) // it never settled: it is not there twice
	f.notReserved(3, 1, 1, receiver.ReserveRefused, receiver.ReasonNoBalance)
}

func reserveMemos(f *fixture) {
	f.paid(1, 1000)
	m := receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: 700}
	f.blocked(m, true)
	f.blocked(receiver.Memo{ID: "M2", EndToEndID: e2e(1), Amount: 100}, true)
	f.notReserved(1, 1, 201, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	m.Amount = 300
	f.blocked(m, true)
	f.notReserved(1, 1, 601, receiver.ReserveRefused, receiver.ReasonNoBalance)
	m.Released = true
	f.blocked(m, true)
	f.notReserved(1, 1, 901, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.reserved(1, 1, 900)
}

func memosKnown(f *fixture) {
	f.paid(1, 1000)
	m := receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: 700}
	f.blocked(m, true)
	f.clock.pass(lease)
	f.blocked(m, false)
	f.notReserved(1, 1, 301, receiver.ReserveRefused, receiver.ReasonNoBalance)
	released := m
	released.Released = true
	f.blocked(released, true)
	f.blocked(released, false)
	f.blocked(m, false)
	f.blocked(receiver.Memo{ID: "M2", EndToEndID: e2e(1), Amount: 50, Released: true}, true)
	f.blocked(receiver.Memo{ID: "M2", EndToEndID: e2e(1), Amount: 50}, false)
	f.reserved(1, 1, 1000)
}

func findRefunds(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 100)
	out, err := f.store.FindRefunds(f.ctx(), []receiver.RefundRef{refundRef(2), refundRef(1), {Consumer: "another shop", Reference: refundRef(1).Reference}})
	count(f, "found", must(f, out, err), 3)
	equal(f, "unknown", out[0] == nil, true)
	equal(f, "known", out[1].Reference, refundRef(1).Reference)
	equal(f, "of another consumer", out[2] == nil, true)
	out[1].Source[0].Cents = 1
	equal(f, "what was handed out is a copy", f.refund(1).Source[0].Cents, pix.Amount(100))
}
