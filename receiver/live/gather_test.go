package live

import (
	"context"
	"testing"
	"time"
)

// What comes while a worker waits for company is booked along by it, and no
// fellow is woken for it.
func TestWorkersGatherBeforeTheyBook(t *testing.T) {
	g := newGathering(time.Hour, blocked{make(chan struct{}), make(chan struct{}, 1)})
	c := g.clock.(blocked)
	done := make(chan bool)
	go func() { done <- g.wait(t.Context(), 1) }()
	<-c.asleep
	if g.wait(t.Context(), 1) {
		t.Error("a fellow has work while the first one still gathers")
	}
	if !g.wait(t.Context(), manyEvents) {
		t.Error("one that took many has to wait")
	}
	close(c.wake)
	if !<-done {
		t.Error("the one that gathered has no work")
	}
	if !newGathering(0, c).wait(t.Context(), 1) {
		t.Error("nobody has to gather, and one is held up")
	}
}

// blocked is a clock whose sleepers wait until they are woken.
type blocked struct {
	wake   chan struct{}
	asleep chan struct{}
}

func (b blocked) Now() time.Time { return time.Time{} }

func (b blocked) Sleep(context.Context, time.Duration) error {
	b.asleep <- struct{}{}
	<-b.wake
	return nil
}

func (b blocked) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
