package scenarios

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// clock is an instance's clock: the world's, moved by the skew in force.
type clock struct{ inst *instance }

// Now is the instance's idea of the time.
func (c clock) Now() time.Time {
	w := c.inst.w
	now := w.sched.Now()
	if m := w.faults.At(c.inst.clockPlace, now); m.Any() && m.Change.SkewMS != 0 {
		w.tally.Fire(m.From)
		now += chaos.MS(m.Change.SkewMS)
	}
	return w.instant(now)
}

// Sleep parks for d.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := c.inst.w
	w.self().park(w.sched.Now()+chaos.Span(d), "", "sleep")
	return ctx.Err()
}

// WithTimeout bounds a context by virtual time. No goroutine watches it: calls
// look at their deadline when they park.
func (c clock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return &deadlineContext{ctx, c.inst.w, c.inst.w.sched.Now() + chaos.Span(d)}, func() {}
}

type deadlineKey struct{}

type deadlineContext struct {
	context.Context
	w  *World
	at chaos.Instant
}

// Deadline is the virtual one.
func (c *deadlineContext) Deadline() (time.Time, bool) { return c.w.instant(c.at), true }

// Err is set once the deadline has passed.
func (c *deadlineContext) Err() error {
	if c.w.sched.Now() >= c.at {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// Value answers deadlineKey with itself.
func (c *deadlineContext) Value(key any) any {
	if key == (deadlineKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// deadline is the instant that bounds ctx, or Never.
func deadline(ctx context.Context) chaos.Instant {
	if c, ok := ctx.Value(deadlineKey{}).(*deadlineContext); ok {
		return c.at
	}
	return chaos.Never
}
