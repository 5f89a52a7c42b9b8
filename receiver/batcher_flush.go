package receiver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Wait returns when a flush is due: something waits, and its first has waited
// long enough or a flush's worth is there. It returns the context's error when
// that ends first.
func (b *Batcher) Wait(ctx context.Context) error {
	if l := b.someLatch(); l != nil {
		if err := l.Wait(ctx); err != nil {
			return err
		}
	}
	l, left := b.fullLatch()
	if l == nil {
		return ctx.Err()
	}
	patient, cancel := b.cfg.Clock.WithTimeout(ctx, left)
	defer cancel()
	if err := l.Wait(patient); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ctx.Err()
}

// someLatch opens when something waits; nil where something does.
func (b *Batcher) someLatch() Latch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 {
		return nil
	}
	if b.some == nil {
		b.some = b.cfg.NewLatch()
	}
	return b.some
}

// fullLatch opens when a flush's worth waits; nil where the next flush need
// wait no longer.
func (b *Batcher) fullLatch() (Latch, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cfg.Delay == 0 || len(b.waiting) == 0 || b.items >= b.cfg.Items {
		return nil, 0
	}
	left := b.cfg.Delay - b.cfg.Clock.Now().Sub(b.waiting[0].at)
	if left <= 0 {
		return nil, 0
	}
	if b.full == nil {
		b.full = b.cfg.NewLatch()
	}
	return b.full, left
}

// RunOnce makes one flush of what waits, if anything does, and answers each
// caller. The error is the flush's.
func (b *Batcher) RunOnce(ctx context.Context) (Progress, error) {
	calls, items := b.take()
	if len(calls) == 0 {
		return Progress{}, nil
	}
	out, err := []AppendOutcome(nil), errFlushEnded
	// A panic, too, and the end of the process that a lab plays, answers them.
	defer func() { b.answer(calls, len(items), out, err) }()
	out, err = b.store(ctx, items)
	return Progress{Done: len(items)}, err
}

// take gives the next flush's callbacks and their items: whole callbacks, and
// one at least.
func (b *Batcher) take() ([]*waiter, []InboxItem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, count := 0, 0
	for _, a := range b.waiting {
		if n > 0 && count+len(a.in) > b.cfg.Items {
			break
		}
		n, count = n+1, count+len(a.in)
	}
	calls := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	b.items, b.flying = b.items-count, b.flying+count
	items := make([]InboxItem, 0, count)
	for _, a := range calls {
		items = append(items, a.in...)
	}
	return calls, items
}

// store is AppendInbox within the time-out.
func (b *Batcher) store(ctx context.Context, items []InboxItem) ([]AppendOutcome, error) {
	ctx, cancel := b.cfg.Clock.WithTimeout(ctx, b.cfg.Timeout)
	defer cancel()
	out, err := b.Store.AppendInbox(ctx, items)
	if err == nil && len(out) != len(items) {
		err = fmt.Errorf("append to the inbox: %d outcomes for %d items", len(out), len(items))
	}
	return out, err
}

// answer tells each caller what became of its items.
func (b *Batcher) answer(calls []*waiter, items int, out []AppendOutcome, err error) {
	if errors.Is(err, errFlushEnded) {
		err = fmt.Errorf("append to the inbox: %w: %w", ErrCommitUnknown, err)
	}
	b.mu.Lock()
	b.flying -= items
	b.mu.Unlock()
	for _, a := range calls {
		if a.err = err; err == nil {
			n := len(a.in)
			a.out, out = out[:n:n], out[n:]
		}
		a.done.Open()
	}
	b.cfg.Flushed(len(calls), items, err)
}
