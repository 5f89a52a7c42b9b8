package proptest

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (w *watched) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	return told(ctx, w, "ReservePayouts", in, w.pg.ReservePayouts)
}

func (w *watched) FindPayouts(ctx context.Context, in []receiver.PayoutRef) ([]*receiver.Payout, error) {
	return seen(ctx, in, w.pg.FindPayouts)
}

func (w *watched) ListPayouts(ctx context.Context, q receiver.PayoutQuery) ([]receiver.Payout, error) {
	return seen(ctx, q, w.pg.ListPayouts)
}

func (w *watched) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	return told(ctx, w, "LeasePayouts", in, w.pg.LeasePayouts)
}

func (w *watched) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	return told(ctx, w, "RecordPayouts", in, w.pg.RecordPayouts)
}

func (w *watched) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	return told(ctx, w, "ResolvePayouts", in, w.pg.ResolvePayouts)
}
