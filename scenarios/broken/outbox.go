package broken

import (
	"context"
	"slices"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// outboxByLastNumber reads the outbox as a log, from the last number seen on:
// what failed to go out is behind it, and is never looked at again.
func outboxByLastNumber() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "outbox-by-last-number", Invariant: "I12",
		Doc: "remembers the number of the last outbox event that it read, instead of which are out",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.finish = func(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
				passed := slices.Clone(in)
				for i := range passed {
					passed[i].Sent = true
				}
				return e.Store.FinishOutbox(ctx, passed)
			}
			return reference(e, o)
		},
	}
}

// refundedBeforeCredited gives refunds the way: whoever reads the outbox by what
// is urgent tells of a refund before the credit that it is of.
func refundedBeforeCredited() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "refunded-before-credited", Invariant: "I18",
		Doc: "sends refunds before credits, whatever their order",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.leaseOutbox = func(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
				urgent, err := leaseRefunds(ctx, e, in)
				if err != nil || len(urgent) > 0 {
					return urgent, err
				}
				return e.Store.LeaseOutbox(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// leaseRefunds takes the events about refunds that are not out, wherever they
// stand in their lines.
func leaseRefunds(ctx context.Context, e scenarios.Env, in receiver.Lease) (out []receiver.OutboxEvent, err error) {
	err = e.Exec(ctx, "LeaseUrgent", nil, func(tx *memory.Tx) error {
		out = out[:0]
		for id := int64(1); len(out) < in.Limit; id++ {
			o, ok := tx.Outbox(id)
			if !ok {
				return nil
			}
			if o.Endpoint != in.Endpoint || o.Refund == "" || o.Sent || o.Dead || o.DueAt.After(in.Now) {
				continue
			}
			o.DueAt = in.Now.Add(in.For)
			o.Version++
			o.Attempts++
			if err := tx.PutOutbox(o); err != nil {
				return err
			}
			out = append(out, o)
		}
		return nil
	})
	return out, err
}
