package receiver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Latch is shut until it is opened, and then stays open. One part of a process
// waits at it for another, by whatever means the process has of waiting: live
// a channel, in the lab its schedule.
type Latch interface {
	// Open lets everybody pass. Opening it again does nothing.
	Open()
	// Wait returns once the latch is open, or with the context's error.
	Wait(ctx context.Context) error
}

// BatchConfig says how callbacks share commits. What is zero becomes the
// default named beside it, but for Delay.
type BatchConfig struct {
	// Items end a flush: it takes as many whole callbacks as fit (256).
	Items int
	// Delay is how long the first of a flush waits for company. Zero flushes as
	// soon as the flush before has ended: callbacks gather while it runs.
	Delay time.Duration
	// Waiting bounds the items that wait for a flush (4,096). Further callbacks
	// are turned away with [ErrUnavailable]: the PSP sends them again.
	Waiting int
	// Timeout bounds one flush (5 s).
	Timeout time.Duration
	// Flushed, where set, hears of every flush.
	Flushed func(callbacks, items int, err error)
	Clock   Clock
	// NewLatch makes what callers wait at.
	NewLatch func() Latch
}

func (c *BatchConfig) fill() {
	set(&c.Waiting, 4096)
	set(&c.Items, 256)
	set(&c.Timeout, 5*time.Second)
	if c.Flushed == nil {
		c.Flushed = func(int, int, error) {}
	}
}

// Batcher is a store on which callbacks that arrive together share one
// AppendInbox of the store behind it: one commit for many, and an answer to each
// only after that commit. A failed flush fails the callbacks that were in it
// and no others. Items of other channels, and all other commands, pass through.
//
// It is an actor of its own: nothing is flushed but by [Batcher.RunOnce], which
// somebody has to repeat as long as [Batcher.Wait] says that there is something
// to do. No lock is held while a flush runs or a caller waits.
type Batcher struct {
	Store
	cfg BatchConfig

	mu      sync.Mutex
	waiting []*waiter
	items   int // in waiting
	flying  int // items of flushes that run
	closed  bool
	// What Wait waits at, made by it: opened when something waits, and when a
	// flush's worth does.
	some, full Latch
}

// waiter is one caller's items, and its answer once the latch is open.
type waiter struct {
	in   []InboxItem
	at   time.Time
	done Latch
	out  []AppendOutcome
	err  error
}

// NewBatcher makes a batcher before a store.
func NewBatcher(s Store, cfg BatchConfig) *Batcher {
	cfg.fill()
	return &Batcher{Store: s, cfg: cfg}
}

// AppendInbox waits for the flush that its items are in. A caller that goes
// away before the flush takes its items along; one that goes away while it runs
// does not learn what became of them.
func (b *Batcher) AppendInbox(ctx context.Context, in []InboxItem) ([]AppendOutcome, error) {
	if len(in) == 0 || slices.ContainsFunc(in, notByCallback) {
		return b.Store.AppendInbox(ctx, in)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &waiter{in: in, at: b.cfg.Clock.Now(), done: b.cfg.NewLatch()}
	if err := b.put(a); err != nil {
		return nil, err
	}
	if err := a.done.Wait(ctx); err != nil {
		if b.withdraw(a) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrCommitUnknown, err)
	}
	return a.out, a.err
}

func notByCallback(i InboxItem) bool { return i.Channel != ChannelCallback }

// put queues items, unless the queue is full. A callback that alone is larger
// than the queue passes when nothing else waits.
func (b *Batcher) put(a *waiter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return fmt.Errorf("%w: the receiver is stopping", ErrUnavailable)
	case b.items > 0 && b.items+len(a.in) > b.cfg.Waiting:
		return fmt.Errorf("%w: %d items wait to be stored", ErrUnavailable, b.items)
	}
	b.waiting = append(b.waiting, a)
	b.items += len(a.in)
	b.tell()
	return nil
}

// tell opens what there is to be opened. The lock is held.
func (b *Batcher) tell() {
	if b.some != nil && len(b.waiting) > 0 {
		b.some.Open()
		b.some = nil
	}
	if b.full != nil && b.items >= b.cfg.Items {
		b.full.Open()
		b.full = nil
	}
}

// Waiting is how many items wait for a flush.
func (b *Batcher) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.items
}

// Load is how many items wait for a flush or are in one.
func (b *Batcher) Load() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.items + b.flying
}

// Close takes nothing more. What waits is still there for RunOnce.
func (b *Batcher) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// withdraw takes a caller's items out of the queue; false when a flush has them.
func (b *Batcher) withdraw(a *waiter) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, a)
	if i < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.items -= len(a.in)
	return true
}

// errFlushEnded is what callers hear of a flush that never came to its end.
var errFlushEnded = errors.New("the flush ended early")
