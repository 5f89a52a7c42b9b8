package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// believesCallback asks the PSP whether a Pix exists, and books the amount that
// the callback had stated.
func believesCallback() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "believes-callback", Invariant: "I3",
		Doc: "confirms a Pix by a GET and books the callback's amount all the same",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.apply = func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
				err := e.Exec(ctx, "SelectStated", appKeys(in), func(tx *memory.Tx) error {
					for i, a := range in {
						if ev, ok := tx.Event(a.EventID); ok && a.Confirmed != nil && ev.Credit != nil {
							stated := *a.Confirmed
							stated.Amount = ev.Credit.Amount
							in[i].Confirmed = &stated
						}
					}
					return nil
				})
				if err != nil {
					return nil, err
				}
				return e.Store.ApplyEvents(ctx, in)
			}
			return reference(e, o)
		},
	}
}
