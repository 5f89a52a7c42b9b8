package storetest

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func endpointOutcomes() []outcome {
	return []outcome{
		{"each effect has one event for each endpoint", endpointEach},
		{"an endpoint that takes nothing holds up no other", endpointDown},
		{"a dead letter stops its own endpoint's line only", endpointDead},
		{"each endpoint has a queue of its own", endpointQueues},
		{"an endpoint that nobody named has nothing", endpointUnknown},
	}
}

// leaseFor leases the events of one endpoint.
func (f *fixture) leaseFor(endpoint string) []receiver.OutboxEvent {
	f.Helper()
	in := f.lease(100)
	in.Endpoint = endpoint
	out, err := f.store.LeaseOutbox(f.ctx(), in)
	return must(f, out, err)
}

// sentTo sends everything that is due at an endpoint and returns it in order.
func (f *fixture) sentTo(endpoint string) []receiver.OutboxEvent {
	f.Helper()
	var all []receiver.OutboxEvent
	for out := f.leaseFor(endpoint); len(out) > 0; out = f.leaseFor(endpoint) {
		for _, o := range out {
			f.finish(result(o, true))
		}
		all = append(all, out...)
	}
	return all
}

// said is what events say, whoever is told: effect after effect.
func said(all []receiver.OutboxEvent) []string {
	out := make([]string, len(all))
	for i, o := range all {
		out[i] = string(o.EndToEndID) + " " + o.Kind + " " + o.Amount.String()
	}
	return out
}

func endpointEach(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop", "books")
	f.twoTold(1, 1000)
	f.twoTold(2, 2000)
	shop, books := f.sentTo("shop"), f.sentTo("books")
	count(f, "to shop", shop, 4)
	if !slices.Equal(said(shop), said(books)) {
		f.Errorf("shop heard %q, books %q", said(shop), said(books))
	}
	ids := map[int64]bool{}
	for i, o := range slices.Concat(shop, books) {
		ids[o.ID] = true
		equal(f, "endpoint", o.Endpoint, []string{"shop", "books"}[i/4])
	}
	equal(f, "ids", len(ids), 8)
}

func endpointDown(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop", "books")
	f.twoTold(1, 1000)
	r := result(f.leaseFor("shop")[0], false)
	r.DueAt = f.now().Add(24 * time.Hour)
	f.finish(r)
	count(f, "to books", f.sentTo("books"), 2)
	count(f, "to shop", f.leaseFor("shop"), 0)
}

func endpointDead(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop", "books")
	f.twoTold(1, 1000)
	f.twoTold(2, 1000)
	o := f.leaseFor("shop")[0]
	equal(f, "first", o.EndToEndID, e2e(1))
	f.finish(receiver.OutboxResult{ID: o.ID, Version: o.Version, Dead: true})
	f.clock.pass(lease)
	for _, sent := range f.sentTo("shop") {
		equal(f, "payment", sent.EndToEndID, e2e(2))
	}
	count(f, "to books", f.sentTo("books"), 4)
}

func endpointQueues(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop", "books")
	f.idle(receiver.OutboxQueue("shop"))
	f.booked(f.credit(1, 0, 100))
	f.dueAt(receiver.OutboxQueue("shop"), start())
	f.sentTo("shop")
	f.idle(receiver.OutboxQueue("shop"))
	f.dueAt(receiver.OutboxQueue("books"), start())
	f.dueAt(receiver.QueueOutbox, start())
	f.sentTo("books")
	f.idle(receiver.QueueOutbox)
}

func endpointUnknown(of *fixture) {
	f := newFixtureFor(of.T, of.open, "shop")
	f.booked(f.credit(1, 0, 100))
	count(f, "to the default", f.leaseFor(""), 0)
	count(f, "to nobody", f.leaseFor("nobody"), 0)
	f.idle(receiver.OutboxQueue("nobody"))
	count(f, "to shop", f.sentTo("shop"), 1)
}

func deadLetterOutcomes() []outcome {
	return []outcome{
		{"dead letters are listed until they are out or skipped", deadListed},
		{"a replayed letter goes again, and what waits behind it after it", deadReplayed},
		{"a skipped letter lets go what waits behind it", deadSkipped},
		{"a skipped letter may still be replayed, and goes first", deadSkippedReplayed},
		{"who held a letter when it was replayed has nothing to say", deadFenced},
		{"what is no dead letter is neither replayed nor skipped", deadOnly},
		{"what operators do with letters is in their book", deadRecorded},
	}
}

// dead makes a dead letter of the first event about Pix n, with one behind it.
func (f *fixture) dead(n int) receiver.OutboxEvent {
	f.Helper()
	f.twoTold(n, 1000)
	o := f.leasedOne(n, 1)
	f.finish(receiver.OutboxResult{ID: o.ID, Version: o.Version, Dead: true})
	return o
}

// letters are the dead letters that nobody has skipped.
func (f *fixture) letters() []receiver.OutboxEvent {
	f.Helper()
	out, err := f.store.ListOutbox(f.ctx(), receiver.OutboxQuery{Dead: true})
	return must(f, out, err)
}

func (f *fixture) replay(id int64) bool {
	f.Helper()
	out, err := f.store.ReplayOutbox(f.ctx(), []receiver.Decision{f.decision(id)})
	return must(f, out, err)[0]
}

func (f *fixture) skip(id int64) bool {
	f.Helper()
	out, err := f.store.SkipOutbox(f.ctx(), []receiver.Decision{f.decision(id)})
	return must(f, out, err)[0]
}

func deadListed(f *fixture) {
	a, b := f.dead(1), f.dead(2)
	all := f.letters()
	count(f, "letters", all, 2)
	equal(f, "first", all[0].ID, a.ID)
	paged, err := f.store.ListOutbox(f.ctx(), receiver.OutboxQuery{Dead: true, AfterID: a.ID, Limit: 1})
	count(f, "second page", must(f, paged, err), 1)
	equal(f, "second", paged[0].ID, b.ID)
	one, err := f.store.ListOutbox(f.ctx(), receiver.OutboxQuery{ID: b.ID})
	count(f, "by id", must(f, one, err), 1)
	equal(f, "dead", one[0].Dead, true)
	elsewhere, err := f.store.ListOutbox(f.ctx(), receiver.OutboxQuery{Endpoint: "nobody"})
	count(f, "of nobody", must(f, elsewhere, err), 0)
	equal(f, "replayed", f.replay(a.ID), true)
	equal(f, "skipped", f.skip(b.ID), true)
	count(f, "left", f.letters(), 0)
}

func deadReplayed(f *fixture) {
	o := f.dead(1)
	f.clock.pass(time.Hour)
	equal(f, "replayed", f.replay(o.ID), true)
	f.dueAt(receiver.QueueOutbox, f.now())
	again := f.leasedOne(1, 1)
	equal(f, "attempts", again.Attempts, 1)
	f.finish(result(again, true))
	f.leasedOne(1, 2)
}

func deadSkipped(f *fixture) {
	o := f.dead(1)
	equal(f, "skipped", f.skip(o.ID), true)
	f.finish(result(f.leasedOne(1, 2), true))
	f.charged(2, 500)
	f.credited(f.credit(2, 2, 500))
	f.told(2, receiver.OutboxCredited)
	f.idle(receiver.QueueOutbox)
}

func deadSkippedReplayed(f *fixture) {
	o := f.dead(1)
	f.skip(o.ID)
	equal(f, "replayed", f.replay(o.ID), true)
	f.finish(result(f.leasedOne(1, 1), true))
	f.leasedOne(1, 2)
}

func deadFenced(f *fixture) {
	f.twoTold(1, 1000)
	o := f.leasedOne(1, 1)
	f.finish(receiver.OutboxResult{ID: o.ID, Version: o.Version, Dead: true})
	f.replay(o.ID)
	equal(f, "sent, said late", f.finish(result(o, true))[0], false)
	f.leasedOne(1, 1)
}

func deadOnly(f *fixture) {
	f.twoTold(1, pix.Amount(1000))
	o := f.leasedOne(1, 1)
	for name, do := range map[string]func(int64) bool{"replayed": f.replay, "skipped": f.skip} {
		equal(f, name+" on its way", do(o.ID), false)
		equal(f, name+" and none", do(o.ID+1000), false)
	}
	f.finish(result(o, true))
	equal(f, "replayed when out", f.replay(o.ID), false)
	records, err := f.store.ListRecords(f.ctx(), receiver.RecordQuery{})
	count(f, "records", must(f, records, err), 0)
}

func deadRecorded(f *fixture) {
	a, b := f.dead(1), f.dead(2)
	f.replay(a.ID)
	f.skip(b.ID)
	f.skip(b.ID)
	all, err := f.store.ListRecords(f.ctx(), receiver.RecordQuery{})
	count(f, "records", must(f, all, err), 2)
	for i, want := range []receiver.OperatorRecord{
		{Action: receiver.ActionReplay, Subject: a.Subject()}, {Action: receiver.ActionSkip, Subject: b.Subject()},
	} {
		got := all[i]
		equal(f, "action", got.Action, want.Action)
		equal(f, "subject", got.Subject, want.Subject)
		equal(f, "operator", got.Operator, f.decision(1).Operator)
		equal(f, "note", got.Note, f.decision(1).Note)
		sameTime(f, "at", got.At, f.now())
	}
	paged, err := f.store.ListRecords(f.ctx(), receiver.RecordQuery{After: all[0].Number, Limit: 5})
	count(f, "second page", must(f, paged, err), 1)
	equal(f, "second", paged[0].Action, receiver.ActionSkip)
}
