package live

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/pixlab/pixlab/receiver"
)

// Bell wakes the loops of one process when a command of the same process gave
// their queue work. What other processes do is found by polling. Make it with
// [NewBell].
type Bell struct {
	mu     sync.Mutex
	queues map[receiver.Queue]chan struct{}
}

// NewBell makes a bell that nobody has rung.
func NewBell() *Bell { return &Bell{queues: map[receiver.Queue]chan struct{}{}} }

// heard gives one value to one listener after any number of rings.
func (b *Bell) heard(q receiver.Queue) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.queues[q]
	if c == nil {
		c = make(chan struct{}, 1)
		b.queues[q] = c
	}
	return c
}

// ring never waits. [receiver.QueueOutbox] rings for every endpoint's.
func (b *Bell) ring(queues ...receiver.Queue) {
	for _, q := range queues {
		if q == receiver.QueueOutbox {
			b.ring(b.endpoints()...)
			continue
		}
		select {
		case b.heard(q) <- struct{}{}:
		default: // it rings already
		}
	}
}

// endpoints are the queues of the endpoints that somebody listens for.
func (b *Bell) endpoints() []receiver.Queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []receiver.Queue
	for _, q := range slices.Sorted(maps.Keys(b.queues)) {
		if _, is := q.Endpoint(); is {
			out = append(out, q)
		}
	}
	return out
}

// Wrap is the store, with a bell on each command that can give a queue work.
func (b *Bell) Wrap(s receiver.Store) receiver.Store { return belled{s, b} }

type belled struct {
	receiver.Store
	bell *Bell
}

// after rings for a command that went well, and hands its error on.
func (s belled) after(err error, queues ...receiver.Queue) error {
	if err == nil {
		s.bell.ring(queues...)
	}
	return err
}

// AppendInbox does not ring for what was known: a storm of repeats is no work.
func (s belled) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	out, err := s.Store.AppendInbox(ctx, in)
	for _, o := range out {
		if o.Result != receiver.AppendKnown {
			return out, s.after(err, receiver.QueueInbox)
		}
	}
	return out, err
}

func (s belled) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	out, err := s.Store.CreateCharges(ctx, in)
	return out, s.after(err, receiver.QueueInbox, receiver.QueueOutbox)
}

func (s belled) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	out, err := s.Store.ApplyEvents(ctx, in)
	return out, s.after(err, receiver.QueueInbox, receiver.QueueOutbox)
}

func (s belled) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	out, err := s.Store.ReserveRefunds(ctx, in)
	return out, s.after(err, receiver.QueueRefunds)
}

func (s belled) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	out, err := s.Store.RecordRefunds(ctx, in)
	return out, s.after(err, receiver.QueueInbox, receiver.QueueOutbox)
}

func (s belled) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	out, err := s.Store.FinishOutbox(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}

func (s belled) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	out, err := s.Store.RepairEvents(ctx, in)
	return out, s.after(err, receiver.QueueInbox, receiver.QueueOutbox)
}

func (s belled) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	out, err := s.Store.PostAdjustments(ctx, in)
	return out, s.after(err, receiver.QueueInbox, receiver.QueueOutbox)
}

func (s belled) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	out, err := s.Store.RequeueEvents(ctx, in)
	return out, s.after(err, receiver.QueueInbox)
}

func (s belled) AttachPayments(ctx context.Context, in []receiver.Attachment) ([]receiver.AttachOutcome, error) {
	out, err := s.Store.AttachPayments(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}

func (s belled) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	out, err := s.Store.RequestWindow(ctx, in)
	return out, s.after(err, receiver.DutyReconcile)
}

func (s belled) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	out, err := s.Store.ReplayOutbox(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}

func (s belled) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	out, err := s.Store.SkipOutbox(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}

func (s belled) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	out, err := s.Store.CloseCases(ctx, in)
	return out, s.after(err, receiver.QueueOutbox)
}
