package live

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// RecordRefunds counts the ends that this very command booked: those of its
// own instant.
func (s *counted) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	began := s.clock.Now()
	out, err := s.Store.RecordRefunds(ctx, in)
	s.timed("record_refunds", began, err)
	for i, r := range out {
		if r.State.Final() && r.FinishedAt.Equal(in[i].Now) {
			s.m.refunds.WithLabelValues(string(r.State)).Inc()
		}
	}
	return out, err
}

func (s *counted) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.RepairEvents(ctx, in)
	s.timed("repair_events", began, err)
	for i, o := range out {
		if o.Result != receiver.ApplyBooked {
			continue
		}
		if x := in[i].Item.Refund; x != nil {
			s.booked(claim{end: endOf(x.Status)}, true)
		} else if c := in[i].Item.Credit; c != nil {
			s.booked(claim{amount: c.Amount}, true)
		}
	}
	return out, err
}

func (s *counted) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.ReserveRefunds(ctx, in)
	s.timed("reserve_refunds", began, err)
	return out, err
}

func (s *counted) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.CreateCharges(ctx, in)
	s.timed("create_charges", began, err)
	for i, o := range out {
		if o.Key.TookOver {
			s.m.orphans.WithLabelValues(in[i].Key.Ref.Route).Inc()
		}
	}
	return out, err
}

func (s *counted) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.MatchStatement(ctx, in)
	s.timed("match_statement", began, err)
	s.m.matched(out)
	return out, err
}

func (s *counted) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	began := s.clock.Now()
	out, err := s.Store.LeaseOutbox(ctx, in)
	s.timed("lease_outbox", began, err)
	return out, err
}

func (s *counted) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	began := s.clock.Now()
	due, some, err := s.Store.NextDue(ctx, q)
	s.timed("next_due", began, err)
	return due, some, err
}
