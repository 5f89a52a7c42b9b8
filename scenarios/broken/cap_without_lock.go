package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// capWithoutLock reads what is left of a Pix in one transaction and takes the
// refund out of it in another: two requests both find enough.
func capWithoutLock() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "cap-without-lock", Invariant: "I7",
		Doc: "checks a refund against what is left, and reserves it in another transaction",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.reserve = func(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
				out := make([]receiver.ReserveOutcome, len(in))
				for i, n := range in {
					var err error
					if out[i], err = reserveUnlocked(ctx, e, n); err != nil {
						return nil, err
					}
				}
				return out, nil
			}
			return reference(e, o)
		},
	}
}

func reserveUnlocked(ctx context.Context, e scenarios.Env, n receiver.NewRefund) (receiver.ReserveOutcome, error) {
	want := n.Refund
	subject := []string{string(want.EndToEndID)}
	var seen *receiver.Payment
	known := false
	err := e.Exec(ctx, "SelectRest", subject, func(tx *memory.Tx) error {
		if p, ok := tx.Payment(want.EndToEndID); ok {
			seen = &p
		}
		_, known = tx.Refund(receiver.RefundRef{Consumer: want.Consumer, Reference: want.Reference})
		return nil
	})
	if err != nil {
		return receiver.ReserveOutcome{}, err
	}
	if known {
		outs, err := e.Store.ReserveRefunds(ctx, []receiver.NewRefund{n})
		if err != nil {
			return receiver.ReserveOutcome{}, err
		}
		return outs[0], nil
	}
	result, reason, _ := receiver.Rules{}.Reserve(seen, want, 1<<60, n.At)
	if result != receiver.ReserveDone {
		return receiver.ReserveOutcome{Result: result, Reason: reason}, nil
	}
	// Here is the gap: another request finds the same rest.
	err = e.Exec(ctx, "InsertRefund", subject, func(tx *memory.Tx) error {
		p, _ := tx.Payment(want.EndToEndID)
		rest := p
		rest.Held.Revenue += want.Amount // what was seen is taken for what is there
		_, _, d := tx.Rules().Reserve(&rest, want, 1<<60, n.At)
		if d.Refund == nil {
			return nil
		}
		if err := tx.Post(*d.Transaction); err != nil {
			return err
		}
		p.Held = d.Payment.Held
		p.Held.Revenue -= want.Amount
		p.Refunding += want.Amount
		tx.PutPayment(p)
		for _, n := range d.Notes {
			tx.OpenCase(n, want.EndToEndID, tx.Now())
		}
		want = *d.Refund
		return tx.PutRefund(want)
	})
	return receiver.ReserveOutcome{Result: receiver.ReserveDone, Refund: want}, err
}
