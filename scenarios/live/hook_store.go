package live

import (
	"context"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Wrap is the store with the run asked at the edges of its commands.
func (h *Hook) Wrap(s receiver.Store) receiver.Store { return hooked{s, h} }

// hooked asks about the commands that fault kinds strike; the others pass.
type hooked struct {
	receiver.Store
	h *Hook
}

// around carries out a command between its two edges. ids names the items.
func around[I, O any](ctx context.Context, h *Hook, command string, in []I, id func(I) string, do func() ([]O, error)) ([]O, error) {
	if !h.asks(command) {
		return do()
	}
	q := Question{Command: command, Edge: chaos.EdgeBefore, IDs: names(in, id)}
	counts, err := h.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	out, err := do()
	if err != nil {
		return out, err
	}
	q.Edge, q.Counts = chaos.EdgeAfter, counts
	if _, err := h.ask(ctx, q); err != nil {
		return nil, err
	}
	return out, nil
}

// claimed carries out a command that names its items when it has run.
func claimed[O any](ctx context.Context, h *Hook, command string, id func(O) string, do func() ([]O, error)) ([]O, error) {
	out, err := do()
	if err != nil || len(out) == 0 || !h.asks(command) {
		return out, err
	}
	if _, err := h.ask(ctx, Question{Command: command, Edge: chaos.EdgeAfter, IDs: names(out, id)}); err != nil {
		return nil, err
	}
	return out, nil
}

func names[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = id(x)
	}
	return out
}

func (s hooked) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	return around(ctx, s.h, chaos.CommandCreateCharges, in,
		func(c receiver.NewCharge) string { return c.Charge.Reference },
		func() ([]receiver.CreateOutcome, error) { return s.Store.CreateCharges(ctx, in) })
}

func (s hooked) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	return around(ctx, s.h, chaos.CommandRecordCalls, in,
		func(c receiver.ChargeCall) string { return c.Ref.Reference },
		func() ([]receiver.CallOutcome, error) { return s.Store.RecordCalls(ctx, in) })
}

func (s hooked) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return around(ctx, s.h, chaos.CommandAppendInbox, in, itemID,
		func() ([]receiver.AppendOutcome, error) { return s.Store.AppendInbox(ctx, in) })
}

// itemID is the Pix that an item speaks of, empty on an unreadable one.
func itemID(it receiver.InboxItem) string {
	switch {
	case it.Credit != nil:
		return string(it.Credit.EndToEndID)
	case it.Refund != nil:
		return string(it.Refund.EndToEndID)
	}
	return ""
}

func (s hooked) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	return claimed(ctx, s.h, chaos.CommandClaimEvents,
		func(e receiver.Event) string { return string(e.EndToEndID()) },
		func() ([]receiver.Event, error) {
			out, err := s.Store.ClaimEvents(ctx, in)
			s.h.remember(out)
			return out, err
		})
}

// mostEvents bounds what is remembered of claimed events.
const mostEvents = 100_000

// remember keeps what events are about: an application names them by number.
func (h *Hook) remember(events []receiver.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) > mostEvents {
		clear(h.events)
	}
	for i := range events {
		h.events[events[i].ID] = string(events[i].EndToEndID())
	}
}

func (h *Hook) event(a receiver.Application) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events[a.EventID]
}

func (s hooked) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	return around(ctx, s.h, chaos.CommandApplyEvents, in, s.h.event,
		func() ([]receiver.ApplyOutcome, error) { return s.Store.ApplyEvents(ctx, in) })
}

func (s hooked) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	return claimed(ctx, s.h, chaos.CommandLeaseOutbox,
		func(e receiver.OutboxEvent) string { return string(e.EndToEndID) },
		func() ([]receiver.OutboxEvent, error) { return s.Store.LeaseOutbox(ctx, in) })
}

func (s hooked) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	return around(ctx, s.h, chaos.CommandMatchStatement, in,
		func(l pix.StatementLine) string { return string(l.EndToEndID) },
		func() ([]receiver.MatchOutcome, error) { return s.Store.MatchStatement(ctx, in) })
}

func (s hooked) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	return around(ctx, s.h, chaos.CommandReserveRefunds, in,
		func(r receiver.NewRefund) string { return r.Refund.Reference },
		func() ([]receiver.ReserveOutcome, error) { return s.Store.ReserveRefunds(ctx, in) })
}

func (s hooked) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	return claimed(ctx, s.h, chaos.CommandLeaseRefunds,
		func(r receiver.Refund) string { return r.Reference },
		func() ([]receiver.Refund, error) { return s.Store.LeaseRefunds(ctx, in) })
}

func (s hooked) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	return around(ctx, s.h, chaos.CommandRecordRefunds, in,
		func(c receiver.RefundCall) string { return c.Ref.Reference },
		func() ([]receiver.Refund, error) { return s.Store.RecordRefunds(ctx, in) })
}

func (s hooked) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	return around(ctx, s.h, chaos.CommandReservePayouts, in,
		func(p receiver.NewPayout) string { return p.Payout.Reference },
		func() ([]receiver.ReservePayoutOutcome, error) { return s.Store.ReservePayouts(ctx, in) })
}

func (s hooked) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	return claimed(ctx, s.h, chaos.CommandLeasePayouts,
		func(p receiver.Payout) string { return p.Reference },
		func() ([]receiver.Payout, error) { return s.Store.LeasePayouts(ctx, in) })
}

func (s hooked) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	return around(ctx, s.h, chaos.CommandRecordPayouts, in,
		func(c receiver.PayoutCall) string { return c.Ref.Reference },
		func() ([]receiver.Payout, error) { return s.Store.RecordPayouts(ctx, in) })
}

func (s hooked) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	var ok bool
	out, err := around(ctx, s.h, chaos.CommandBeginDuty, []receiver.Queue{in.Name}, dutyName,
		func() ([]receiver.Duty, error) {
			d, begun, err := s.Store.BeginDuty(ctx, in)
			ok = begun
			return []receiver.Duty{d}, err
		})
	if err != nil {
		return receiver.Duty{}, false, err
	}
	return out[0], ok, nil
}

func (s hooked) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	out, err := around(ctx, s.h, chaos.CommandSaveDuty, []receiver.Queue{d.Name}, dutyName,
		func() ([]bool, error) {
			ok, err := s.Store.SaveDuty(ctx, d, done)
			return []bool{ok}, err
		})
	if err != nil {
		return false, err
	}
	return out[0], nil
}

func dutyName(q receiver.Queue) string { return string(q) }
