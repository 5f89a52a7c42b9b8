package scenarios

import "github.com/pixlab/pixlab/chaos"

// A run can end, or heal, before its plan is over: to show the state at an
// event, and to find the last event from which everything still comes right.

// cameTo says whether the trace has come to an event; no run comes to event 0.
func (w *World) cameTo(event int64) bool { return event > 0 && w.trace.Count() >= event }

// healsNow says whether the time to heal has come before the plan's end.
func (w *World) healsNow() bool { return !w.healed && w.cameTo(w.option.HealAt) }

// wish puts something that the plan wants done into the schedule. Only a run that
// heals early comes back to it.
func (w *World) wish(when chaos.Instant, name, subject, step string, fn func()) {
	t := w.at(when, name, subject, step, fn)
	if w.option.HealAt > 0 {
		w.wishes = append(w.wishes, t)
	}
}

// dropWishes takes what the plan has left to do out of the schedule, where the
// run heals early; otherwise there is nothing left.
func (w *World) dropWishes() {
	for _, t := range w.wishes {
		w.sched.Remove(t)
	}
	w.wishes = nil
}
