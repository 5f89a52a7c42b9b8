package broken

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// seenBeforeDone marks events as processed when it takes them. Whatever stops
// the work in between has thrown the money away: every repeat is "already seen".
func seenBeforeDone() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "seen-before-done", Invariant: "I2",
		Doc: "records an event as processed before the work has succeeded (and reconciles nothing)",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.claim = func(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
				events, err := e.Store.ClaimEvents(ctx, in)
				if err != nil || len(events) == 0 {
					return events, err
				}
				return events, e.Exec(ctx, "MarkProcessed", eventKeys(events), func(tx *memory.Tx) error {
					for _, ev := range events {
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
			return reference(e, o, "reconcile")
		},
	}
}

func eventKeys(events []receiver.Event) []string {
	keys := make([]string, len(events))
	for i, ev := range events {
		if ev.Credit != nil {
			keys[i] = string(ev.Credit.EndToEndID)
		}
	}
	return keys
}

// applySeen books events that are marked already.
func applySeen(ctx context.Context, e scenarios.Env, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	out := make([]receiver.ApplyOutcome, len(in))
	err := e.Exec(ctx, "BookSeen", appKeys(in), func(tx *memory.Tx) error {
		for i, a := range in {
			ev, ok := tx.Event(a.EventID)
			if !ok || ev.Credit == nil {
				continue
			}
			c, confirmed := *ev.Credit, ev.Confirmed
			if a.Confirmed != nil {
				c, confirmed = *a.Confirmed, true
			}
			if _, known := tx.Payment(c.EndToEndID); known {
				out[i].Result = receiver.ApplyKnown
				continue
			}
			out[i].Result = receiver.ApplyBooked
			if err := book(tx, c, confirmed, nil, receiver.CreditReference(c.EndToEndID)); err != nil {
				out[i].Result = receiver.ApplyConfirm
			}
		}
		return nil
	})
	return out, err
}

func appKeys(in []receiver.Application) []string {
	keys := make([]string, len(in))
	for i, a := range in {
		keys[i] = "event/" + strconv.FormatInt(a.EventID, 10)
	}
	return keys
}
