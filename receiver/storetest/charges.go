package storetest

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func chargeOutcomes() []outcome {
	return []outcome{
		{"a new charge is stored and found", newChargeIsFound},
		{"a known reference returns what exists", knownReference},
		{"another consumer may use the same reference", referencePerConsumer},
		{"a known txid returns the charge that has it", knownTxID},
		{"the second of one reference in a batch returns the first", referenceTwiceInBatch},
		{"a charge not known is nil among those that are", unknownChargeIsNil},
		{"leases take due intended charges in the order due, consumer, reference", leaseChargesInOrder},
		{"a leased charge is due again when the lease ends", leasedChargeComesBack},
		{"the queue of charges is due with its first intended charge", chargesNextDue},
	}
}

func newChargeIsFound(f *fixture) {
	n := f.newCharge(1, 1000)
	out := f.create(n)[0]
	equal(f, "created", out.Created, true)
	for _, got := range []receiver.Charge{out.Charge, f.charge(1)} {
		equal(f, "reference", got.Reference, ref(1))
		equal(f, "txid", got.TxID, txid(1))
		equal(f, "key", got.PixKey, ourKey)
		equal(f, "due", got.Due, pix.Amount(1000))
		equal(f, "kind", got.Kind, receiver.ChargeDynamic)
		equal(f, "expires in", got.ExpiresIn, time.Hour)
		equal(f, "state", got.State, receiver.ChargeIntended)
		equal(f, "created at is unknown", got.CreatedAt.IsZero(), true)
		sameTime(f, "due at", got.DueAt, n.Charge.DueAt)
	}
}

func knownReference(f *fixture) {
	f.charged(1, 1000)
	again := f.newCharge(1, 2500)
	again.Charge.TxID = txid(7)
	out := f.create(again)[0]
	equal(f, "created", out.Created, false)
	equal(f, "due", out.Charge.Due, pix.Amount(1000))
	equal(f, "txid", out.Charge.TxID, txid(1))
	equal(f, "state", out.Charge.State, receiver.ChargeActive)
	equal(f, "stored due", f.charge(1).Due, pix.Amount(1000))
}

func referencePerConsumer(f *fixture) {
	f.charged(1, 1000)
	other := f.newCharge(1, 700)
	other.Charge.Consumer, other.Charge.TxID = "market", txid(2)
	equal(f, "created", f.create(other)[0].Created, true)
	equal(f, "the first one's due", f.charge(1).Due, pix.Amount(1000))
}

func knownTxID(f *fixture) {
	f.charged(1, 1000)
	other := f.newCharge(2, 700)
	other.Charge.TxID = txid(1)
	out := f.create(other)[0]
	equal(f, "created", out.Created, false)
	equal(f, "reference", out.Charge.Reference, ref(1))
	found, err := f.store.FindCharges(f.ctx(), []receiver.ChargeRef{refOf(2)})
	equal(f, "the other is not stored", must(f, found, err)[0] == nil, true)
}

func referenceTwiceInBatch(f *fixture) {
	second := f.newCharge(1, 900)
	second.Charge.TxID = txid(2)
	out := f.create(f.newCharge(1, 1000), second, f.newCharge(3, 300))
	equal(f, "first created", out[0].Created, true)
	equal(f, "second created", out[1].Created, false)
	equal(f, "second due", out[1].Charge.Due, pix.Amount(1000))
	equal(f, "third created", out[2].Created, true)
}

func unknownChargeIsNil(f *fixture) {
	f.charged(1, 1000)
	f.charged(3, 1000)
	out, err := f.store.FindCharges(f.ctx(), []receiver.ChargeRef{refOf(3), refOf(2), refOf(1)})
	must(f, out, err)
	equal(f, "found", out[0] != nil && out[1] == nil && out[2] != nil, true)
	if !f.Failed() {
		equal(f, "in the order asked", out[0].Reference+" "+out[2].Reference, ref(3)+" "+ref(1))
	}
}

// intended stores orders as intended, due after so many seconds.
func (f *fixture) intended(seconds map[int]int) {
	f.Helper()
	for _, n := range []int{4, 2, 1, 3} {
		c := f.newCharge(n, 1000)
		c.Charge.DueAt = f.now().Add(time.Duration(seconds[n]) * time.Second)
		f.create(c)
	}
}

// leased are the references of the charges a lease takes.
func (f *fixture) leased(limit int) []string {
	f.Helper()
	out, err := f.store.LeaseCharges(f.ctx(), f.lease(limit))
	var refs []string
	for _, c := range must(f, out, err) {
		refs = append(refs, c.Reference)
		sameTime(f, "lease end", c.DueAt, f.now().Add(lease))
	}
	return refs
}

func leaseChargesInOrder(f *fixture) {
	f.intended(map[int]int{1: 2, 2: 1, 3: 2, 4: 100})
	f.record(receiver.ChargeCall{Ref: refOf(3), State: receiver.ChargeActive})
	equal(f, "leased before due", len(f.leased(9)), 0)
	f.clock.pass(2 * time.Second)
	f.create(func() receiver.NewCharge {
		c := f.newCharge(1, 5)
		c.Charge.Consumer, c.Charge.TxID, c.Charge.DueAt = "market", txid(9), f.now()
		return c
	}())
	if got := f.leased(2); !slices.Equal(got, []string{ref(2), ref(1)}) {
		f.Errorf("leased: got %q, want orders 2 and 1", got)
	}
	equal(f, "leased then", len(f.leased(9)), 1)
	equal(f, "leased at last", len(f.leased(9)), 0)
}

func leasedChargeComesBack(f *fixture) {
	f.create(f.newCharge(1, 1000))
	f.clock.pass(lease)
	before := f.charge(1)
	count(f, "leased", f.leased(9), 1)
	equal(f, "version rose", f.charge(1).Version, before.Version+1)
	f.clock.pass(lease - time.Second)
	count(f, "leased while held", f.leased(9), 0)
	f.clock.pass(time.Second)
	count(f, "leased after the lease", f.leased(9), 1)
}

func chargesNextDue(f *fixture) {
	f.idle(receiver.QueueCharges)
	f.intended(map[int]int{1: 20, 2: 10, 3: 30, 4: 40})
	f.dueAt(receiver.QueueCharges, start().Add(10*time.Second))
	f.record(receiver.ChargeCall{Ref: refOf(2), State: receiver.ChargeFailed, Problem: "no"})
	f.dueAt(receiver.QueueCharges, start().Add(20*time.Second))
	f.record(receiver.ChargeCall{Ref: refOf(1), DueAt: start().Add(50 * time.Second)})
	f.dueAt(receiver.QueueCharges, start().Add(30*time.Second))
	f.record(
		receiver.ChargeCall{Ref: refOf(1), State: receiver.ChargeActive},
		receiver.ChargeCall{Ref: refOf(3), State: receiver.ChargeActive},
		receiver.ChargeCall{Ref: refOf(4), State: receiver.ChargeRemoved},
	)
	f.idle(receiver.QueueCharges)
}
