package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundInboxOutcomes() []outcome {
	return []outcome{
		{"a refund's item is an event of its own", refundItemStored},
		{"each state of a refund is an event", refundStatePerEvent},
		{"other content under a refund's key is kept with a case, each once", refundVariant},
		{"nature is not content, and the PSP's account of it prevails", refundNature},
		{"the PSP's word takes the place of other content not booked yet", refundVariantConfirmed},
		{"the PSP's other word on a processed event changes nothing", refundVariantProcessed},
		{"the PSP's word wakes a waiting event, a callback does not", refundRevived},
		{"an unreadable refund sinks no neighbour", refundUnreadable},
		{"an item of the other kind under a key is known", refundOtherKind},
		{"a dropped event stays closed when its credit comes", refundDropped},
	}
}

func refundItemStored(f *fixture) {
	item := f.refundItem(f.med(1, 1, 300))
	out := f.appended(item, receiver.AppendNew)
	e := f.inState(out.EventID, receiver.EventReceived)
	equal(f, "key", e.Key, "dev:"+string(e2e(1))+":M1:DEVOLVIDO")
	equal(f, "content", *e.Refund, f.med(1, 1, 300))
	equal(f, "no credit", e.Credit == nil, true)
	equal(f, "confirmed", e.Confirmed, false)
	f.dueAt(receiver.QueueInbox, f.now())
	item.Refund.Amount = 1
	e.Refund.Amount = 2
	claimed := f.claimed()
	equal(f, "content is not the caller's", *claimed.Refund, f.med(1, 1, 300))
	claimed.Refund.Amount = 3
	equal(f, "nor the claimer's", *f.event(out.EventID).Refund, f.med(1, 1, 300))
	f.appended(f.refundItem(f.med(1, 1, 300)), receiver.AppendKnown)
	confirmed := f.appended(f.sweptRefund(f.med(1, 1, 300)), receiver.AppendKnown)
	equal(f, "confirmed by a sweep", confirmed.Confirmed, true)
	equal(f, "stored as confirmed", f.event(out.EventID).Confirmed, true)
}

func refundStatePerEvent(f *fixture) {
	for _, status := range []pix.RefundStatus{pix.RefundProcessing, pix.RefundReturned, pix.RefundFailed} {
		f.appended(f.refundItem(f.content(1, "M1", 1, 300, status)), receiver.AppendNew)
	}
	f.appended(f.refundItem(f.content(1, "m1", 1, 300, pix.RefundReturned)), receiver.AppendNew)
	f.appended(f.refundItem(f.content(2, "M1", 2, 300, pix.RefundReturned)), receiver.AppendNew)
	f.noCase()
}

// underKey is content told under the key of other content.
func (f *fixture) underKey(of, c receiver.RefundContent) receiver.InboxItem {
	item := f.refundItem(c)
	item.Key = of.Key()
	return item
}

func refundVariant(f *fixture) {
	c := f.med(1, 1, 300)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	amount, rtr, status := c, c, c
	amount.Amount, rtr.ReturnID, status.Status = 400, returnID(2), pix.RefundFailed
	for _, want := range []receiver.AppendResult{receiver.AppendVariant, receiver.AppendKnown} {
		for _, other := range []receiver.RefundContent{amount, rtr, status} {
			equal(f, "id", f.appended(f.underKey(c, other), want).EventID, id)
			equal(f, "content", *f.event(id).Refund, c)
		}
	}
	f.contradicted(c, receiver.ReasonVariant)
	count(f, "cases", f.cases(), 1)
}

func refundNature(f *fixture) {
	c := f.med(1, 1, 300)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	other := c
	other.Nature = pix.NatureMEDOperational
	f.appended(f.refundItem(other), receiver.AppendKnown)
	equal(f, "nature", f.event(id).Refund.Nature, pix.NatureMEDFraud)
	f.appended(f.sweptRefund(other), receiver.AppendKnown)
	equal(f, "nature", f.event(id).Refund.Nature, pix.NatureMEDOperational)
	f.appended(f.sweptRefund(c), receiver.AppendKnown)
	equal(f, "the first confirmed stays", f.event(id).Refund.Nature, pix.NatureMEDOperational)
	f.noCase()
}

func refundVariantConfirmed(f *fixture) {
	f.paid(1, 1000)
	c, real := f.med(1, 1, 900), f.med(1, 1, 300)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	out := f.appended(f.sweptRefund(real), receiver.AppendVariant)
	equal(f, "confirmed", out.Confirmed, true)
	equal(f, "content", *f.inState(id, receiver.EventReceived).Refund, real)
	f.contradicted(c, receiver.ReasonVariant)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.appended(f.sweptRefund(f.med(1, 1, 200)), receiver.AppendVariant)
	f.appliedRefund(f.claimed(), nil, receiver.ApplyBooked, "")
	f.holds(1, receiver.Holdings{Revenue: 800}, 0, 200)
}

func refundVariantProcessed(f *fixture) {
	f.paid(1, 1000)
	c := f.med(1, 1, 300)
	e := f.toldRefund(c, receiver.ApplyBooked, "")
	f.appended(f.sweptRefund(f.med(1, 1, 900)), receiver.AppendVariant)
	equal(f, "content", *f.inState(e.ID, receiver.EventProcessed).Refund, c)
	f.contradicted(c, receiver.ReasonVariant)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.appended(f.sweptRefund(f.med(1, 1, 900)), receiver.AppendKnown)
}

func refundRevived(f *fixture) {
	c := f.med(1, 1, 300)
	id := f.appended(f.refundItem(c), receiver.AppendNew).EventID
	f.deferred(f.claimed(), receiver.Deferral{Quarantine: receiver.QuarantineWaiting}, true)
	f.clock.pass(time.Hour)
	f.appended(f.refundItem(c), receiver.AppendKnown)
	f.inState(id, receiver.EventQuarantined)
	f.appended(f.sweptRefund(c), receiver.AppendRevived)
	e := f.inState(id, receiver.EventReceived)
	sameTime(f, "due at", e.DueAt, f.now())
	equal(f, "confirmed", e.Confirmed, true)
	equal(f, "attempts", e.Attempts, 1)
}

func refundUnreadable(f *fixture) {
	bad := f.refundItem(f.med(1, 1, 300))
	bad.Invalid = "cut short"
	out := f.append(bad, f.refundItem(f.med(1, 2, 300)))
	e := f.inState(out[0].EventID, receiver.EventQuarantined)
	equal(f, "kind", e.Quarantine, receiver.QuarantineBad)
	equal(f, "content", e.Refund == nil, true)
	equal(f, "again", f.append(bad)[0], receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendKnown})
	count(f, "claimed", f.claim(9), 1)
	f.paid(1, 1000)
	f.inState(e.ID, receiver.EventQuarantined)
}

func refundOtherKind(f *fixture) {
	credit := f.item(f.credit(1, 1, 1000))
	f.appended(credit, receiver.AppendNew)
	item := f.refundItem(f.med(1, 1, 300))
	item.Key = credit.Key
	f.appended(item, receiver.AppendKnown)
	f.appended(f.refundItem(f.med(1, 1, 300)), receiver.AppendNew)
	credit.Key = f.med(1, 1, 300).Key()
	f.appended(credit, receiver.AppendKnown)
	f.noCase()
}

func refundDropped(f *fixture) {
	id := f.appended(f.refundItem(f.med(1, 1, 300)), receiver.AppendNew).EventID
	f.decided(f.store.DropEvents, id, true)
	f.paid(1, 1000)
	f.appended(f.sweptRefund(f.med(1, 1, 300)), receiver.AppendKnown)
	f.inState(id, receiver.EventQuarantined)
	f.idle(receiver.QueueInbox)
}
