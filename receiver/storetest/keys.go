package storetest

import (
	"sync"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func chargeKeyOutcomes() []outcome {
	return []outcome{
		{"a key in flight is busy, whatever else changes", keyBusy},
		{"effect and answer are stored in one, and the answer given again byte by byte", keyAnswered},
		{"another body under a key is refused and changes nothing", keyOtherBody},
		{"an orphan is taken over by one, and the one before changes nothing", keyTakenOver},
		{"an orphan whose charge has its end is answered without a call", keyOrphanSettled},
		{"a key that was let go of is taken over at once", keyReleased},
		{"another key with a known reference gets what exists", keyOfKnownReference},
		{"one key of two consumers is two keys", keyPerConsumer},
		{"the txid of another consumer's charge is refused and tells nothing of it", keyForeignTxID},
		{"one key at once is one's, and the others wait for nobody", keyAtOnce},
	}
}

func keyBusy(f *fixture) {
	out := f.claimedCharge(1, 1, receiver.KeyMine)
	equal(f, "version", out.Key.Version, 1)
	equal(f, "created", out.Created, true)
	again := f.claimedCharge(1, 1, receiver.KeyBusy)
	equal(f, "charge in the answer", again.Charge.Reference, "")
	f.clock.pass(keyWindow - time.Nanosecond*1000)
	f.claimedCharge(1, 1, receiver.KeyBusy)
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: f.now(), BRCode: "br"})
	f.claimedCharge(1, 1, receiver.KeyBusy)
}

func keyAnswered(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	done := f.finished(1, 1, 1, receiver.KeyDone)
	equal(f, "charge", done.Charge.State, receiver.ChargeActive)
	equal(f, "status", done.Key.Answer.Status, 201)
	sameAnswer(f, done.Key.Answer, receiver.NewCharge{Charge: done.Charge}.Answer(done.Charge))
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeRemoved})
	for _, age := range []time.Duration{0, keyWindow, keyTTL - keyWindow - time.Microsecond} {
		f.clock.pass(age)
		again := f.claimedCharge(1, 1, receiver.KeyDone)
		sameAnswer(f, again.Key.Answer, done.Key.Answer)
		equal(f, "charge in the answer", again.Charge.Reference, "")
	}
	f.clock.pass(time.Microsecond)
	late := f.claimedCharge(1, 1, receiver.KeyExpired)
	equal(f, "the resource as it is", late.Charge.State, receiver.ChargeRemoved)
	equal(f, "created", late.Created, false)
}

func keyOtherBody(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.claimedCharge(2, 1, receiver.KeyOther)
	f.finished(1, 1, 1, receiver.KeyDone)
	f.claimedCharge(2, 1, receiver.KeyOther)
	f.clock.pass(keyTTL)
	f.claimedCharge(2, 1, receiver.KeyOther)
	f.purged(1)
	f.claimedCharge(2, 1, receiver.KeyOther)
	out, err := f.store.FindCharges(f.ctx(), []receiver.ChargeRef{refOf(2)})
	equal(f, "a charge", must(f, out, err)[0] == nil, true)
	f.claimedCharge(1, 1, receiver.KeyExpired)
}

func keyTakenOver(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.clock.pass(keyWindow)
	out := f.claimedCharge(1, 1, receiver.KeyTakenOver)
	equal(f, "version", out.Key.Version, 2)
	equal(f, "an orphan", out.Key.TookOver, true)
	equal(f, "created", out.Created, false)
	equal(f, "charge", out.Charge.Reference, ref(1))
	f.claimedCharge(1, 1, receiver.KeyBusy)
	late := f.finished(1, 1, 1, receiver.KeyBusy)
	equal(f, "what the late one says", late.Charge.State, receiver.ChargeIntended)
	equal(f, "charge", f.charge(1).State, receiver.ChargeIntended)
	equal(f, "let go by the late one", f.release(f.hold(1, 1))[0], false)
	done := f.finished(1, 1, 2, receiver.KeyDone)
	equal(f, "BR code", done.Charge.BRCode, "br of 1/2")
	sameAnswer(f, f.finished(1, 1, 1, receiver.KeyDone).Key.Answer, done.Key.Answer)
	equal(f, "BR code after the late one", f.charge(1).BRCode, "br of 1/2")
}

func keyOrphanSettled(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.record(receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive, CreatedAt: f.now(), BRCode: "br"})
	f.clock.pass(keyWindow)
	out := f.claimedCharge(1, 1, receiver.KeyDone)
	equal(f, "status", out.Key.Answer.Status, 201)
	equal(f, "an orphan", out.Key.TookOver, true)
	f.clock.pass(keyWindow)
	sameAnswer(f, f.claimedCharge(1, 1, receiver.KeyDone).Key.Answer, out.Key.Answer)
}

func keyReleased(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	equal(f, "let go", f.release(f.hold(1, 1))[0], true)
	out := f.claimedCharge(1, 1, receiver.KeyTakenOver)
	equal(f, "version", out.Key.Version, 2)
	equal(f, "an orphan", out.Key.TookOver, false)
	f.finished(1, 1, 2, receiver.KeyDone)
	equal(f, "let go of what is answered", f.release(f.hold(1, 2))[0], false)
	equal(f, "let go of nothing", f.release(f.hold(7, 1))[0], false)
}

func keyOfKnownReference(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	done := f.finished(1, 1, 1, receiver.KeyDone)
	other := f.claimedCharge(1, 2, receiver.KeyDone)
	equal(f, "created", other.Created, false)
	sameAnswer(f, other.Key.Answer, done.Key.Answer)
	count(f, "keys", f.findKeys(f.hold(1, 0).Ref, f.hold(2, 0).Ref), 2)
	equal(f, "its intention", f.findKeys(f.hold(2, 0).Ref)[0].Reference, ref(1))
}

func keyPerConsumer(f *fixture) {
	f.claimedCharge(1, 1, receiver.KeyMine)
	f.finished(1, 1, 1, receiver.KeyDone)
	n := f.keyedCharge(1, 1)
	n.Charge.Consumer, n.Charge.TxID, n.Key.Ref.Consumer = "another shop", txid(2), "another shop"
	out := f.create(n)[0]
	equal(f, "key", out.Key.Result, receiver.KeyMine)
	equal(f, "created", out.Created, true)
	equal(f, "charge", out.Charge.TxID, txid(2))
}

func keyForeignTxID(f *fixture) {
	f.charged(1, 1000)
	n := f.keyedCharge(1, 1)
	n.Charge.Consumer, n.Key.Ref.Consumer = "another shop", "another shop"
	out := f.create(n)[0]
	equal(f, "key", out.Key.Result, receiver.KeyDone)
	equal(f, "status", out.Key.Answer.Status, 422)
	equal(f, "intention", f.findKeys(n.Key.Ref)[0].Reference, "")
	f.clock.pass(time.Second)
	sameAnswer(f, f.create(n)[0].Key.Answer, out.Key.Answer)
}

func keyAtOnce(f *fixture) {
	const n = 20
	var all sync.WaitGroup
	outs := make([]receiver.CreateOutcome, n)
	for i := range n {
		all.Go(func() {
			if got, err := f.store.CreateCharges(f.ctx(), []receiver.NewCharge{f.keyedCharge(1, 1)}); err != nil {
				f.Error(err)
			} else {
				outs[i] = got[0]
			}
		})
	}
	all.Wait()
	got := map[receiver.KeyResult]int{}
	for _, o := range outs {
		got[o.Key.Result]++
	}
	equal(f, "mine", got[receiver.KeyMine], 1)
	equal(f, "busy", got[receiver.KeyBusy], n-1)
}
