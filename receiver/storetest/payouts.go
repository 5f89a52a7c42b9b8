package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func payoutOutcomes() []outcome {
	return []outcome{
		{"a payout takes its money aside, and is refused beyond what is free", payoutReserve},
		{"refunds and payouts spend one balance", payoutsAndRefunds},
		{"money that nobody has vouched for is not paid out", payoutUnconfirmed},
		{"a known payout reference returns what exists", payoutKnown},
		{"open payouts are leased in the order due, requested, reference", payoutLeaseOrder},
		{"a lease of a payout counts the request, and keeps when the last unanswered one left", payoutLeaseMarks},
		{"the queue of payouts is due with its first open one", payoutNextDue},
		{"a confirmed payout leaves the account once", payoutConfirmed},
		{"a rejected payout is put back once", payoutRejected},
		{"a payout in process is asked about and sent no more", payoutInProcess},
		{"a refusal ends a payout only under the lease it was made in", payoutRefusedStale},
		{"an endToEndId handed out is kept before the request leaves", payoutLookedUp},
		{"a payout in the conciliation queue is listed and no attempt is counted", payoutQueue},
		{"an operator sends a queued payout again under the same key", payoutRetried},
		{"an operator puts a queued payout back, with a reason", payoutGivenUp},
		{"what operators do with queued payouts is in their book", payoutRecorded},
		{"payouts are listed in the order of their references", payoutList},
		{"a call about no payout of ours answers a zero payout", payoutCallAboutNothing},
	}
}

func payoutReserve(f *fixture) {
	f.paid(1, 1000)
	f.notPaying(1, 1001)
	f.paying(1, 600)
	f.notPaying(2, 401)
	f.paying(2, 400)
	f.notPaying(3, 1)
	x := f.payoutIn(1, receiver.PayoutReserved)
	equal(f, "key", x.Key, payoutKey(1))
	sameTime(f, "requested", x.RequestedAt, f.now())
}

func payoutsAndRefunds(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	f.notPaying(1, 701)
	f.paying(1, 600)
	f.notReserved(2, 1, 101, receiver.ReserveRefused, receiver.ReasonNoBalance)
	f.reserved(2, 1, 100)
	f.blocked(receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: 1}, true)
	f.notPaying(2, 1)
}

func payoutUnconfirmed(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.notPaying(1, 1)
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.paying(1, 1000)
}

func payoutKnown(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	other := f.newPayout(1, 50)
	other.Payout.Key = payoutKey(9)
	out := f.reservePayouts(other)[0]
	equal(f, "result", out.Result, receiver.ReserveKnown)
	equal(f, "amount", out.Payout.Amount, 600)
	equal(f, "key", out.Payout.Key, payoutKey(1))
	f.notPaying(2, 401)
}

func payoutLeaseOrder(f *fixture) {
	f.paid(1, 10000)
	f.paying(3, 100)
	f.clock.pass(time.Second)
	for _, n := range []int{5, 2} {
		f.paying(n, 100)
	}
	late, early := f.newPayout(4, 100), f.newPayout(1, 100)
	late.Payout.DueAt = start().Add(2 * time.Second)
	early.Payout.DueAt = start().Add(-time.Second)
	f.reservePayouts(late, early)
	f.leasedPayouts(append(f.leasePayouts(2), f.leasePayouts(9)...), 1, 3, 2, 5)
	f.clock.pass(lease)
	f.leasedPayouts(f.leasePayouts(9), 4, 3, 1, 2, 5)
}

// leasedPayouts wants just these payouts in this order.
func (f *fixture) leasedPayouts(got []receiver.Payout, want ...int) {
	f.Helper()
	count(f, "leased", got, len(want))
	for i, n := range want {
		equal(f, "leased", got[i].Reference, payoutRef(n).Reference)
	}
}

func payoutLeaseMarks(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 100)
	began := f.now()
	first := f.sending(1)
	equal(f, "attempts", first.Attempts, 1)
	sameTime(f, "lease end", first.DueAt, f.now().Add(lease))
	sameTime(f, "first call", first.FirstCallAt, began)
	sameTime(f, "prior call", first.PriorCallAt, time.Time{})
	f.clock.pass(lease - time.Millisecond)
	count(f, "leased while held", f.leasePayouts(9), 0)

	second := f.sendingAfter(time.Millisecond, 1) // nobody answered for the first
	equal(f, "attempts", second.Attempts, 2)
	equal(f, "version", second.Version, first.Version+1)
	sameTime(f, "prior call", second.PriorCallAt, began)
	sameTime(f, "last call", second.LastCallAt, f.now())
	call := f.payoutCall(1)
	call.Answered, call.DueAt = true, f.now()
	sameTime(f, "last call once it was answered", f.recordPayouts(call)[0].LastCallAt, began)

	third := f.sending(1)
	sameTime(f, "first call", third.FirstCallAt, began)
	sameTime(f, "prior call", third.PriorCallAt, began)
}

func payoutNextDue(f *fixture) {
	f.idle(receiver.QueuePayouts)
	f.paid(1, 1000)
	f.paying(1, 100)
	f.clock.pass(time.Second)
	f.paying(2, 100)
	f.dueAt(receiver.QueuePayouts, start())
	f.sending(1)
	f.dueAt(receiver.QueuePayouts, f.now())
	f.sending(2)
	f.dueAt(receiver.QueuePayouts, f.now().Add(lease))
	f.payoutAnswered(1, pix.PayoutConfirmed)
	f.payoutAnswered(2, pix.PayoutRejected)
	f.idle(receiver.QueuePayouts)
}

func payoutConfirmed(f *fixture) {
	f.paid(1, 1000)
	f.paidOut(1, 600)
	x := f.payoutIn(1, receiver.PayoutConfirmed)
	equal(f, "endToEndId", x.EndToEndID, sentID(1))
	sameTime(f, "finished", x.FinishedAt, f.now())
	f.notPaying(2, 401)
	for _, status := range []pix.PayoutStatus{pix.PayoutConfirmed, pix.PayoutRejected, pix.PayoutProcessing} {
		equal(f, "state", f.payoutAnswered(1, status).State, receiver.PayoutConfirmed)
	}
	f.lineIs(f.payoutLine(1, 600), receiver.MatchOK, -600)
	equal(f, "seen", f.payout(1).InStatement, true)
	f.notPaying(2, 401)
}

func payoutRejected(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 800)
	f.sending(1)
	for range 3 {
		x := f.payoutAnswered(1, pix.PayoutRejected)
		equal(f, "state", x.State, receiver.PayoutFailed)
	}
	f.notPaying(2, 1001)
	f.paying(2, 1000)
}

func payoutInProcess(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	x := f.payoutAnswered(1, pix.PayoutProcessing)
	equal(f, "state", x.State, receiver.PayoutProcessing)
	equal(f, "endToEndId", x.EndToEndID, sentID(1))
	f.lineIs(f.payoutLine(1, 600), receiver.MatchInFlight, 0)
	for range 3 {
		x = f.sendingAfter(lease, 1)
		equal(f, "attempts", x.Attempts, 1)
	}
	call := f.payoutCall(1) // the PSP forgets it, says a query: nothing is concluded
	call.Refused = true
	equal(f, "state", f.recordPayouts(call)[0].State, receiver.PayoutProcessing)
	f.notPaying(2, 401)
	f.payoutAnswered(1, pix.PayoutConfirmed)
	f.payoutIn(1, receiver.PayoutConfirmed)
}

func payoutRefusedStale(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	f.sending(1)
	stale := f.payoutCall(1)
	stale.Refused, stale.Problem = true, "no"
	f.sendingAfter(lease, 1)
	equal(f, "state", f.recordPayouts(stale)[0].State, receiver.PayoutReserved)
	noted := f.payoutCall(1)
	noted.RefusedAt, noted.Problem, noted.Answered = f.now(), "perhaps not", true
	x := f.recordPayouts(noted)[0]
	equal(f, "state", x.State, receiver.PayoutReserved)
	sameTime(f, "refused at", x.RefusedAt, f.now())
	f.sendingAfter(lease, 1)
	fresh := f.payoutCall(1)
	fresh.Refused, fresh.Problem = true, "no\x00"
	x = f.recordPayouts(fresh)[0]
	equal(f, "state", x.State, receiver.PayoutFailed)
	f.paying(2, 1000)
}

func payoutLookedUp(f *fixture) {
	f.paid(1, 1000)
	f.paying(1, 600)
	held := f.sending(1)
	call := f.payoutCall(1)
	call.LookedUp, call.EndToEndID = true, sentID(7)
	x := f.recordPayouts(call)[0]
	equal(f, "endToEndId", x.EndToEndID, sentID(7))
	equal(f, "version", x.Version, held.Version)
	sameTime(f, "lease end", x.DueAt, held.DueAt)
	call.EndToEndID = sentID(8)
	equal(f, "endToEndId", f.recordPayouts(call)[0].EndToEndID, sentID(7))
}

func payoutQueue(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	f.listedPayouts(receiver.PayoutQuery{Queued: true}, 1)
	x := f.sendingAfter(lease, 1)
	equal(f, "attempts", x.Attempts, 1)
	equal(f, "queued", x.Queued, true)
	f.notPaying(2, 401)
	x = f.payoutAnswered(1, pix.PayoutConfirmed)
	equal(f, "queued", x.Queued, false)
	f.listedPayouts(receiver.PayoutQuery{Queued: true})
}

func payoutRetried(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	equal(f, "without a reason", f.resolve(1, receiver.ResolveRetry, ""), false)
	equal(f, "by another word", f.resolve(1, "perhaps", "why"), false)
	f.clock.pass(time.Second)
	equal(f, "resolved", f.resolve(1, receiver.ResolveRetry, "asked the PSP"), true)
	equal(f, "resolved twice", f.resolve(1, receiver.ResolveRetry, "asked the PSP"), false)
	x := f.sending(1)
	equal(f, "attempts", x.Attempts, 1)
	equal(f, "key", x.Key, payoutKey(1))
	sameTime(f, "first call", x.FirstCallAt, start())
}

func payoutGivenUp(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	equal(f, "resolved", f.resolve(1, receiver.ResolveFailed, "the PSP never had it"), true)
	x := f.payoutIn(1, receiver.PayoutFailed)
	equal(f, "problem", x.Problem, "the PSP never had it")
	equal(f, "resolved twice", f.resolve(1, receiver.ResolveFailed, "again"), false)
	equal(f, "unknown", f.resolve(9, receiver.ResolveFailed, "nothing"), false)
	f.paying(2, 1000)
}

func payoutRecorded(f *fixture) {
	f.paid(1, 1000)
	f.queuedPayout(1, 600)
	f.resolve(1, receiver.ResolveRetry, "") // refused: no reason, and no record
	f.resolve(1, receiver.ResolveRetry, "asked the PSP")
	f.sending(1)
	call := f.payoutCall(1)
	call.Queue = true
	f.recordPayouts(call)
	f.resolve(1, receiver.ResolveFailed, "the PSP never had it")
	f.resolve(1, receiver.ResolveFailed, "nothing is left to end")
	all, err := f.store.ListRecords(f.ctx(), receiver.RecordQuery{})
	count(f, "records", must(f, all, err), 2)
	for i, want := range []receiver.OperatorRecord{
		{Action: receiver.ResolveRetry, Note: "asked the PSP"}, {Action: receiver.ResolveFailed, Note: "the PSP never had it"},
	} {
		x := f.payout(1)
		equal(f, "action", all[i].Action, want.Action)
		equal(f, "note", all[i].Note, want.Note)
		equal(f, "operator", all[i].Operator, "ana")
		equal(f, "subject", all[i].Subject, x.Subject())
		sameTime(f, "at", all[i].At, f.now())
	}
}

func payoutList(f *fixture) {
	f.paid(1, 1000)
	for _, n := range []int{3, 1, 2} {
		f.paying(n, 100)
	}
	f.sending(1)
	f.payoutAnswered(1, pix.PayoutConfirmed)
	f.listedPayouts(receiver.PayoutQuery{}, 1, 2, 3)
	f.listedPayouts(receiver.PayoutQuery{Open: true}, 2, 3)
	f.listedPayouts(receiver.PayoutQuery{Limit: 2}, 1, 2)
	f.listedPayouts(receiver.PayoutQuery{After: payoutRef(1), Limit: 1}, 2)
	f.listedPayouts(receiver.PayoutQuery{After: payoutRef(3)})
}

func payoutCallAboutNothing(f *fixture) {
	out := f.recordPayouts(receiver.PayoutCall{Ref: payoutRef(1), Status: pix.PayoutConfirmed, Now: f.now()})
	equal(f, "reference", out[0].Reference, "")
	found, err := f.store.FindPayouts(f.ctx(), []receiver.PayoutRef{payoutRef(1)})
	equal(f, "found", must(f, found, err)[0] == nil, true)
}
