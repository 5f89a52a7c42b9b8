package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// credit is Pix n of cents for charge t (none if zero), paid just now.
func (f *fixture) credit(n, t int, cents pix.Amount) receiver.Credit {
	c := receiver.Credit{EndToEndID: e2e(n), PixKey: ourKey, Amount: cents, PaidAt: f.now()}
	if t != 0 {
		c.TxID = txid(t)
	}
	return c
}

// item is a callback's word about c.
func (f *fixture) item(c receiver.Credit) receiver.InboxItem {
	return receiver.InboxItem{
		Source: account, Key: receiver.CreditKey(c.EndToEndID), Channel: receiver.ChannelCallback,
		Credit: &c, Raw: []byte(`{"endToEndId":"` + string(c.EndToEndID) + `"}`), ReceivedAt: f.now(),
	}
}

// swept is the word of the PSP's own API about c.
func (f *fixture) swept(c receiver.Credit) receiver.InboxItem {
	item := f.item(c)
	item.Channel, item.Confirmed = receiver.ChannelSweep, true
	return item
}

func (f *fixture) append(in ...receiver.InboxItem) []receiver.AppendOutcome {
	f.Helper()
	out, err := f.store.AppendInbox(f.ctx(), in)
	return must(f, out, err)
}

// appended appends one item and wants that result.
func (f *fixture) appended(item receiver.InboxItem, want receiver.AppendResult) receiver.AppendOutcome {
	f.Helper()
	out := f.append(item)[0]
	equal(f, "append "+item.Key, out.Result, want)
	return out
}

// event reads an event, which must be there.
func (f *fixture) event(id int64) receiver.Event {
	f.Helper()
	out, err := f.store.ListEvents(f.ctx(), receiver.EventQuery{ID: id})
	count(f, "events of the id", must(f, out, err), 1)
	return out[0]
}

// inState wants an event to stand there.
func (f *fixture) inState(id int64, want receiver.EventState) receiver.Event {
	f.Helper()
	e := f.event(id)
	equal(f, "event state", e.State, want)
	return e
}

// claim takes up to limit events.
func (f *fixture) claim(limit int) []receiver.Event {
	f.Helper()
	out, err := f.store.ClaimEvents(f.ctx(), f.lease(limit))
	return must(f, out, err)
}

// claimed takes one event, which must be there.
func (f *fixture) claimed() receiver.Event {
	f.Helper()
	out := f.claim(1)
	count(f, "claimed", out, 1)
	return out[0]
}

func (f *fixture) apply(in ...receiver.Application) []receiver.ApplyOutcome {
	f.Helper()
	out, err := f.store.ApplyEvents(f.ctx(), in)
	return must(f, out, err)
}

// application asks to book e, on the PSP's word where there is one.
func (f *fixture) application(e receiver.Event, confirmed *receiver.Credit) receiver.Application {
	return receiver.Application{EventID: e.ID, Version: e.Version, Confirmed: confirmed, Now: f.now()}
}

// applied books e and wants that result.
func (f *fixture) applied(e receiver.Event, confirmed *receiver.Credit, want receiver.ApplyResult) {
	f.Helper()
	out := f.apply(f.application(e, confirmed))[0]
	if out.Result != want {
		f.Fatalf("apply %s: got %+v, want %s", e.Key, out, want)
	}
}

// booked takes c through the inbox, on the PSP's word, and returns its event.
func (f *fixture) booked(c receiver.Credit) int64 {
	f.Helper()
	id := f.appended(f.item(c), receiver.AppendNew).EventID
	f.applied(f.claimed(), &c, receiver.ApplyBooked)
	return id
}

// credited takes c through the inbox without the PSP's word: it must be exact.
func (f *fixture) credited(c receiver.Credit) int64 {
	f.Helper()
	id := f.appended(f.item(c), receiver.AppendNew).EventID
	f.applied(f.claimed(), nil, receiver.ApplyBooked)
	return id
}

// aside quarantines a new event of c and returns its id.
func (f *fixture) aside(c receiver.Credit, kind receiver.QuarantineKind) int64 {
	f.Helper()
	id := f.appended(f.item(c), receiver.AppendNew).EventID
	f.deferred(f.claimed(), receiver.Deferral{Reason: "set aside", Quarantine: kind}, true)
	return id
}

// deferred puts e off and wants that answer.
func (f *fixture) deferred(e receiver.Event, d receiver.Deferral, want bool) {
	f.Helper()
	d.EventID, d.Version = e.ID, e.Version
	out, err := f.store.DeferEvents(f.ctx(), []receiver.Deferral{d})
	equal(f, "deferred", must(f, out, err)[0], want)
}

// dueAt wants a queue to have work at that instant.
func (f *fixture) dueAt(q receiver.Queue, want time.Time) {
	f.Helper()
	at, ok, err := f.store.NextDue(f.ctx(), q)
	if !must(f, ok, err) {
		f.Fatalf("%s: nothing is due, want %v", q, want)
	}
	sameTime(f, "next due of "+string(q), at, want)
}

// idle wants a queue to have no work at all.
func (f *fixture) idle(q receiver.Queue) {
	f.Helper()
	at, ok, err := f.store.NextDue(f.ctx(), q)
	if must(f, ok, err) {
		f.Errorf("%s: due at %v, want nothing", q, at)
	}
}
