package broken

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// keyApart stores a refund's key and answer in one transaction, and the refund
// in another.
func keyApart() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "key-apart", Invariant: "I15",
		Doc: "stores key and answer in one transaction and the refund in the next",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.reserve = func(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
				out := make([]receiver.ReserveOutcome, len(in))
				for i, n := range in {
					var err error
					if out[i], err = reserveApart(ctx, e, n); err != nil {
						return nil, err
					}
				}
				return out, nil
			}
			return reference(e, o)
		},
	}
}

// reserveApart answers from the key if it has it. Else it stores the answer that
// it expects, and then does what it says.
func reserveApart(ctx context.Context, e scenarios.Env, n receiver.NewRefund) (receiver.ReserveOutcome, error) {
	claim, want := *n.Key, n.Refund
	want.State = receiver.RefundReserved
	expected := n.Answer(receiver.ReserveOutcome{Result: receiver.ReserveDone, Refund: want})
	var key receiver.KeyOutcome
	work := false
	err := e.Exec(ctx, "InsertKey", []string{want.Reference}, func(tx *memory.Tx) error {
		var row *receiver.Key
		if k, ok := tx.Key(claim.Ref); ok {
			row = &k
		}
		var next receiver.Key
		if key, next, work = claim.Begin(row, false, n.At); work {
			tx.PutKey(next.Done(expected, want.Reference, n.At))
		}
		return nil
	})
	if err != nil || !work {
		return receiver.ReserveOutcome{Key: key}, err
	}
	// Here is the gap: who dies has promised what is not there.
	n.Key = nil
	outs, err := e.Store.ReserveRefunds(ctx, []receiver.NewRefund{n})
	if err != nil {
		return receiver.ReserveOutcome{}, err
	}
	answer := n.Answer(outs[0])
	err = e.Exec(ctx, "UpdateKey", []string{want.Reference}, func(tx *memory.Tx) error {
		if k, ok := tx.Key(claim.Ref); ok {
			k.Answer = answer
			if !answer.Kept() {
				k.State, k.HeldUntil, k.Answer = receiver.KeyInFlight, n.At, receiver.Answer{}
			}
			tx.PutKey(k)
		}
		return nil
	})
	outs[0].Key = receiver.KeyOutcome{Result: receiver.KeyDone, Answer: answer}
	return outs[0], err
}

// orphanUnasked takes an orphaned key over as if its request had never begun:
// neither the store nor the PSP is asked, and the charge is made anew.
func orphanUnasked() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "orphan-unasked", Invariant: "I15",
		Doc: "takes the key of a dead request over without asking what became of it",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			return reference(e, unasked{e.Store, e})
		},
	}
}

// unasked is a store that starts orphans over.
type unasked struct {
	receiver.Store
	env scenarios.Env
}

// CreateCharges makes the charge of an orphan anew, under another txid.
func (u unasked) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	n := in[0]
	ref := receiver.ChargeRef{Consumer: n.Charge.Consumer, Reference: n.Charge.Reference}
	found, err := u.FindKeys(ctx, []receiver.KeyRef{n.Key.Ref})
	if err != nil {
		return nil, err
	}
	orphan := found[0]
	if orphan == nil || orphan.State != receiver.KeyInFlight || n.At.Before(orphan.HeldUntil) || orphan.Hash != n.Key.Hash {
		return u.Store.CreateCharges(ctx, in)
	}
	out := receiver.CreateOutcome{Created: true}
	err = u.env.Exec(ctx, "RestartCharge", []string{ref.Reference}, func(tx *memory.Tx) error {
		c, _ := tx.Charge(ref)
		version := orphan.Version + 1
		c.TxID = pix.TxID(u.env.Config.NewID("txid", ref.Reference+"/"+strconv.FormatInt(version, 10), len(c.TxID)))
		c.State, c.DueAt = receiver.ChargeIntended, n.Charge.DueAt
		if err := tx.PutCharge(c); err != nil {
			return err
		}
		key := *orphan
		key.Version, key.HeldUntil = version, n.At.Add(n.Key.Window)
		tx.PutKey(key)
		out.Charge, out.Key = c, receiver.KeyOutcome{Result: receiver.KeyMine, Version: version}
		return nil
	})
	return []receiver.CreateOutcome{out}, err
}
