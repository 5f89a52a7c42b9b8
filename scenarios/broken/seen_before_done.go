package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// seenBeforeDone marks events as processed when it takes them. Whatever stops
// the work in between has thrown the money away: every repeat is "already seen".
func seenBeforeDone() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "seen-before-done", Invariant: "I2",
		Doc: "records an event as processed before the work has succeeded (and repairs nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store, repair: repairsNothing}
			o.claim = func(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
				events, err := e.Store.ClaimEvents(ctx, in)
				if err != nil || len(events) == 0 {
					return events, err
				}
				return events, e.Exec(ctx, "MarkProcessed", eventKeys(events), func(tx *memory.Tx) error {
					for _, ev := range events {
						if ev.Credit == nil {
							continue
						}
						ev.State = receiver.EventProcessed
						if _, err := tx.PutEvent(ev); err != nil {
							return err
						}
					}
					return nil
				})
			}
			o.apply = func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
				return applySeen(ctx, e, in)
			}
			return reference(e, o)
		},
	}
}

func eventKeys(events []receiver.Event) []string {
	keys := make([]string, len(events))
	for i, ev := range events {
		keys[i] = string(ev.EndToEndID())
	}
	return keys
}

// applySeen books credits that are marked already. Events about refunds are
// given back to the store, which wants them unmarked.
func applySeen(ctx context.Context, e scenarios.Env, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	out := make([]receiver.ApplyOutcome, len(in))
	err := e.Exec(ctx, "BookSeen", appKeys(in), func(tx *memory.Tx) error {
		for i, a := range in {
			ev, ok := tx.Event(a.EventID)
			if !ok || ev.Credit == nil {
				continue
			}
			out[i].Result = bookSeen(tx, ev, a)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return applyRest(ctx, e, in, out)
}

func bookSeen(tx *memory.Tx, ev receiver.Event, a receiver.Application) receiver.ApplyResult {
	c, confirmed := told(ev, a)
	if _, known := tx.Payment(c.EndToEndID); known {
		return receiver.ApplyKnown
	}
	if err := book(tx, c, confirmed, receiver.CreditReference(c.EndToEndID)); err != nil {
		return receiver.ApplyConfirm
	}
	return receiver.ApplyBooked
}
