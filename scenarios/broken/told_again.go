package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// toldAgain tells the merchant whenever a callback comes, and not when the money
// does: a repeat is another sale over there.
func toldAgain() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "told-again", Invariant: "I11",
		Doc: "tells the merchant of a Pix at every callback about it, known or not",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.append = func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
				out, err := e.Store.AppendInbox(ctx, in)
				if err != nil {
					return out, err
				}
				return out, e.Exec(ctx, "TellAgain", nil, func(tx *memory.Tx) error {
					for i, it := range in {
						if out[i].Result == receiver.AppendKnown && it.Channel == receiver.ChannelCallback && it.Credit != nil {
							tellCredit(tx, *it.Credit)
						}
					}
					return nil
				})
			}
			return reference(e, o)
		},
	}
}

func tellCredit(tx *memory.Tx, c receiver.Credit) {
	p, known := tx.Payment(c.EndToEndID)
	if !known {
		return
	}
	p.Events++
	tx.PutPayment(p)
	tx.AddOutbox(receiver.OutboxEvent{
		EndToEndID: p.EndToEndID, Number: p.Events, Kind: receiver.OutboxCredited, Amount: p.Amount, Charge: p.Charge,
		At: tx.Now(), DueAt: tx.Now(),
	})
}
