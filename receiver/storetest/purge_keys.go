package storetest

import (
	"sync"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func purgeKeyOutcomes() []outcome {
	return []outcome{
		{"answers go when they were kept long enough, and their keys stay", purgeAnswers},
		{"a key whose intention has no known end keeps its answer", purgeUnsettled},
		{"the key of a refusal goes whole", purgeRefusals},
		{"a purge takes no more than it is told to, oldest first", purgeLimit},
		{"the resource is found, and nothing sent, while a purge runs", purgeAtOnce},
	}
}

func purgeAnswers(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.finished(1, 1, 1, receiver.KeyDone)
	key := f.hold(1, 0).Ref
	f.clock.pass(keyTTL - time.Microsecond)
	f.purged(0)
	f.keyIs(key, receiver.KeyAnswered)
	f.clock.pass(time.Microsecond)
	f.purged(1)
	f.purged(0)
	k := f.findKeys(key)[0]
	equal(f, "state", k.State, receiver.KeyPurged)
	equal(f, "intention", k.Reference, ref(1))
	equal(f, "body", len(k.Answer.Body), 0)
	out := f.claimedCharge(1, 1, receiver.KeyExpired)
	equal(f, "charge", out.Charge.Reference, ref(1))
	f.clock.pass(30 * keyTTL)
	f.claimedCharge(1, 1, receiver.KeyExpired)
	due, err := f.store.LeaseCharges(f.ctx(), f.lease(9))
	count(f, "to be sent", must(f, due, err), 0)
}

func purgeUnsettled(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	hold := f.hold(1, 1)
	unknown := f.recordCalls(receiver.ChargeCall{Ref: refOf(1), DueAt: f.now().Add(lease), Key: &hold})[0]
	equal(f, "status", unknown.Key.Answer.Status, 202)
	f.paid(2, 1000)
	accepted := f.claimedRefund(1, 2, 1, receiver.KeyDone)
	paying := f.claimedPayout(1, 100, 1, receiver.KeyDone)
	f.clock.pass(2 * keyTTL)
	f.purged(0)
	sameAnswer(f, f.claimedCharge(1, 1, receiver.KeyDone).Key.Answer, unknown.Key.Answer)
	sameAnswer(f, f.claimedRefund(1, 2, 1, receiver.KeyDone).Key.Answer, accepted.Key.Answer)
	sameAnswer(f, f.claimedPayout(1, 100, 1, receiver.KeyDone).Key.Answer, paying.Key.Answer)
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: f.now(), BRCode: "br"})
	f.calling(1)
	f.answered(1, 1, "DEVOLVIDO")
	f.sending(1)
	f.payoutAnswered(1, pix.PayoutConfirmed)
	f.purged(3)
	f.claimedCharge(1, 1, receiver.KeyExpired)
	f.claimedRefund(1, 2, 1, receiver.KeyExpired)
	equal(f, "payout", f.claimedPayout(1, 100, 1, receiver.KeyExpired).Payout.State, receiver.PayoutConfirmed)
}

func purgeRefusals(f *fixture) {
	f.paid(1, 50)
	f.claimedRefund(1, 1, 1, receiver.KeyDone)
	f.clock.pass(keyTTL)
	f.purged(1)
	f.keyIs(f.keyedRefund(1, 1, 1).Key.Ref, "")
}

func purgeLimit(f *fixture) {
	for n := 1; n <= 3; n++ {
		f.claimedCharge(n, n, receiver.KeyMine)
		f.finished(n, n, 1, receiver.KeyDone)
		f.clock.pass(time.Second)
	}
	f.clock.pass(keyTTL)
	got, err := f.store.PurgeKeys(f.ctx(), receiver.KeyPurge{Before: f.now().Add(-keyTTL), Now: f.now(), Limit: 2})
	equal(f, "purged", must(f, got, err), 2)
	f.keyIs(f.hold(1, 0).Ref, receiver.KeyPurged)
	f.keyIs(f.hold(2, 0).Ref, receiver.KeyPurged)
	f.keyIs(f.hold(3, 0).Ref, receiver.KeyAnswered)
}

func purgeAtOnce(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.finished(1, 1, 1, receiver.KeyDone)
	f.clock.pass(keyTTL)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if i%2 == 0 {
				if _, err := f.store.PurgeKeys(f.ctx(), receiver.KeyPurge{Before: f.now().Add(-keyTTL), Now: f.now(), Limit: 9}); err != nil {
					f.Error(err)
				}
				return
			}
			out, err := f.store.CreateCharges(f.ctx(), []receiver.NewCharge{f.keyedCharge(1, 1)})
			if err != nil {
				f.Error(err)
			} else if out[0].Key.Result != receiver.KeyExpired || out[0].Charge.Reference != ref(1) {
				f.Errorf("got %+v, want the resource", out[0])
			}
		})
	}
	all.Wait()
	f.keyIs(f.hold(1, 0).Ref, receiver.KeyPurged)
}
