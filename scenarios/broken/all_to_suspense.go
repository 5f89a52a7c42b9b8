package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// allToSuspense never looks at the txid. No cent is lost, and no sale is paid.
func allToSuspense() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "all-to-suspense", Invariant: "I16",
		Doc: "books everything as unidentified and lets people sort it out",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.apply = func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
				out := make([]receiver.ApplyOutcome, len(in))
				err := e.Exec(ctx, "BookSuspense", appKeys(in), func(tx *memory.Tx) error {
					for i, a := range in {
						var err error
						if out[i].Result, err = suspend(tx, a); err != nil {
							return err
						}
					}
					return nil
				})
				return out, err
			}
			return reference(e, o)
		},
	}
}

func suspend(tx *memory.Tx, a receiver.Application) (receiver.ApplyResult, error) {
	ev, ok := tx.Event(a.EventID)
	if !ok || ev.Credit == nil {
		return receiver.ApplyLost, nil
	}
	c, confirmed := *ev.Credit, ev.Confirmed
	if a.Confirmed != nil {
		c, confirmed = *a.Confirmed, true
	}
	if !confirmed {
		return receiver.ApplyConfirm, nil
	}
	ev, held, err := finish(tx, a)
	if err != nil || !held {
		return receiver.ApplyLost, err
	}
	if _, known := tx.Payment(ev.Credit.EndToEndID); known {
		return receiver.ApplyKnown, nil
	}
	d := tx.Rules().Credit(receiver.CreditFacts{Credit: c, Confirmed: true, At: tx.Now()})
	if d.Result != receiver.ApplyBooked {
		return d.Result, nil
	}
	return receiver.ApplyBooked, write(tx, d)
}
