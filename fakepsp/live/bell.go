package live

import (
	"context"
	"time"
)

// bell wakes one loop that waits. Rung while nobody waits, it wakes the next
// wait at once; rung twice, it wakes once.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// wait returns when the bell rings, or after d where timed says that there is
// an end to it. False is the end of ctx.
func (b bell) wait(ctx context.Context, d time.Duration, timed bool) bool {
	var after <-chan time.Time
	if timed {
		t := time.NewTimer(d)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-b:
	case <-after:
	}
	return ctx.Err() == nil
}
