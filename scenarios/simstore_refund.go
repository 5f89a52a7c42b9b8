package scenarios

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (s *simStore) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	return batch(s, "ReserveRefunds", in,
		func(r receiver.NewRefund) string { return s.id(r.Refund.Reference) },
		func(o receiver.ReserveOutcome) string { return sayKey(sayReason(string(o.Result), o.Reason), o.Key) },
		func() ([]receiver.ReserveOutcome, error) {
			outs, err := s.inner.ReserveRefunds(ctx, in)
			for i, o := range outs {
				if o.Result == receiver.ReserveRefused {
					want := in[i].Refund
					s.in.w.refusedRefunds[want.Reference] = s.in.w.wronglyRefused(s.id(want.Reference), want.EndToEndID, want.Amount)
				}
			}
			return outs, err
		})
}

func (s *simStore) FindRefunds(ctx context.Context, in []receiver.RefundRef) ([]*receiver.Refund, error) {
	return batch(s, "FindRefunds", in,
		func(r receiver.RefundRef) string { return s.id(r.Reference) },
		func(r *receiver.Refund) string { return "found=" + sayBool(r != nil) },
		func() ([]*receiver.Refund, error) { return s.inner.FindRefunds(ctx, in) })
}

func (s *simStore) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	return lease(s, "LeaseRefunds", func(r receiver.Refund) string { return s.id(r.Reference) },
		func() ([]receiver.Refund, error) { return s.inner.LeaseRefunds(ctx, in) })
}

func (s *simStore) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	return batch(s, "RecordRefunds", in,
		func(c receiver.RefundCall) string { return s.id(c.Ref.Reference) },
		func(r receiver.Refund) string { return string(r.State) },
		func() ([]receiver.Refund, error) { return s.inner.RecordRefunds(ctx, in) })
}

func (s *simStore) UnseenRefunds(ctx context.Context, q receiver.UnseenRefundQuery) ([]receiver.Refund, error) {
	return lease(s, "UnseenRefunds", func(r receiver.Refund) string { return s.id(string(r.EndToEndID)) },
		func() ([]receiver.Refund, error) { return s.inner.UnseenRefunds(ctx, q) })
}

func (s *simStore) PutMemos(ctx context.Context, in []receiver.Memo) ([]bool, error) {
	return batch(s, "PutMemos", in,
		func(m receiver.Memo) string { return m.ID }, sayBool,
		func() ([]bool, error) { return s.inner.PutMemos(ctx, in) })
}
