package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundEventOutcomes() []outcome {
	return []outcome{
		{"a refund that nobody here asked for is booked on the PSP's word", foreignRefund},
		{"a refund of the PSP's that failed moves nothing", foreignFailed},
		{"a refund that is not final books nothing", foreignProcessing},
		{"ids are unique within their Pix alone", refundIDPerPix},
		{"one refund told of many times is booked once", foreignOnce},
		{"an end that the PSP tells of ends our refund", eventEndsOurs},
		{"three failures release once", failuresReleaseOnce},
		{"a failure after the return opens a case and frees nothing", undoneOpensCase},
		{"an end that the PSP does not confirm yet waits and changes nothing", notFinalYet},
		{"the PSP's other word is booked and the first kept with a case", refundOtherWord},
		{"a state that was not final is not contradicted by what came after", refundMovedOn},
		{"a word about another refund is refused and sinks no neighbour", refundWrongWord},
		{"a lost lease books nothing", refundLeaseLost},
	}
}

func foreignRefund(f *fixture) {
	f.paid(1, 10000)
	c := f.med(1, 1, 7000)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	e := f.claimed()
	f.appliedRefund(e, nil, receiver.ApplyConfirm, "")
	after := f.inState(id, receiver.EventReceived)
	equal(f, "version", after.Version, e.Version)
	sameTime(f, "lease end", after.DueAt, e.DueAt)
	f.holds(1, receiver.Holdings{Revenue: 10000}, 0, 0)
	f.appliedRefund(e, &c, receiver.ApplyBooked, "")
	equal(f, "confirmed", f.inState(id, receiver.EventProcessed).Confirmed, true)
	f.holds(1, receiver.Holdings{Revenue: 3000}, 0, 7000)
	f.noCase()
	sent := f.sent()
	count(f, "outbox", sent, 2)
	equal(f, "kind", sent[1].Kind, receiver.OutboxRefunded)
	equal(f, "number", sent[1].Number, 2)
	equal(f, "amount", sent[1].Amount, pix.Amount(7000))
	equal(f, "refund", sent[1].Refund, c.ID)
	equal(f, "charge", sent[1].Charge, ref(1))
	f.refundMatched(1, 1, 7000, receiver.MatchOK, -7000)
	f.matched(1, 10000, receiver.MatchOK, 10000)
}

func foreignFailed(f *fixture) {
	f.paid(1, 1000)
	f.toldRefund(f.content(1, "M1", 1, 300, pix.RefundFailed), receiver.ApplyKnown, "")
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	f.noCase()
}

func foreignProcessing(f *fixture) {
	f.paid(1, 1000)
	c := f.content(1, "M1", 1, 300, pix.RefundProcessing)
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedRefund(e, nil, receiver.ApplyKnown, "") // whoever says it
	f.inState(e.ID, receiver.EventProcessed)
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	c.Status = pix.RefundReturned
	f.toldRefund(c, receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
}

func refundIDPerPix(f *fixture) {
	for n := 1; n <= 2; n++ {
		f.paid(n, 10000)
		f.toldRefund(f.content(n, "1", n, pix.Amount(1000*n), pix.RefundReturned), receiver.ApplyBooked, "")
	}
	f.holds(1, receiver.Holdings{Revenue: 9000}, 0, 1000)
	f.holds(2, receiver.Holdings{Revenue: 8000}, 0, 2000)
	f.paid(3, 10000)
	n := f.newRefund(1, 3, 1500)
	n.Refund.ID = "1"
	equal(f, "ours", f.reserve(n)[0].Result, receiver.ReserveDone)
	f.calling(1)
	f.answered(1, 3, pix.RefundReturned)
	equal(f, "clash", f.refundIn(1, receiver.RefundReturned).Clash, false)
	f.noCase()
}

func foreignOnce(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	f.toldRefund(c, receiver.ApplyBooked, "")
	other := f.refundItem(c)
	other.Source = "another psp"
	f.appended(other, receiver.AppendNew)
	f.appliedRefund(f.claimed(), nil, receiver.ApplyKnown, "")
	f.appended(f.sweptRefund(c), receiver.AppendKnown)
	f.repairedRefund(c, receiver.ApplyKnown)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.noCase()
}

func eventEndsOurs(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	x := f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	c := f.content(1, x.ID, 1, 300, pix.RefundReturned)
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedRefund(e, nil, receiver.ApplyConfirm, "")
	f.appliedRefund(e, &c, receiver.ApplyBooked, "")
	f.refundIn(1, receiver.RefundReturned)
	f.idle(receiver.QueueRefunds)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.noCase()
	equal(f, "the call's own answer later", f.answered(1, 1, pix.RefundReturned).State, receiver.RefundReturned)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
	equal(f, "seen in the statement", f.refund(1).InStatement, true)
}

func failuresReleaseOnce(f *fixture) {
	f.paid(1, 10000)
	f.reserved(1, 1, 6000)
	x := f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	c := f.content(1, x.ID, 1, 6000, pix.RefundFailed)
	f.toldRefund(c, receiver.ApplyBooked, "")
	for i := range 2 {
		item := f.refundItem(c)
		item.Source = string(rune('a' + i))
		f.appended(item, receiver.AppendNew)
		f.appliedRefund(f.claimed(), &c, receiver.ApplyKnown, "")
	}
	f.refundIn(1, receiver.RefundFailed)
	f.holds(1, receiver.Holdings{Revenue: 10000}, 0, 0)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefundFailed)
	f.noCase()
}

func undoneOpensCase(f *fixture) {
	f.paid(1, 10000)
	f.returned(1, 1, 5000, 1)
	f.toldRefund(f.med(1, 2, 1000), receiver.ApplyBooked, "")
	ours := f.content(1, refundID(1), 1, 5000, pix.RefundFailed)
	theirs := f.med(1, 2, 1000)
	theirs.Status = pix.RefundFailed
	for _, c := range []receiver.RefundContent{ours, theirs} {
		f.appended(f.refundItem(c), receiver.AppendNew)
		e := f.claimed()
		f.appliedRefund(e, nil, receiver.ApplyConfirm, "")
		f.appliedRefund(e, &c, receiver.ApplyKnown, "")
		f.inState(e.ID, receiver.EventProcessed)
		f.contradicted(c, receiver.ReasonRefundUndone)
	}
	f.refundIn(1, receiver.RefundReturned)
	f.holds(1, receiver.Holdings{Revenue: 4000}, 0, 6000)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded, receiver.OutboxRefunded)
}

func notFinalYet(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	word := c
	word.Status = pix.RefundProcessing
	e := f.toldRefundAs(c, word, receiver.ApplyWait, receiver.ReasonNotFinalYet)
	after := f.inState(e.ID, receiver.EventReceived)
	equal(f, "content", *after.Refund, c)
	equal(f, "confirmed", after.Confirmed, false)
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	f.noCase()
	f.appliedRefund(e, &c, receiver.ApplyBooked, "")
}

// toldRefundAs is toldRefund where the PSP's word may be another.
func (f *fixture) toldRefundAs(c, word receiver.RefundContent, want receiver.ApplyResult, reason string) receiver.Event {
	f.Helper()
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedRefund(e, &word, want, reason)
	return e
}

func refundOtherWord(f *fixture) {
	f.paid(1, 10000)
	c := f.med(1, 1, 9000)
	e := f.toldRefundAs(c, f.med(1, 1, 300), receiver.ApplyBooked, "")
	after := f.inState(e.ID, receiver.EventProcessed)
	equal(f, "content", *after.Refund, f.med(1, 1, 300))
	equal(f, "confirmed", after.Confirmed, true)
	f.holds(1, receiver.Holdings{Revenue: 9700}, 0, 300)
	f.contradicted(c, receiver.ReasonVariant)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	failed := f.med(1, 2, 100)
	failed.Status = pix.RefundFailed
	f.toldRefundAs(failed, f.med(1, 2, 100), receiver.ApplyBooked, "")
	f.contradicted(failed, receiver.ReasonVariant)
	f.holds(1, receiver.Holdings{Revenue: 9600}, 0, 400)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
}

func refundMovedOn(f *fixture) {
	f.paid(1, 1000)
	c := f.content(1, "M1", 1, 300, pix.RefundProcessing)
	e := f.toldRefundAs(c, f.med(1, 1, 300), receiver.ApplyBooked, "")
	equal(f, "content", *f.inState(e.ID, receiver.EventProcessed).Refund, c)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.noCase()
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.toldRefundAs(f.content(1, "M2", 2, 900, pix.RefundProcessing), f.med(1, 2, 100), receiver.ApplyBooked, "")
	f.contradicted(f.med(1, 2, 100), receiver.ReasonVariant)
}

func refundWrongWord(f *fixture) {
	f.paid(1, 1000)
	f.append(f.refundItem(f.med(1, 1, 100)), f.refundItem(f.med(1, 2, 200)), f.refundItem(f.med(1, 3, 300)))
	events := f.claim(3)
	count(f, "claimed", events, 3)
	other, elsewhere, right := f.med(1, 9, 100), f.med(2, 2, 200), f.med(1, 3, 300)
	var apps []receiver.Application
	for i, word := range []*receiver.RefundContent{&other, &elsewhere, &right} {
		apps = append(apps, receiver.Application{EventID: events[i].ID, Version: events[i].Version, Refund: word, Now: f.now()})
	}
	for i, out := range f.apply(apps...) {
		want := receiver.ApplyFailed
		if i == 2 {
			want = receiver.ApplyBooked
		}
		equal(f, "result", out.Result, want)
	}
	equal(f, "content", f.inState(events[0].ID, receiver.EventReceived).Refund.ID, "M1")
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.noCase()
}

func refundLeaseLost(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	f.appended(f.refundItem(c), receiver.AppendNew)
	first := f.claimed()
	f.clock.pass(lease)
	second := f.claimed()
	f.appliedRefund(first, &c, receiver.ApplyLost, "")
	f.holds(1, receiver.Holdings{Revenue: 1000}, 0, 0)
	f.appliedRefund(second, &c, receiver.ApplyBooked, "")
	f.appliedRefund(second, &c, receiver.ApplyLost, "")
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
}
