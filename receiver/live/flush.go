package live

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// Run flushes until ctx ends. Then nothing more is taken, and what waits is
// flushed before Run returns.
func (b *Batcher) Run(ctx context.Context) error {
	for {
		select {
		case <-b.some:
			b.gather(ctx)
		case <-ctx.Done():
			b.close()
		}
		for calls := b.take(); len(calls) > 0; calls = b.take() {
			b.flush(context.WithoutCancel(ctx), calls)
			if b.cfg.Delay > 0 && ctx.Err() == nil {
				break // what came meanwhile may wait for company, too
			}
		}
		if ctx.Err() != nil && b.close() {
			return nil
		}
	}
}

// gather waits until the first waiting callback has waited long enough, or a
// flush's worth is there.
func (b *Batcher) gather(ctx context.Context) {
	select {
	case <-b.full: // of a flush that was made since
	default:
	}
	left := b.patience()
	if left <= 0 {
		return
	}
	ctx, cancel := b.cfg.Clock.WithTimeout(ctx, left)
	defer cancel()
	select {
	case <-b.full:
	case <-ctx.Done():
	}
}

// patience is how long the next flush may still wait.
func (b *Batcher) patience() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 || b.items >= b.cfg.Items {
		return 0
	}
	return b.cfg.Delay - b.cfg.Clock.Now().Sub(b.waiting[0].at)
}

// take gives the next flush's callbacks: whole ones, and one at least.
func (b *Batcher) take() []*waiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, items := 0, 0
	for _, a := range b.waiting {
		if n > 0 && items+len(a.in) > b.cfg.Items {
			break
		}
		n, items = n+1, items+len(a.in)
	}
	calls := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	b.items -= items
	if len(b.waiting) > 0 {
		signal(b.some)
	}
	return calls
}

// close takes nothing more, and says whether nothing is left.
func (b *Batcher) close() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return len(b.waiting) == 0
}

// flush stores the callbacks' items in one command and answers each caller.
func (b *Batcher) flush(ctx context.Context, calls []*waiter) {
	var items []receiver.InboxItem
	for _, a := range calls {
		items = append(items, a.in...)
	}
	out, err := b.store(ctx, items)
	for _, a := range calls {
		if err != nil {
			a.answer <- appended{err: err}
			continue
		}
		n := len(a.in)
		a.answer <- appended{out: out[:n:n]}
		out = out[n:]
	}
	b.cfg.Flushed(len(calls), len(items), err)
}

// store is AppendInbox within the time-out. A panic in it is an error of this
// flush, and the next one is made all the same.
func (b *Batcher) store(ctx context.Context, items []receiver.InboxItem) (out []receiver.AppendOutcome, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("append to the inbox: %w", &PanicError{Step: "batcher", Value: v, Stack: debug.Stack()})
		}
	}()
	ctx, cancel := b.cfg.Clock.WithTimeout(ctx, b.cfg.Timeout)
	defer cancel()
	out, err = b.Store.AppendInbox(ctx, items)
	if err == nil && len(out) != len(items) {
		err = fmt.Errorf("append to the inbox: %d outcomes for %d items", len(out), len(items))
	}
	return out, err
}
