package live

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// PanicError is a step's panic, caught: the step's loop goes on.
type PanicError struct {
	Step  string
	Value any
	Stack []byte
}

// Error says which step panicked and with what; the stack is for the log.
func (e *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", e.Step, e.Value) }

// Run loops the steps of r, which was built on store, until ctx ends. Then
// every step finishes the turn that it is in, within [Options.Grace]. The error
// names the steps that did not end even so.
func Run(ctx context.Context, r *receiver.Receiver, store receiver.Store, o Options) error {
	o.fill()
	l := &loops{r: r, store: store, o: o, busy: map[string]int{}, ended: make(chan struct{}), gathering: newGathering(o.Gather, o.Clock)}
	// Turns outlive ctx by the grace, and no longer.
	turns, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	steps := o.steps(r)
	l.running.Go(func() { l.watch(ctx, queuesOf(steps)) })
	for _, s := range steps {
		l.running.Go(func() { l.loop(ctx, turns, s) })
	}
	go func() {
		l.running.Wait()
		close(l.ended)
	}()
	<-ctx.Done()
	return l.stop(context.WithoutCancel(ctx), cut)
}

// loops are the goroutines of one Run.
type loops struct {
	r       *receiver.Receiver
	store   receiver.Store
	o       Options
	running sync.WaitGroup
	ended   chan struct{} // closed when all have returned
	// gathering holds workers up for a little while.
	gathering *gathering

	mu   sync.Mutex
	busy map[string]int // turns under way, by step
}

// loop gives a step its turns. A turn that did something rings for the next
// one, and so a fellow that is idle joins in.
func (l *loops) loop(ctx, turns context.Context, s receiver.Step) {
	rung := l.o.Bell.heard(s.Queue())
	books := s.Queue() == receiver.QueueInbox
	for errs, took := 0, 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-rung:
		}
		if ctx.Err() != nil {
			return
		}
		if books && !l.gathering.wait(ctx, took) {
			continue
		}
		done := func() {}
		if books {
			done = l.o.GiveWay.hold(ctx)
		}
		p, err := l.turn(turns, s)
		done()
		took = p.Done
		if err == nil {
			errs = 0
			if p.Done > 0 {
				l.o.Bell.ring(s.Queue())
			}
			continue
		}
		errs++
		pause := min(l.r.ErrorPause(s.Name(), errs), l.o.MaxPause)
		l.o.Log.Warn("step failed", "step", s.Name(), "error", err.Error(), "in_a_row", errs, "pause_ms", pause.Milliseconds())
		if l.o.Clock.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// turn is one turn, whatever happens in it.
func (l *loops) turn(ctx context.Context, s receiver.Step) (p receiver.Progress, err error) {
	l.mark(s.Name(), +1)
	defer func() {
		if v := recover(); v != nil {
			caught := &PanicError{Step: s.Name(), Value: v, Stack: debug.Stack()}
			l.o.Log.Error("step panicked", "step", caught.Step, "panic", fmt.Sprint(v), "stack", string(caught.Stack))
			err = caught
		}
		l.mark(s.Name(), -1)
		l.o.Turn(s.Name(), p, err)
	}()
	return s.RunOnce(ctx)
}

func (l *loops) mark(step string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy[step] += n
}

// stop waits for the loops, ends the turns' context when the grace is over, and
// waits once more.
func (l *loops) stop(ctx context.Context, cut func()) error {
	if l.wait(ctx, l.o.Grace) {
		return nil
	}
	l.o.Log.Warn("turns are cut short", "steps", l.busySteps())
	cut()
	if l.wait(ctx, l.o.Grace) {
		return nil
	}
	return fmt.Errorf("stop the steps: still running: %s", strings.Join(l.busySteps(), ", "))
}

func (l *loops) wait(ctx context.Context, d time.Duration) bool {
	ctx, cancel := l.o.Clock.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-l.ended:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *loops) busySteps() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for name, n := range l.busy {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
