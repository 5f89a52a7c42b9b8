package scenarios

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// A duty that ran clean, and of whose world nothing has changed since, would
// run clean again: the world lets it rest, and wakes it on its own grid as soon
// as anything moves. One trace event stands for a whole stretch of rest.

// dutyRest is what the world knows of one duty's last turn.
type dutyRest struct {
	every   chaos.Instant
	clean   bool          // the last turn went through and changed nothing
	version uint64        // of the world, at its end
	began   chaos.Instant // when it began
	due     chaos.Instant // the turn at which it went to rest
	resting bool
	notTill chaos.Instant // the grid's next turn, after a rest
}

// idler is a loop that waits for its queue.
type idler struct {
	a     *actor
	queue receiver.Queue
	duty  bool
	// seen is the world's version for which it sleeps long enough: what is in a
	// queue that is no duty's changes with that alone.
	seen uint64
}

// duty is the rest state of a duty, nil for the other queues.
func (w *World) duty(q receiver.Queue) *dutyRest {
	if d, ok := w.duties[q]; ok {
		return d
	}
	every := chaos.MS(w.plan.Settings.SweepEveryMS)
	switch q {
	case receiver.DutySweep, receiver.DutyPending, receiver.DutyRegister:
	case receiver.DutyReconcile:
		every = chaos.Span(reconcileEvery)
	case receiver.DutyChanged:
		every = chaos.Span(changedEvery)
	case receiver.DutyKeys:
		every = chaos.Span(purgeEvery)
	default:
		return nil
	}
	d := &dutyRest{every: every}
	w.duties[q] = d
	return d
}

// allDuties are the receiver's duties, in the order in which they are roused.
func allDuties() []receiver.Queue {
	return []receiver.Queue{
		receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.DutyReconcile, receiver.DutyRegister,
		receiver.DutyKeys,
	}
}

// settleAfter is how long after a change a duty has still something to see.
func (w *World) settleAfter(q receiver.Queue) chaos.Instant {
	lag := w.maxLag
	if w.healed {
		lag = 0
	}
	switch q {
	case receiver.DutySweep, receiver.DutyChanged:
		return w.lastSettled + lag
	case receiver.DutyReconcile:
		return max(w.lastSettled+lag, w.lastChange) + chaos.Span(reconcileGrace) + chaos.Minute
	}
	return 0
}

// stamp changes with everything that could make a duty's next turn differ: for
// the registration of our URL that is the PSP's trouble alone, for the others
// also every change of the store and of the truth.
func (w *World) stamp(q receiver.Queue) uint64 {
	if q == receiver.DutyRegister {
		return w.windows
	}
	return w.version + w.windows + w.psp.Version()
}

// nextTurn is when a queue's step should next run, or Never.
func (w *World) nextTurn(q receiver.Queue) chaos.Instant {
	at, ok, err := w.store.NextDue(context.Background(), q)
	if err != nil || !ok {
		return chaos.Never
	}
	due := max(0, w.virtual(at))
	d := w.duty(q)
	if d == nil {
		return due
	}
	if d.resting {
		return chaos.Never
	}
	due = max(due, d.notTill)
	if due > w.sched.Now() || !w.idleDuty(q, d) {
		return due
	}
	d.resting, d.due = true, due
	return chaos.Never
}

// idleDuty says whether a duty's turn now would repeat its last one.
func (w *World) idleDuty(q receiver.Queue, d *dutyRest) bool {
	return d.clean && d.version == w.stamp(q) && d.began >= w.settleAfter(q)
}

// rouse wakes resting duties, on their grid, when the world has changed, and
// every loop whose queue is due sooner than it sleeps.
func (w *World) rouse() {
	for _, q := range allDuties() {
		if d := w.duties[q]; d != nil && d.resting && !w.idleDuty(q, d) {
			w.endRest(q, d)
		}
	}
	w.turns = w.turns[:0]
	for _, i := range w.idlers {
		if !i.duty && i.seen == w.version {
			continue
		}
		i.seen = w.version
		if wake := w.nextTurnOf(i.queue); wake < i.a.task.Wake() {
			w.sched.Rewake(i.a.task, wake)
		}
	}
}

// queueTurn is nextTurn's answer while nothing happens in between.
type queueTurn struct {
	queue receiver.Queue
	wake  chaos.Instant
}

// nextTurnOf asks nextTurn once for all loops of a queue.
func (w *World) nextTurnOf(q receiver.Queue) chaos.Instant {
	for _, t := range w.turns {
		if t.queue == q {
			return t.wake
		}
	}
	wake := w.nextTurn(q)
	w.turns = append(w.turns, queueTurn{q, wake})
	return wake
}

// unnoticed says whether a duty rests although something has moved: what the PSP
// does of itself, last of all and without a callback, wakes nobody.
func (w *World) unnoticed() bool {
	for _, q := range allDuties() {
		if d := w.duties[q]; d != nil && d.resting && !w.idleDuty(q, d) {
			return true
		}
	}
	return false
}

func (w *World) endRest(q receiver.Queue, d *dutyRest) {
	d.resting = false
	skipped := (w.sched.Now() - d.due + d.every - 1) / d.every
	d.notTill = d.due + skipped*d.every
	if skipped > 0 {
		w.emit("world", "duty.rested", string(q), "turns", strconv.FormatInt(int64(skipped), 10))
	}
}

// turn is one run of a step, as it began.
type turn struct {
	stamp uint64
	began chaos.Instant
}

func (w *World) beginTurn(q receiver.Queue) turn { return turn{w.stamp(q), w.sched.Now()} }

// endTurn remembers whether a duty's turn was one that need not be repeated.
func (w *World) endTurn(q receiver.Queue, t turn, p receiver.Progress, err error) {
	d := w.duty(q)
	if d == nil || p.Done == 0 {
		return
	}
	d.clean = err == nil && t.stamp == w.stamp(q)
	d.version, d.began = w.stamp(q), t.began
}

func (w *World) idle(i *idler) { w.idlers = append(w.idlers, i) }

func (w *World) awake(i *idler) {
	for k, other := range w.idlers {
		if other == i {
			w.idlers = append(w.idlers[:k], w.idlers[k+1:]...)
			return
		}
	}
}
