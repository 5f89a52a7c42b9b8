package storetest

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

func claimOutcomes() []outcome {
	return []outcome{
		{"events are claimed in the order due, id", claimOrder},
		{"a claim marks holder, lease, version and attempt", claimMarks},
		{"nothing is claimed before it is due or while it is held", claimOnlyDue},
		{"an event comes back when its lease ends", leaseEnds},
		{"a deferred event waits with its reason", deferredWaits},
		{"a deferral after the lease was lost changes nothing", deferralLost},
		{"a quarantined event leaves the queue", quarantineLeaves},
		{"the inbox is due with its first received event", inboxNextDue},
	}
}

// claimedIDs are the numbers of the Pix that a claim takes.
func (f *fixture) claimedKeys(limit int) []string {
	f.Helper()
	var keys []string
	for _, e := range f.claim(limit) {
		keys = append(keys, e.Key)
	}
	return keys
}

func claimOrder(f *fixture) {
	for _, n := range []int{3, 1, 2} {
		f.append(f.item(f.credit(n, n, 1000)))
	}
	first := f.claimed()
	equal(f, "first", first.Key, receiver.CreditKey(e2e(3)))
	f.deferred(first, receiver.Deferral{Until: start().Add(time.Second)}, true)
	f.clock.pass(time.Second)
	f.append(f.item(f.credit(4, 4, 1000)))
	want := []string{receiver.CreditKey(e2e(1)), receiver.CreditKey(e2e(2)), receiver.CreditKey(e2e(3)), receiver.CreditKey(e2e(4))}
	got := append(f.claimedKeys(3), f.claimedKeys(9)...)
	if !slices.Equal(got, want) {
		f.Errorf("claimed: got %q, want %q", got, want)
	}
}

func claimMarks(f *fixture) {
	id := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew).EventID
	before := f.event(id)
	got := f.claimed()
	for _, e := range []receiver.Event{got, f.inState(id, receiver.EventReceived)} {
		equal(f, "id", e.ID, id)
		equal(f, "holder", e.Holder, "w")
		equal(f, "version", e.Version, before.Version+1)
		equal(f, "attempts", e.Attempts, 1)
		equal(f, "content", e.Credit.EndToEndID, e2e(1))
		sameTime(f, "lease end", e.DueAt, f.now().Add(lease))
	}
}

func claimOnlyDue(f *fixture) {
	f.append(f.item(f.credit(1, 1, 1000)))
	in := f.lease(9)
	in.Now = f.now().Add(-time.Millisecond)
	out, err := f.store.ClaimEvents(f.ctx(), in)
	count(f, "claimed before due", must(f, out, err), 0)
	count(f, "claimed", f.claim(9), 1)
	count(f, "claimed while held", f.claim(9), 0)
}

func leaseEnds(f *fixture) {
	f.append(f.item(f.credit(1, 1, 1000)))
	first := f.claimed()
	f.clock.pass(lease - time.Millisecond)
	count(f, "claimed while held", f.claim(9), 0)
	f.clock.pass(time.Millisecond)
	second := f.claimed()
	equal(f, "version", second.Version, first.Version+1)
	equal(f, "attempts", second.Attempts, 2)
}

func deferredWaits(f *fixture) {
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	until := f.now().Add(2 * time.Hour)
	f.deferred(e, receiver.Deferral{Until: until, Reason: receiver.ReasonUnknownAtPSP}, true)
	got := f.inState(e.ID, receiver.EventReceived)
	equal(f, "reason", got.Reason, receiver.ReasonUnknownAtPSP)
	sameTime(f, "due at", got.DueAt, until)
	f.clock.pass(2*time.Hour - time.Second)
	count(f, "claimed too early", f.claim(9), 0)
	f.clock.pass(time.Second)
	count(f, "claimed", f.claim(9), 1)
}

func deferralLost(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	first := f.claimed()
	f.clock.pass(lease)
	second := f.claimed()
	f.deferred(first, receiver.Deferral{Until: f.now(), Reason: "late"}, false)
	equal(f, "reason", f.event(first.ID).Reason, "")
	f.applied(second, nil, receiver.ApplyBooked)
	f.deferred(second, receiver.Deferral{Quarantine: receiver.QuarantineBad}, false)
	f.inState(first.ID, receiver.EventProcessed)
	f.deferred(receiver.Event{ID: first.ID + 1000}, receiver.Deferral{}, false)
}

func quarantineLeaves(f *fixture) {
	id := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	e := f.inState(id, receiver.EventQuarantined)
	equal(f, "kind", e.Quarantine, receiver.QuarantineWaiting)
	equal(f, "reason", e.Reason, "set aside")
	f.clock.pass(24 * time.Hour)
	count(f, "claimed", f.claim(9), 0)
	f.idle(receiver.QueueInbox)
}

func inboxNextDue(f *fixture) {
	f.idle(receiver.QueueInbox)
	f.append(f.item(f.credit(1, 1, 1000)))
	f.clock.pass(time.Second)
	f.append(f.item(f.credit(2, 2, 1000)))
	f.dueAt(receiver.QueueInbox, start())
	first := f.claimed()
	f.dueAt(receiver.QueueInbox, start().Add(time.Second))
	second := f.claimed()
	f.dueAt(receiver.QueueInbox, f.now().Add(lease))
	f.deferred(second, receiver.Deferral{Until: start().Add(time.Hour)}, true)
	f.deferred(first, receiver.Deferral{Quarantine: receiver.QuarantineBad}, true)
	f.dueAt(receiver.QueueInbox, start().Add(time.Hour))
}
