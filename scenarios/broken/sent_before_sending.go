package broken

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// sentBeforeSending marks an event as sent when it takes it, so that no other
// process sends it too. Whatever stops the sending, nobody hears of it.
func sentBeforeSending() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "sent-before-sending", Invariant: "I12",
		Doc: "marks what it has for the merchant as sent, and sends it then",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.leaseOutbox = func(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
				events, err := e.Store.LeaseOutbox(ctx, in)
				if err != nil || len(events) == 0 {
					return events, err
				}
				results := make([]receiver.OutboxResult, len(events))
				for i, ev := range events {
					results[i] = receiver.OutboxResult{ID: ev.ID, Version: ev.Version, Sent: true}
				}
				_, err = e.Store.FinishOutbox(ctx, results)
				return events, err
			}
			return reference(e, o)
		},
	}
}
