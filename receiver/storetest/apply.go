package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func applyOutcomes() []outcome {
	return []outcome{
		{"exact money is booked at once: charge, ledger, outbox and event in one", exactIsBooked},
		{"anything else asks for the PSP's word and changes nothing", restAsksFirst},
		{"a wrong version, a second application and no event are lost", applyLost},
		{"a worker that outlived its lease books nothing", applyAfterLease},
		{"the PSP's other word is booked and the first kept with a case", applyConfirmedOther},
		{"the PSP's same word confirms event and payment", applyConfirmedSame},
		{"one Pix under two sources is booked once", applyTwoSources},
		{"the PSP's word on another amount does not confirm what is booked", applyOtherAmount},
		{"a refused item leaves its neighbours and its own event alone", applyRefused},
		{"two events of one batch on one charge settle it once", applySameCharge},
		{"an unreadable event that was requeued goes aside again", applyUnreadable},
	}
}

func exactIsBooked(f *fixture) {
	f.charged(1, 1000)
	f.clock.pass(time.Second)
	id := f.credited(f.credit(1, 1, 1000))
	e := f.inState(id, receiver.EventProcessed)
	equal(f, "reason", e.Reason, "")
	p := f.payment(1)
	equal(f, "disposition", p.Disposition, receiver.DispositionExact)
	equal(f, "amount", p.Amount, pix.Amount(1000))
	equal(f, "charge", p.Charge, ref(1))
	equal(f, "consumer", p.Consumer, consumer)
	equal(f, "confirmed", p.Confirmed, false)
	equal(f, "events told", p.Events, 1)
	sameTime(f, "booked at", p.BookedAt, f.now())
	f.settled(1, 1000, e2e(1))
	f.noCase()
	sent := f.sent()
	count(f, "outbox", sent, 1)
	equal(f, "kind", sent[0].Kind, receiver.OutboxCredited)
	equal(f, "amount told", sent[0].Amount, pix.Amount(1000))
	equal(f, "charge told", sent[0].Charge, ref(1))
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.idle(receiver.QueueInbox)
}

func restAsksFirst(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 999)), f.item(f.credit(2, 9, 1000)), f.item(f.credit(3, 0, 1000)))
	for _, e := range f.claim(3) {
		f.applied(e, nil, receiver.ApplyConfirm)
		after := f.inState(e.ID, receiver.EventReceived)
		equal(f, "version", after.Version, e.Version)
		sameTime(f, "lease end", after.DueAt, e.DueAt)
	}
	count(f, "payments", f.unseen(), 0)
	count(f, "outbox", f.sent(), 0)
	f.noCase()
	f.settled(1, 0, "")
}

func applyLost(f *fixture) {
	f.charged(1, 1000)
	id := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew).EventID
	e := f.claimed()
	out := f.apply(
		receiver.Application{EventID: id, Version: e.Version + 1, Now: f.now()},
		receiver.Application{EventID: id + 1000, Version: e.Version, Now: f.now()},
		f.application(e, nil),
		f.application(e, nil),
	)
	for i, want := range []receiver.ApplyResult{receiver.ApplyLost, receiver.ApplyLost, receiver.ApplyBooked, receiver.ApplyLost} {
		equal(f, "result", out[i].Result, want)
	}
	f.settled(1, 1000, e2e(1))
	f.told(1, receiver.OutboxCredited)
	aside := f.aside(f.credit(2, 0, 5), receiver.QuarantineWaiting)
	f.applied(f.event(aside), nil, receiver.ApplyLost)
}

func applyAfterLease(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	first := f.claimed()
	f.clock.pass(lease)
	second := f.claimed()
	f.applied(first, nil, receiver.ApplyLost)
	count(f, "payments", f.unseen(), 0)
	f.applied(second, nil, receiver.ApplyBooked)
	f.applied(first, nil, receiver.ApplyLost)
	f.settled(1, 1000, e2e(1))
}

func applyConfirmedOther(f *fixture) {
	f.charged(1, 19800)
	f.append(f.item(f.credit(1, 1, 198)))
	e := f.claimed()
	real := f.credit(1, 1, 19800)
	f.applied(e, &real, receiver.ApplyBooked)
	after := f.inState(e.ID, receiver.EventProcessed)
	equal(f, "content", after.Credit.Amount, pix.Amount(19800))
	equal(f, "confirmed", after.Confirmed, true)
	f.settled(1, 19800, e2e(1))
	equal(f, "payment confirmed", f.payment(1).Confirmed, true)
	f.variantCase(1)
	f.appended(f.item(f.credit(1, 1, 198)), receiver.AppendKnown)
	f.matched(1, 19800, receiver.MatchOK, 19800)
}

func applyConfirmedSame(f *fixture) {
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	c := f.credit(1, 1, 1000)
	c.PaidAt = start().Add(-time.Minute)
	f.applied(e, &c, receiver.ApplyBooked)
	after := f.event(e.ID)
	equal(f, "confirmed", after.Confirmed, true)
	equal(f, "payment confirmed", f.payment(1).Confirmed, true)
	sameTime(f, "payment paid at", f.payment(1).PaidAt, c.PaidAt)
	count(f, "cases", f.cases(), 1)
}

func applyTwoSources(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	item := f.item(f.credit(1, 1, 1000))
	item.Source = "another psp"
	f.appended(item, receiver.AppendNew)
	e := f.claimed()
	f.applied(e, nil, receiver.ApplyKnown)
	f.inState(e.ID, receiver.EventProcessed)
	f.settled(1, 1000, e2e(1))
	f.told(1, receiver.OutboxCredited)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func applyOtherAmount(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	item := f.swept(f.credit(1, 1, 900))
	item.Source = "another psp"
	f.appended(item, receiver.AppendNew)
	f.applied(f.claimed(), nil, receiver.ApplyKnown)
	equal(f, "confirmed", f.payment(1).Confirmed, false)
	f.notReserved(1, 1, 100, receiver.ReserveEarly, receiver.ReasonNotConfirmed)
}

func applyRefused(f *fixture) {
	for n := 1; n <= 3; n++ {
		f.charged(n, 1000)
		f.append(f.item(f.credit(n, n, 1000)))
	}
	got := f.claim(3)
	count(f, "claimed", got, 3)
	stranger := f.credit(7, 2, 1000)
	out := f.apply(f.application(got[0], nil), f.application(got[1], &stranger), f.application(got[2], nil))
	equal(f, "first", out[0].Result, receiver.ApplyBooked)
	equal(f, "refused", out[1].Result, receiver.ApplyFailed)
	equal(f, "says why", out[1].Reason != "", true)
	equal(f, "third", out[2].Result, receiver.ApplyBooked)
	e := f.inState(got[1].ID, receiver.EventReceived)
	equal(f, "version", e.Version, got[1].Version)
	equal(f, "confirmed", e.Confirmed, false)
	f.settled(2, 0, "")
	count(f, "payments", f.unseen(), 2)
	f.noCase()
	f.applied(e, nil, receiver.ApplyBooked)
}

func applySameCharge(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)), f.item(f.credit(2, 1, 1000)))
	got := f.claim(2)
	out := f.apply(f.application(got[0], nil), f.application(got[1], nil))
	equal(f, "first", out[0].Result, receiver.ApplyBooked)
	equal(f, "second", out[1].Result, receiver.ApplyConfirm)
	second := f.credit(2, 1, 1000)
	f.applied(got[1], &second, receiver.ApplyBooked)
	f.settled(1, 1000, e2e(1))
}

func applyUnreadable(f *fixture) {
	id := f.append(receiver.InboxItem{
		Source: account, Key: "invalid:1", Channel: receiver.ChannelCallback, Invalid: "why", ReceivedAt: f.now(),
	})[0].EventID
	f.decided(f.store.RequeueEvents, id, true)
	e := f.claimed()
	f.applied(e, nil, receiver.ApplyAside)
	equal(f, "kind", f.inState(id, receiver.EventQuarantined).Quarantine, receiver.QuarantineBad)
}
