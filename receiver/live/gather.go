package live

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// gathering has events come together before a worker takes them: booking ten in
// one transaction costs the database little more than booking one. One worker at
// a time waits; what its fellows are rung for meanwhile, it takes too, since it
// looks at the inbox only afterwards.
type gathering struct {
	pause time.Duration // zero: nobody waits
	clock receiver.Clock
	turn  chan struct{} // held by the one that waits
}

func newGathering(pause time.Duration, clock receiver.Clock) *gathering {
	return &gathering{pause: pause, clock: clock, turn: make(chan struct{}, 1)}
}

// manyEvents, taken in one turn, are a queue that needs no waiting for more.
const manyEvents = 32

// wait holds up a worker whose last turn took so many events, and says whether
// it has work: there is none where a fellow waits for it already.
func (g *gathering) wait(ctx context.Context, took int) bool {
	if g.pause == 0 || took >= manyEvents {
		return true
	}
	select {
	case g.turn <- struct{}{}:
	default:
		return false
	}
	g.clock.Sleep(ctx, g.pause)
	<-g.turn
	return true
}
