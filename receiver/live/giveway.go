package live

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// GiveWay has the workers step back while callbacks press: who is waiting for a
// 200 comes before who is waiting to be booked, since the PSP counts the
// seconds and the inbox keeps what it has. Booking never stands still: one
// worker at a time goes on, after a pause.
type GiveWay struct {
	// Load is how many items wait to be stored or are being stored; at Limit or
	// more the workers step back.
	Load  func() int
	Limit int
	// Pause is how long a turn is held up at most; zero holds up none.
	Pause time.Duration
	Clock receiver.Clock

	turn chan struct{} // held by the one worker that goes on
}

// giveWayLook is how often a worker that is held up looks whether it may go on.
const giveWayLook = 5 * time.Millisecond

// hold holds up a turn while callbacks press, and gives what ends it.
func (g *GiveWay) hold(ctx context.Context) (done func()) {
	if g == nil || g.Pause == 0 || g.Load() < g.Limit {
		return func() {}
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	for left := g.Pause; left > 0 && g.Load() >= g.Limit; left -= giveWayLook {
		if g.Clock.Sleep(ctx, giveWayLook) != nil {
			break
		}
	}
	return func() { <-g.turn }
}
