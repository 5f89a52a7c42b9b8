package live

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// Clock is the machine's clock.
type Clock struct{}

var _ receiver.Clock = Clock{}

// Now is the machine's time.
func (Clock) Now() time.Time { return time.Now() }

// Sleep waits for d, or returns the context's error.
func (Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WithTimeout is context.WithTimeout.
func (Clock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}
