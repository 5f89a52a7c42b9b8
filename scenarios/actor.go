package scenarios

import (
	"fmt"
	"runtime/debug"

	"github.com/pixlab/pixlab/chaos"
)

// actor is one thread of the simulated programs: a receiver's handler or step.
// It runs until it parks; between two parks nothing else happens.
type actor struct {
	w    *World
	task *chaos.Task
	inst *instance
	coro *coroutine
	// calls counts its outgoing calls, for their names.
	calls  int
	killed bool
	ended  func(killed bool)
}

// killed unwinds a parked actor whose process died.
type killed struct{}

// spawn starts an actor of an instance, runnable now. ended is called when its
// body returned, or when it was killed.
func (w *World) spawn(inst *instance, name, subject string, body func(), ended func(killed bool)) {
	a := &actor{w: w, inst: inst, ended: ended}
	a.task = chaos.NewTask(name, a)
	a.coro = w.pool.take(func() { a.run(body) })
	inst.actors = append(inst.actors, a)
	w.sched.Park(a.task, w.sched.Now(), subject, "start")
}

// run is the body's frame: a kill ends here, and so does a panic of the
// receiver, which is a finding and not an accident of the lab.
func (a *actor) run(body func()) {
	defer func() {
		switch p := recover().(type) {
		case nil, killed:
		default:
			a.w.panicked(a, fmt.Sprint(p), debug.Stack())
		}
	}()
	body()
}

// park gives up the turn until wake at the earliest.
func (a *actor) park(wake chaos.Instant, subject, step string) {
	if a.killed {
		panic(killed{})
	}
	a.w.sched.Park(a.task, wake, subject, step)
	a.coro.yield(struct{}{})
	if a.killed {
		panic(killed{})
	}
}

// resume gives an actor its turn.
func (w *World) resume(a *actor) {
	w.current = a
	a.coro.next()
	w.current = nil
	if a.coro.body == nil {
		w.retire(a)
	}
}

func (w *World) retire(a *actor) {
	w.pool.give(a.coro)
	a.coro = nil
	a.inst.forget(a)
	if a.ended != nil {
		a.ended(a.killed)
	}
}

// kill unwinds an actor that is parked.
func (w *World) kill(a *actor) {
	if a.coro == nil {
		return
	}
	w.sched.Remove(a.task)
	a.killed = true
	w.resume(a)
	if a.coro != nil {
		// The body swallowed the kill and parked again: it is dead all the same.
		w.sched.Remove(a.task)
		w.resume(a)
	}
}

// self is the actor whose turn it is.
func (w *World) self() *actor {
	if w.current == nil {
		panic("scenarios: a parking call outside any actor")
	}
	return w.current
}

// at runs fn once, at an instant: an event of the world, without a thread.
func (w *World) at(when chaos.Instant, name, subject, step string, fn func()) *chaos.Task {
	t := chaos.NewTask(name, fn)
	w.sched.Park(t, when, subject, step)
	return t
}
