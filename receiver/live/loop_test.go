package live_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

// looping is a Run with one worker and nothing else.
type looping struct {
	store *stub
	bell  *live.Bell
	clock handClock
	turns chan error // how each turn ended
	stop  context.CancelFunc
	ended chan error
}

func loop(t *testing.T, store *stub, change func(*live.Options)) *looping {
	t.Helper()
	l := &looping{store: store, bell: live.NewBell(), clock: newHandClock(), turns: make(chan error, 100), ended: make(chan error, 1)}
	r, err := receiver.New(config(), store)
	if err != nil {
		t.Fatal(err)
	}
	o := live.Options{
		Workers: 1, Poll: time.Hour, Bell: l.bell, Clock: l.clock,
		Without: []receiver.Queue{
			receiver.QueueCharges, receiver.QueueRefunds, receiver.QueueOutbox, receiver.DutySweep, receiver.DutyChanged,
			receiver.DutyPending, receiver.DutyReconcile, receiver.DutyRegister, receiver.DutyKeys,
		},
		Turn: func(_ string, _ receiver.Progress, err error) { l.turns <- err },
	}
	if change != nil {
		change(&o)
	}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(t.Context())
	go func() { l.ended <- live.Run(ctx, r, store, o) }()
	t.Cleanup(l.stop)
	return l
}

// end stops the loops and wants no error.
func (l *looping) end(t *testing.T) {
	t.Helper()
	l.stop()
	if err := await(t, l.ended, "the end of Run"); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestAStepHasItsTurnWhenItsQueueIsDue(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(1000)
	l := loop(t, &stub{
		now: func() time.Time { return time.Unix(now.Load(), 0) },
		due: func(receiver.Queue) (time.Time, bool, error) { return time.Unix(2000, 0), true, nil },
	}, nil)
	poll := await(t, l.clock.sleeps, "the first look")
	now.Store(1999)
	poll.wake()
	poll = await(t, l.clock.sleeps, "the second look")
	if len(l.turns) != 0 {
		t.Error("a turn came before the queue was due")
	}
	now.Store(2000)
	poll.wake()
	if err := await(t, l.turns, "a turn"); err != nil {
		t.Error(err)
	}
	await(t, l.clock.sleeps, "the third look")
	l.end(t)
}

func TestABellWakesWithoutAPoll(t *testing.T) {
	t.Parallel()
	l := loop(t, &stub{}, nil)
	await(t, l.clock.sleeps, "the first look")
	if _, err := l.bell.Wrap(l.store).RequeueEvents(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := await(t, l.turns, "a turn"); err != nil {
		t.Error(err)
	}
	l.end(t)
}

func TestErrorsInARowPauseLongerAndLonger(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	l := loop(t, &stub{claim: func(context.Context) ([]receiver.Event, error) { return nil, broken }},
		func(o *live.Options) { o.MaxPause = 20 * time.Second })
	await(t, l.clock.sleeps, "the first look")
	var pauses []time.Duration
	for range 8 {
		if _, err := l.bell.Wrap(l.store).RequeueEvents(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := await(t, l.turns, "a turn"); !errors.Is(err, broken) {
			t.Fatalf("the turn ended with %v", err)
		}
		pause := await(t, l.clock.sleeps, "a pause")
		pauses = append(pauses, pause.d)
		pause.wake()
	}
	// The nth pause is 2^(n-1) seconds, half of it drawn.
	for i, d := range pauses {
		full := min(time.Second<<i, 40*time.Second)
		if d < min(full/2, 20*time.Second) || d > min(full, 20*time.Second) {
			t.Errorf("pause %d is %s", i+1, d)
		}
	}
	l.end(t)
}

func TestAPanicOfAStepIsAnErrorOfItsTurn(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	l := loop(t, &stub{claim: func(context.Context) ([]receiver.Event, error) {
		if calls.Add(1) == 1 {
			panic("out of order")
		}
		return nil, nil
	}}, nil)
	await(t, l.clock.sleeps, "the first look")
	ring := func() {
		if _, err := l.bell.Wrap(l.store).RequeueEvents(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	ring()
	var caught *live.PanicError
	if err := await(t, l.turns, "the turn that panics"); !errors.As(err, &caught) || caught.Step != "worker/1" || len(caught.Stack) == 0 {
		t.Errorf("the turn ended with %v", err)
	}
	await(t, l.clock.sleeps, "the pause").wake()
	ring()
	if err := await(t, l.turns, "the next turn"); err != nil {
		t.Error(err)
	}
	l.end(t)
}

func TestAStoreThatIsAwayWakesNoStepAndIsAskedLessAndLess(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	away.Store(true)
	l := loop(t, &stub{due: func(receiver.Queue) (time.Time, bool, error) {
		if away.Load() {
			return time.Time{}, false, receiver.ErrUnavailable
		}
		return time.Unix(1, 0), true, nil
	}}, func(o *live.Options) { o.Poll = time.Millisecond })
	for i := range 4 {
		pause := await(t, l.clock.sleeps, "a pause")
		if least := time.Second << i / 2; pause.d < least {
			t.Errorf("pause %d is %s, want %s or more", i+1, pause.d, least)
		}
		if i == 3 {
			away.Store(false)
		}
		pause.wake()
	}
	if err := await(t, l.turns, "a turn"); err != nil {
		t.Error(err)
	}
	if pause := await(t, l.clock.sleeps, "a poll"); pause.d != time.Millisecond {
		t.Errorf("the store is back and the pause is %s", pause.d)
	}
	l.end(t)
}

// held is a loop whose one turn waits for the test, and the turn's context.
func held(t *testing.T, heedsContext bool) (l *looping, turn context.Context, release func()) {
	t.Helper()
	began, free := make(chan context.Context, 1), make(chan struct{})
	l = loop(t, &stub{claim: func(ctx context.Context) ([]receiver.Event, error) {
		began <- ctx
		if heedsContext {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		<-free
		return nil, nil
	}}, func(o *live.Options) { o.Grace = 10 * time.Millisecond })
	await(t, l.clock.sleeps, "the first look")
	if _, err := l.bell.Wrap(l.store).RequeueEvents(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return l, await(t, began, "the turn"), func() { close(free) }
}

func TestStoppingLetsTheTurnEnd(t *testing.T) {
	t.Parallel()
	began, free := make(chan context.Context, 1), make(chan struct{})
	l := loop(t, &stub{claim: func(ctx context.Context) ([]receiver.Event, error) {
		began <- ctx
		<-free
		return nil, ctx.Err()
	}}, func(o *live.Options) { o.Grace = patience })
	await(t, l.clock.sleeps, "the first look")
	if _, err := l.bell.Wrap(l.store).RequeueEvents(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	turn := await(t, began, "the turn")
	l.stop()
	if turn.Err() != nil {
		t.Error("the turn's context ended with the process's")
	}
	close(free)
	if err := await(t, l.ended, "the end of Run"); err != nil {
		t.Errorf("Run: %v", err)
	}
	if err := await(t, l.turns, "the turn's end"); err != nil {
		t.Errorf("the turn ended with %v", err)
	}
}

func TestStoppingCutsATurnShortWhenTheGraceIsOver(t *testing.T) {
	t.Parallel()
	l, _, _ := held(t, true)
	l.end(t)
	if err := await(t, l.turns, "the turn's end"); !errors.Is(err, context.Canceled) {
		t.Errorf("the turn ended with %v", err)
	}
}

func TestStoppingGivesUpOnATurnThatHeedsNothing(t *testing.T) {
	t.Parallel()
	l, turn, release := held(t, false)
	defer release()
	l.stop()
	if err := await(t, l.ended, "the end of Run"); err == nil || !strings.Contains(err.Error(), "worker/1") {
		t.Errorf("Run: %v", err)
	}
	if turn.Err() == nil {
		t.Error("the turn's context goes on")
	}
}
