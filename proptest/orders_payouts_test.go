package proptest

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (s lifeStore) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	return met(ctx, s, in, s.kept.ReservePayouts)
}

func (s lifeStore) FindPayouts(ctx context.Context, in []receiver.PayoutRef) ([]*receiver.Payout, error) {
	return met(ctx, s, in, s.kept.FindPayouts)
}

func (s lifeStore) ListPayouts(ctx context.Context, q receiver.PayoutQuery) ([]receiver.Payout, error) {
	return met(ctx, s, q, s.kept.ListPayouts)
}

func (s lifeStore) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	return met(ctx, s, in, s.kept.LeasePayouts)
}

func (s lifeStore) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	return met(ctx, s, in, s.kept.RecordPayouts)
}

func (s lifeStore) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	return met(ctx, s, in, s.kept.ResolvePayouts)
}
