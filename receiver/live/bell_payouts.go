package live

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (s belled) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	out, err := s.Store.ReservePayouts(ctx, in)
	return out, s.after(err, receiver.QueuePayouts)
}

func (s belled) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	out, err := s.Store.RecordPayouts(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}

func (s belled) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	out, err := s.Store.ResolvePayouts(ctx, in)
	return out, s.after(err, receiver.QueuePayouts, receiver.QueueOutbox)
}
