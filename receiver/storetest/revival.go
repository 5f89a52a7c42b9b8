package storetest

import (
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func revivalOutcomes() []outcome {
	return []outcome{
		{"a sweep wakes a waiting event, its attempts kept", sweepWakes},
		{"a repair's word wakes a waiting event", repairWakes},
		{"a callback alone does not wake a waiting event", callbackDoesNotWake},
		{"a bad event stays aside but is confirmed", badStays},
		{"a dropped event stays closed", droppedStays},
		{"a processed event stays processed", processedStays},
	}
}

func sweepWakes(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	f.idle(receiver.QueueInbox)
	f.clock.pass(time.Hour)
	out := f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendRevived)
	equal(f, "confirmed", out.Confirmed, true)
	e := f.inState(id, receiver.EventReceived)
	equal(f, "attempts", e.Attempts, 1)
	equal(f, "quarantine", e.Quarantine, "")
	sameTime(f, "due at", e.DueAt, f.now())
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.applied(f.claimed(), nil, receiver.ApplyBooked)
}

func repairWakes(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	item := f.item(f.credit(1, 1, 1000))
	item.Channel = receiver.ChannelRepair
	f.appended(item, receiver.AppendRevived)
	f.inState(id, receiver.EventReceived)
}

func callbackDoesNotWake(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.inState(id, receiver.EventQuarantined)
	confirmed := f.item(f.credit(1, 1, 1000))
	confirmed.Confirmed = true
	f.appended(confirmed, receiver.AppendRevived)
	f.inState(id, receiver.EventReceived)
}

func badStays(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineBad)
	out := f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	equal(f, "confirmed", out.Confirmed, true)
	e := f.inState(id, receiver.EventQuarantined)
	equal(f, "kind", e.Quarantine, receiver.QuarantineBad)
	equal(f, "stored as confirmed", e.Confirmed, true)
	f.idle(receiver.QueueInbox)
}

func droppedStays(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	f.decided(f.store.DropEvents, id, true)
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.create(f.newCharge(1, 1000))
	e := f.inState(id, receiver.EventQuarantined)
	equal(f, "reason", e.Reason, "dropped: why")
	f.idle(receiver.QueueInbox)
}

func processedStays(f *fixture) {
	f.charged(1, 1000)
	id := f.credited(f.credit(1, 1, 1000))
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.inState(id, receiver.EventProcessed)
	f.idle(receiver.QueueInbox)
}
