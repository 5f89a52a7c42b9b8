package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// BatchConfig says how callbacks share commits. What is zero becomes the
// default named beside it, but for Delay.
type BatchConfig struct {
	// Items end a flush: it takes as many whole callbacks as fit (256).
	Items int
	// Delay is how long the first of a flush waits for company. Zero flushes as
	// soon as the flush before has ended: callbacks gather while it runs.
	Delay time.Duration
	// Waiting bounds the items that wait for a flush (4,096). Further callbacks
	// are turned away with [receiver.ErrUnavailable]: the PSP sends them again.
	Waiting int
	// Timeout bounds one flush (5 s).
	Timeout time.Duration
	// Flushed, where set, hears of every flush.
	Flushed func(callbacks, items int, err error)
	Clock   receiver.Clock // the machine's
}

func (c *BatchConfig) fill() {
	setDefault(&c.Items, 256)
	setDefault(&c.Waiting, 4096)
	setDefault(&c.Timeout, 5*time.Second)
	if c.Flushed == nil {
		c.Flushed = func(int, int, error) {}
	}
	if c.Clock == nil {
		c.Clock = Clock{}
	}
}

// Batcher is a store on which callbacks that arrive together share one
// AppendInbox of the store behind it: one commit for many, and an answer to each
// only after that commit. A failed flush fails the callbacks that were in it
// and no others. Items of other channels, and all other commands, pass through.
//
// Nothing is flushed unless [Batcher.Run] runs. Make it with [NewBatcher].
type Batcher struct {
	receiver.Store
	cfg BatchConfig

	mu      sync.Mutex
	waiting []*waiter
	items   int // in waiting
	closed  bool

	some chan struct{} // something waits
	full chan struct{} // a flush's worth waits
}

// waiter is one caller's items, and where its answer goes.
type waiter struct {
	in     []receiver.InboxItem
	at     time.Time
	answer chan appended // holds one
}

type appended struct {
	out []receiver.AppendOutcome
	err error
}

// NewBatcher makes a batcher before a store.
func NewBatcher(s receiver.Store, cfg BatchConfig) *Batcher {
	cfg.fill()
	return &Batcher{Store: s, cfg: cfg, some: make(chan struct{}, 1), full: make(chan struct{}, 1)}
}

// AppendInbox waits for the flush that its items are in. A caller that goes
// away before the flush takes its items along; one that goes away while it runs
// does not learn what became of them.
func (b *Batcher) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	if len(in) == 0 || slices.ContainsFunc(in, notByCallback) {
		return b.Store.AppendInbox(ctx, in)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &waiter{in: in, at: b.cfg.Clock.Now(), answer: make(chan appended, 1)}
	if err := b.put(a); err != nil {
		return nil, err
	}
	select {
	case got := <-a.answer:
		return got.out, got.err
	case <-ctx.Done():
		if b.withdraw(a) {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", receiver.ErrCommitUnknown, ctx.Err())
	}
}

func notByCallback(i receiver.InboxItem) bool { return i.Channel != receiver.ChannelCallback }

// put queues items, unless the queue is full. A callback that alone is larger
// than the queue passes when nothing else waits.
func (b *Batcher) put(a *waiter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return fmt.Errorf("%w: the receiver is stopping", receiver.ErrUnavailable)
	case b.items > 0 && b.items+len(a.in) > b.cfg.Waiting:
		return fmt.Errorf("%w: %d items wait to be stored", receiver.ErrUnavailable, b.items)
	}
	b.waiting = append(b.waiting, a)
	b.items += len(a.in)
	signal(b.some)
	if b.items >= b.cfg.Items {
		signal(b.full)
	}
	return nil
}

// Waiting is how many items wait for a flush.
func (b *Batcher) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.items
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

// signal leaves one value for whoever waits.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
