package scenarios

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (s *simStore) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	return batch(s, "ReservePayouts", in,
		func(p receiver.NewPayout) string { return s.id(p.Payout.Reference) },
		func(o receiver.ReservePayoutOutcome) string { return sayReason(string(o.Result), o.Reason) },
		func() ([]receiver.ReservePayoutOutcome, error) {
			outs, err := s.inner.ReservePayouts(ctx, in)
			for i, o := range outs {
				if o.Result == receiver.ReserveRefused {
					want := in[i].Payout
					s.in.w.refusedPayouts[want.Reference] = s.in.w.wronglyRefusedPayout(s.id(want.Reference), want.Amount)
				}
			}
			return outs, err
		})
}

func (s *simStore) FindPayouts(ctx context.Context, in []receiver.PayoutRef) ([]*receiver.Payout, error) {
	return batch(s, "FindPayouts", in,
		func(r receiver.PayoutRef) string { return s.id(r.Reference) },
		func(p *receiver.Payout) string { return "found=" + sayBool(p != nil) },
		func() ([]*receiver.Payout, error) { return s.inner.FindPayouts(ctx, in) })
}

func (s *simStore) ListPayouts(ctx context.Context, q receiver.PayoutQuery) ([]receiver.Payout, error) {
	return lease(s, "ListPayouts", func(p receiver.Payout) string { return s.id(p.Reference) },
		func() ([]receiver.Payout, error) { return s.inner.ListPayouts(ctx, q) })
}

func (s *simStore) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	return lease(s, "LeasePayouts", func(p receiver.Payout) string { return s.id(p.Reference) },
		func() ([]receiver.Payout, error) { return s.inner.LeasePayouts(ctx, in) })
}

func (s *simStore) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	return batch(s, "RecordPayouts", in,
		func(c receiver.PayoutCall) string { return s.id(c.Ref.Reference) }, sayPayout,
		func() ([]receiver.Payout, error) { return s.inner.RecordPayouts(ctx, in) })
}

func sayPayout(p receiver.Payout) string {
	if p.Queued {
		return string(p.State) + ", queued"
	}
	return string(p.State)
}

func (s *simStore) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	return batch(s, "ResolvePayouts", in,
		func(r receiver.PayoutResolution) string { return s.id(r.Ref.Reference) }, sayBool,
		func() ([]bool, error) { return s.inner.ResolvePayouts(ctx, in) })
}
