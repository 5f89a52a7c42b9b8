package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func outboxOutcomes() []outcome {
	return []outcome{
		{"of each payment only the next event is leased", outboxLine},
		{"a lease marks version, attempt and its end", outboxLeaseMarks},
		{"a failed send is due again at its time and holds up its payment", outboxRetry},
		{"a dead letter stops its own payment only", outboxDead},
		{"a result after the lease was lost changes nothing", outboxFenced},
		{"the same result again is true and changes nothing", outboxAgain},
		{"events are leased in the order due, id", outboxOrder},
		{"the outbox is due with the first event that may go", outboxNextDue},
	}
}

// twoTold books Pix n so that two events about it wait: unidentified, matched.
func (f *fixture) twoTold(n int, cents pix.Amount) {
	f.Helper()
	f.booked(f.credit(n, n, cents))
	f.create(f.newCharge(n, cents))
}

// leasedOne leases one outbox event, which must be that one.
func (f *fixture) leasedOne(n, number int) receiver.OutboxEvent {
	f.Helper()
	out := f.leaseOutbox(9)
	count(f, "leased", out, 1)
	equal(f, "payment", out[0].EndToEndID, e2e(n))
	equal(f, "number", out[0].Number, number)
	return out[0]
}

// result is what became of sending o.
func result(o receiver.OutboxEvent, sent bool) receiver.OutboxResult {
	return receiver.OutboxResult{ID: o.ID, Version: o.Version, Sent: sent}
}

func outboxLine(f *fixture) {
	f.twoTold(1, 1000)
	f.twoTold(2, 2000)
	out := f.leaseOutbox(9)
	count(f, "leased", out, 2)
	for i, o := range out {
		equal(f, "payment", o.EndToEndID, e2e(i+1))
		equal(f, "number", o.Number, 1)
		equal(f, "kind", o.Kind, receiver.OutboxUnidentified)
	}
	count(f, "leased while the first is held", f.leaseOutbox(9), 0)
	f.finish(result(out[1], true))
	second := f.leasedOne(2, 2)
	equal(f, "kind", second.Kind, receiver.OutboxMatched)
	equal(f, "amount", second.Amount, pix.Amount(2000))
	equal(f, "charge", second.Charge, ref(2))
}

func outboxLeaseMarks(f *fixture) {
	f.twoTold(1, 1000)
	first := f.leasedOne(1, 1)
	equal(f, "attempts", first.Attempts, 1)
	sameTime(f, "lease end", first.DueAt, f.now().Add(lease))
	f.clock.pass(lease - time.Millisecond)
	count(f, "leased while held", f.leaseOutbox(9), 0)
	f.clock.pass(time.Millisecond)
	second := f.leasedOne(1, 1)
	equal(f, "attempts", second.Attempts, 2)
	equal(f, "version", second.Version, first.Version+1)
}

func outboxRetry(f *fixture) {
	f.twoTold(1, 1000)
	r := result(f.leasedOne(1, 1), false)
	r.DueAt = f.now().Add(time.Hour)
	equal(f, "finished", f.finish(r)[0], true)
	count(f, "leased", f.leaseOutbox(9), 0)
	f.dueAt(receiver.QueueOutbox, r.DueAt)
	f.clock.pass(time.Hour)
	f.leasedOne(1, 1)
}

func outboxDead(f *fixture) {
	f.twoTold(1, 1000)
	f.twoTold(2, 1000)
	out := f.leaseOutbox(1)
	count(f, "leased", out, 1)
	f.finish(receiver.OutboxResult{ID: out[0].ID, Version: out[0].Version, Dead: true})
	f.clock.pass(lease)
	sent := f.sent()
	count(f, "sent", sent, 2)
	for _, o := range sent {
		equal(f, "payment", o.EndToEndID, e2e(2))
	}
	f.idle(receiver.QueueOutbox)
}

func outboxFenced(f *fixture) {
	f.twoTold(1, 1000)
	first := f.leasedOne(1, 1)
	f.clock.pass(lease)
	second := f.leasedOne(1, 1)
	out := f.finish(result(first, true), receiver.OutboxResult{ID: first.ID + 1000, Version: 1, Sent: true})
	equal(f, "the loser", out[0], false)
	equal(f, "of nothing", out[1], false)
	count(f, "leased", f.leaseOutbox(9), 0)
	equal(f, "the holder", f.finish(result(second, true))[0], true)
	f.leasedOne(1, 2)
}

func outboxAgain(f *fixture) {
	f.twoTold(1, 1000)
	o := f.leasedOne(1, 1)
	f.finish(result(o, true))
	equal(f, "again", f.finish(result(o, true))[0], true)
	equal(f, "otherwise", f.finish(result(o, false))[0], false)
	f.leasedOne(1, 2)
	count(f, "leased", f.leaseOutbox(9), 0)
}

func outboxOrder(f *fixture) {
	f.booked(f.credit(2, 0, 200))
	f.booked(f.credit(1, 0, 100))
	r := result(f.leaseOutbox(1)[0], false)
	r.DueAt = f.now().Add(time.Second)
	f.finish(r)
	f.clock.pass(time.Second)
	f.booked(f.credit(3, 0, 300))
	var got []pix.Amount
	for _, o := range f.sent() {
		got = append(got, o.Amount)
	}
	count(f, "sent", got, 3)
	equal(f, "order", [3]pix.Amount(got), [3]pix.Amount{100, 200, 300})
}

func outboxNextDue(f *fixture) {
	f.idle(receiver.QueueOutbox)
	f.twoTold(1, 1000)
	f.dueAt(receiver.QueueOutbox, f.now())
	o := f.leasedOne(1, 1)
	f.dueAt(receiver.QueueOutbox, f.now().Add(lease))
	f.finish(result(o, true))
	f.dueAt(receiver.QueueOutbox, start())
	f.sent()
	f.idle(receiver.QueueOutbox)
}
