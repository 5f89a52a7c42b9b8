package storetest

import (
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func dutyOutcomes() []outcome {
	return []outcome{
		{"a duty never begun is due at once", dutyDueAtOnce},
		{"one instance at a time holds a duty", dutyHeldOnce},
		{"progress is kept for whoever takes the duty next", dutyProgress},
		{"a duty done is due at its next turn", dutyDone},
		{"a watermark never moves back", watermarkForward},
		{"who lost a duty saves nothing", dutyLost},
		{"duties do not share turns", dutiesApart},
	}
}

// begun takes a duty's turn and wants that answer.
func (f *fixture) begun(name receiver.Queue, want bool) receiver.Duty {
	f.Helper()
	d, ok, err := f.store.BeginDuty(f.ctx(), receiver.DutyClaim{Name: name, Holder: "w", Now: f.now(), For: lease})
	equal(f, "begun", must(f, ok, err), want)
	return d
}

// saved saves a duty and wants that answer.
func (f *fixture) saved(d receiver.Duty, done, want bool) {
	f.Helper()
	ok, err := f.store.SaveDuty(f.ctx(), d, done)
	equal(f, "saved", must(f, ok, err), want)
}

func dutyDueAtOnce(f *fixture) {
	at, ok, err := f.store.NextDue(f.ctx(), receiver.DutySweep)
	equal(f, "due", must(f, ok, err), true)
	equal(f, "due by now", !at.After(f.now()) && !at.IsZero(), true)
	d := f.begun(receiver.DutySweep, true)
	equal(f, "name", d.Name, receiver.DutySweep)
	equal(f, "cursor", d.Cursor, "")
	equal(f, "watermark is unset", d.Watermark.IsZero(), true)
}

func dutyHeldOnce(f *fixture) {
	first := f.begun(receiver.DutySweep, true)
	f.begun(receiver.DutySweep, false)
	f.dueAt(receiver.DutySweep, f.now().Add(lease))
	f.clock.pass(lease - time.Millisecond)
	f.begun(receiver.DutySweep, false)
	f.clock.pass(time.Millisecond)
	second := f.begun(receiver.DutySweep, true)
	equal(f, "version rose", second.Version > first.Version, true)
}

func dutyProgress(f *fixture) {
	d := f.begun(receiver.DutyReconcile, true)
	d.Cursor, d.Watermark = "page 7", start()
	f.saved(d, false, true)
	f.begun(receiver.DutyReconcile, false)
	f.clock.pass(lease)
	d = f.begun(receiver.DutyReconcile, true)
	equal(f, "cursor", d.Cursor, "page 7")
	sameTime(f, "watermark", d.Watermark, start())
}

func dutyDone(f *fixture) {
	d := f.begun(receiver.DutySweep, true)
	d.Cursor, d.NextAt = "", f.now().Add(10*time.Second)
	f.saved(d, true, true)
	f.dueAt(receiver.DutySweep, start().Add(10*time.Second))
	f.begun(receiver.DutySweep, false)
	f.clock.pass(10 * time.Second)
	f.begun(receiver.DutySweep, true)
	f.dueAt(receiver.DutySweep, f.now().Add(lease))
}

func watermarkForward(f *fixture) {
	d := f.begun(receiver.DutySweep, true)
	d.Watermark = start()
	f.saved(d, false, true)
	d.Watermark = start().Add(-time.Hour)
	f.saved(d, false, true)
	d.Watermark = time.Time{}
	f.saved(d, true, true)
	sameTime(f, "watermark", f.begun(receiver.DutySweep, true).Watermark, start())
}

func dutyLost(f *fixture) {
	first := f.begun(receiver.DutySweep, true)
	f.clock.pass(lease)
	second := f.begun(receiver.DutySweep, true)
	first.Cursor, first.NextAt = "stale", f.now().Add(time.Hour)
	f.saved(first, true, false)
	f.begun(receiver.DutySweep, false)
	second.Cursor = "fresh"
	f.saved(second, false, true)
	f.saved(receiver.Duty{Name: receiver.DutyRegister, Version: 1}, true, false)
	f.clock.pass(lease)
	equal(f, "cursor", f.begun(receiver.DutySweep, true).Cursor, "fresh")
}

func dutiesApart(f *fixture) {
	f.begun(receiver.DutySweep, true)
	f.begun(receiver.DutyReconcile, true)
	f.begun(receiver.DutyPending, true)
	f.begun(receiver.DutyRegister, true)
}
