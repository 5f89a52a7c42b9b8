package storetest

import (
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func payoutToldOutcomes() []outcome {
	return []outcome{
		{"a payout set aside, asked for and in process is told to nobody", payoutToldOpen},
		{"a payout's end is told of once, whoever says so and how often", payoutToldOnce},
		{"a payout that failed without an endToEndId is told of under its key", payoutToldFailed},
		{"a return is told of after the end that it brings with it", payoutToldReturn},
		{"what an operator gave up and went out after all is told of in order", payoutToldAfterAll},
		{"a payout's end that only the statement knew is told of", payoutToldRepaired},
		{"a dead letter stops its own payout's line only", payoutToldDead},
		{"each endpoint hears of a payout", payoutToldEach},
	}
}

// toldOfPayout wants exactly these events about payout n, kind and amount, in
// this order and numbered from 1. It sends the outbox empty.
func (f *fixture) toldOfPayout(n int, want ...string) {
	f.Helper()
	var got []string
	for _, o := range f.sent() {
		if o.PayoutKey != payoutKey(n) {
			continue
		}
		got = append(got, o.Kind+" "+o.Amount.String())
		equal(f, "outbox number", o.Number, len(got))
		equal(f, "reference", o.Payout, payoutRef(n).Reference)
		equal(f, "line", o.Line(), receiver.PayoutLineOf(payoutKey(n)))
	}
	if !slices.Equal(got, want) {
		f.Errorf("outbox of payout %d: got %s, want %s", n, strings.Join(got, ", "), strings.Join(want, ", "))
	}
	equal(f, "events counted", f.payout(n).Events, len(want))
}

func payoutToldOpen(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	f.payoutAnswered(1, pix.PayoutProcessing)
	f.toldOfPayout(1)
}

func payoutToldOnce(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	f.payoutAnswered(1, pix.PayoutConfirmed)
	f.toldPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyKnown, "")
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
	f.toldOfPayout(1, receiver.OutboxPayoutConfirmed+" 6.00")
}

func payoutToldFailed(f *fixture) {
	f.paid(1, 1000)
	for n := 1; n <= 2; n++ {
		f.paying(n, 300)
		f.sending(n)
		call := f.payoutCall(n)
		call.Refused, call.Problem, call.Answered = true, "no such key", true
		equal(f, "state", f.recordPayouts(call)[0].State, receiver.PayoutFailed)
	}
	all := f.leaseOutbox(9) // with the credit's, before them: three lines
	count(f, "leased", all, 3)
	for n := 1; n <= 2; n++ {
		o := all[n]
		equal(f, "kind", o.Kind, receiver.OutboxPayoutFailed)
		equal(f, "key", o.PayoutKey, payoutKey(n))
		equal(f, "endToEndId", o.EndToEndID, "")
		equal(f, "number", o.Number, 1)
		sameTime(f, "at", o.At, f.now())
	}
}

func payoutToldReturn(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	f.toldPayout(f.comeBack(1, 1, 200), receiver.ApplyBooked, "")
	f.toldPayout(f.comeBack(1, 2, 100), receiver.ApplyBooked, "")
	f.toldOfPayout(1,
		receiver.OutboxPayoutConfirmed+" 6.00", receiver.OutboxPayoutReturned+" 2.00", receiver.OutboxPayoutReturned+" 1.00")
}

func payoutToldAfterAll(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	equal(f, "resolved", f.resolve(1, receiver.ResolveRetry, "asked the PSP"), true)
	f.sending(1)
	call := f.payoutCall(1)
	call.Queue = true
	f.recordPayouts(call)
	equal(f, "resolved", f.resolve(1, receiver.ResolveFailed, "the PSP never had it"), true)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyBooked)
	f.toldOfPayout(1, receiver.OutboxPayoutFailed+" 6.00", receiver.OutboxPayoutAdjusted+" -6.00")
}

func payoutToldRepaired(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyBooked)
	f.repairedPayout(f.payoutContent(1, 600, pix.PayoutConfirmed), receiver.ApplyKnown)
	f.toldOfPayout(1, receiver.OutboxPayoutConfirmed+" 6.00")
}

func payoutToldDead(f *fixture) {
	f.paid(1, 1000)
	f.sent() // of the credit
	for n := 1; n <= 2; n++ {
		f.paidOut(n, 300)
	}
	all := f.leaseOutbox(9)
	count(f, "leased", all, 2)
	f.finish(receiver.OutboxResult{ID: all[0].ID, Version: all[0].Version, Dead: true}, result(all[1], true))
	for n := 1; n <= 2; n++ {
		f.toldPayout(f.comeBack(n, n, 100), receiver.ApplyBooked, "")
	}
	behind := f.leaseOutbox(9)
	count(f, "leased", behind, 1)
	equal(f, "of", behind[0].PayoutKey, payoutKey(2))
	f.finish(result(behind[0], true))
	equal(f, "replayed", f.replay(all[0].ID), true)
	f.toldOfPayout(1, receiver.OutboxPayoutConfirmed+" 3.00", receiver.OutboxPayoutReturned+" 1.00")
}

func payoutToldEach(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop", "books")
	f.paid(1, 1000)
	f.paidOut(1, 600)
	shop, books := f.sentTo("shop"), f.sentTo("books")
	count(f, "to shop", shop, 2)
	if !slices.Equal(said(shop), said(books)) {
		f.Errorf("shop heard %q, books %q", said(shop), said(books))
	}
	equal(f, "kind", books[1].Kind, receiver.OutboxPayoutConfirmed)
}
