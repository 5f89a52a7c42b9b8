package storetest

import (
	"sync"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func refundKeyOutcomes() []outcome {
	return []outcome{
		{"intention, key and answer are one, and the answer is given again as it was", refundKeyAnswered},
		{"a refusal is kept as long as an answer, and forgotten then", refundKeyRefused},
		{"an answer for now leaves no key", refundKeyEarly},
		{"another refund under a known reference is refused under its own key", refundKeyOtherContent},
		{"one key on two routes is two keys", keyPerRoute},
		{"one key at once reserves once", refundKeyAtOnce},
	}
}

func refundKeyAnswered(f *fixture) {
	f.paid(1, 1000)
	done := f.claimedRefund(1, 1, 1, receiver.KeyDone)
	equal(f, "result", done.Result, receiver.ReserveDone)
	equal(f, "status", done.Key.Answer.Status, 202)
	f.calling(1)
	f.answered(1, 1, "DEVOLVIDO")
	f.clock.pass(keyTTL - time.Microsecond)
	sameAnswer(f, f.claimedRefund(1, 1, 1, receiver.KeyDone).Key.Answer, done.Key.Answer)
	f.clock.pass(time.Microsecond)
	late := f.claimedRefund(1, 1, 1, receiver.KeyExpired)
	equal(f, "the resource as it is", late.Refund.State, receiver.RefundReturned)
	f.holds(1, receiver.Holdings{Revenue: 900}, 0, 100)
}

func refundKeyRefused(f *fixture) {
	f.paid(1, 50)
	refused := f.claimedRefund(1, 1, 1, receiver.KeyDone)
	equal(f, "status", refused.Key.Answer.Status, 422)
	f.paid(2, 1000)
	f.clock.pass(keyTTL - time.Microsecond)
	sameAnswer(f, f.claimedRefund(1, 1, 1, receiver.KeyDone).Key.Answer, refused.Key.Answer)
	f.clock.pass(time.Microsecond)
	other := f.keyedRefund(2, 2, 1)
	out := f.reserve(other)[0]
	equal(f, "the key is free for another body", out.Result, receiver.ReserveDone)
	equal(f, "status", out.Key.Answer.Status, 202)
}

func refundKeyEarly(f *fixture) {
	early := f.claimedRefund(1, 1, 1, receiver.KeyDone)
	equal(f, "result", early.Result, receiver.ReserveEarly)
	equal(f, "status", early.Key.Answer.Status, 409)
	equal(f, "asks to come back", early.Key.Answer.RetryAfter > 0, true)
	f.keyIs(f.keyedRefund(1, 1, 1).Key.Ref, "")
	f.paid(1, 1000)
	equal(f, "result", f.claimedRefund(1, 1, 1, receiver.KeyDone).Result, receiver.ReserveDone)
}

func refundKeyOtherContent(f *fixture) {
	f.paid(1, 1000)
	f.claimedRefund(1, 1, 1, receiver.KeyDone)
	n := f.keyedRefund(1, 1, 2)
	n.Refund.Amount = 300
	out := f.reserve(n)[0]
	equal(f, "status", out.Key.Answer.Status, 422)
	equal(f, "intention", f.findKeys(n.Key.Ref)[0].Reference, "")
	f.holds(1, receiver.Holdings{Revenue: 900}, 100, 0)
}

func keyPerRoute(f *fixture) {
	f.paid(1, 1000)
	f.claimedCharge(2, 1, receiver.KeyMine)
	equal(f, "status", f.claimedRefund(1, 1, 1, receiver.KeyDone).Key.Answer.Status, 202)
	f.claimedCharge(2, 1, receiver.KeyBusy)
}

func refundKeyAtOnce(f *fixture) {
	f.paid(1, 1000)
	const n = 20
	var all sync.WaitGroup
	outs := make([]receiver.ReserveOutcome, n)
	for i := range n {
		all.Go(func() {
			if got, err := f.store.ReserveRefunds(f.ctx(), []receiver.NewRefund{f.keyedRefund(1, 1, 1)}); err != nil {
				f.Error(err)
			} else {
				outs[i] = got[0]
			}
		})
	}
	all.Wait()
	fresh := 0
	for _, o := range outs {
		sameAnswer(f, o.Key.Answer, outs[0].Key.Answer)
		if o.Result == receiver.ReserveDone {
			fresh++
		}
	}
	equal(f, "reserved", fresh, 1)
	f.holds(1, receiver.Holdings{Revenue: 900}, 100, 0)
}
