package scenarios

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// latch has actors of one instance wait for each other: whoever waits is parked
// until it is opened, or until its deadline.
type latch struct {
	w       *World
	open    bool
	waiting []*actor
}

var _ receiver.Latch = (*latch)(nil)

// Open implements receiver.Latch.
func (l *latch) Open() {
	if l.open {
		return
	}
	l.open = true
	for _, a := range l.waiting {
		l.w.sched.Rewake(a.task, l.w.sched.Now())
	}
	l.waiting = nil
}

// Wait implements receiver.Latch.
func (l *latch) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.open {
		return nil
	}
	a := l.w.self()
	l.waiting = append(l.waiting, a)
	a.park(deadline(ctx), "", "latch")
	if l.open {
		return nil
	}
	return context.DeadlineExceeded
}
