package postgres

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// readable says whether an item has content to act on.
func readable(item *receiver.InboxItem) bool {
	return (item.Credit != nil || item.Refund != nil) && item.Invalid == ""
}

// alike says whether an item can add to an event: both can be read, and both
// are about a credit or both about a refund.
func alike(e *event, item *receiver.InboxItem) bool {
	return readable(item) && (e.Credit != nil && item.Credit != nil || e.Refund != nil && item.Refund != nil)
}

// contentOf is an item's content. A refund goes first.
func contentOf(item *receiver.InboxItem) (*receiver.Credit, *receiver.RefundContent) {
	if item.Refund != nil {
		x := *item.Refund
		return nil, &x
	}
	c := *item.Credit
	return &c, nil
}

// newEvent is the event that an item makes: due at once, or set aside where it
// cannot be read.
func newEvent(item *receiver.InboxItem, now time.Time) *event {
	e := &event{
		Source: item.Source, Key: item.Key, Channel: item.Channel, Raw: item.Raw,
		ReceivedAt: item.ReceivedAt, State: receiver.EventReceived, DueAt: now,
	}
	if !readable(item) {
		e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineBad
		e.Reason = receiver.ReasonUnreadable + ": " + item.Invalid
		return e
	}
	e.Credit, e.Refund = contentOf(item)
	e.Confirmed = item.Confirmed
	return e
}

// agree says whether an item has the content of an event.
func agree(e *event, item *receiver.InboxItem) bool {
	if e.Refund != nil {
		return e.Refund.SameContent(*item.Refund)
	}
	return e.Credit.SameContent(*item.Credit)
}

// learnItem completes e by an item of the same content, and says whether the
// item told what e left out.
func learnItem(e *event, item *receiver.InboxItem) (enriched bool) {
	if e.Refund != nil {
		learnRefund(e, *item.Refund, item.Confirmed)
		return false
	}
	enriched = item.Credit.Enriches(*e.Credit)
	learnCredit(e, *item.Credit, item.Confirmed)
	return enriched
}

// learnRefund completes an event about a refund, which has no member that could
// be left out: the first confirmed account takes the place of what was there.
func learnRefund(e *event, c receiver.RefundContent, confirmed bool) {
	if confirmed && !e.Confirmed {
		e.Refund, e.Confirmed = &c, true
	}
}

// learnCredit completes e by a further account of the same content. The first
// confirmed account takes the place of what was there.
func learnCredit(e *event, c receiver.Credit, confirmed bool) {
	switch {
	case confirmed && !e.Confirmed:
		c = receiver.Enriched(c, *e.Credit)
		e.Credit, e.Confirmed = &c, true
	case c.Enriches(*e.Credit):
		c = receiver.Enriched(*e.Credit, c)
		e.Credit = &c
	}
}

// wakes says whether an item ends an event's waiting: it came from the PSP's
// own API, or by a road that only leads there.
func wakes(e *event, item *receiver.InboxItem) bool {
	return waits(e) && (item.Confirmed || item.Channel != receiver.ChannelCallback)
}

// changed says whether an event after an item differs from before.
func changed(before, after *event) bool {
	return after.Credit != before.Credit || after.Refund != before.Refund ||
		after.Confirmed != before.Confirmed || after.State != before.State
}

// confirm makes e say what the PSP says, and keeps what it said before where
// that is other content.
func (tx *tx) confirm(e *event, c receiver.Credit) error {
	if c.EndToEndID != e.Credit.EndToEndID {
		return fmt.Errorf("confirm event %d: the PSP's word is about %s", e.ID, c.EndToEndID)
	}
	if e.Credit.SameContent(c) {
		learnCredit(e, c, true)
		return nil
	}
	tx.replaceContent(e, &c, nil)
	return nil
}

// confirmRefund makes e say what the PSP says of its refund, and keeps what it
// said before where the two contradict each other. An event of a state that was
// not final is not contradicted by what came after: it keeps its content.
func (tx *tx) confirmRefund(e *event, c receiver.RefundContent) error {
	own := *e.Refund
	switch {
	case c.EndToEndID != own.EndToEndID || c.ID != own.ID:
		return fmt.Errorf("confirm event %d: the PSP's word is about %s of %s", e.ID, c.ID, c.EndToEndID)
	case own.SameContent(c):
		learnRefund(e, c, true)
	case own.Status.Final() || own.ReturnID != c.ReturnID || own.Amount != c.Amount:
		tx.replaceContent(e, nil, &c)
	}
	return nil
}

// replaceContent makes e say what the PSP says, and keeps what it said before.
func (tx *tx) replaceContent(e *event, c *receiver.Credit, x *receiver.RefundContent) {
	earlier := variantOf(e, e.Credit, e.Refund)
	earlier.Channel, earlier.Confirmed, earlier.ReceivedAt = e.Channel, e.Confirmed, e.ReceivedAt
	e.Credit, e.Refund, e.Confirmed = c, x, true
	tx.addVariant(e, earlier)
}

// keepVariant keeps an item's other content, or, where the item is confirmed
// and e is not booked, takes it as e's own and keeps what e said before. False:
// it was kept already and nothing is new.
func (tx *tx) keepVariant(e *event, item *receiver.InboxItem) bool {
	credit, refund := contentOf(item)
	if item.Confirmed && e.State != receiver.EventProcessed {
		tx.replaceContent(e, credit, refund)
		return true
	}
	v := variantOf(e, credit, refund)
	v.Channel, v.Confirmed, v.ReceivedAt = item.Channel, item.Confirmed, item.ReceivedAt
	return tx.addVariant(e, v)
}

func variantOf(e *event, c *receiver.Credit, x *receiver.RefundContent) receiver.Variant {
	v := receiver.Variant{EventID: e.ID, Refund: x}
	if c != nil {
		v.Credit = *c
	}
	return v
}

// addVariant keeps v, with a case, unless the same is kept already.
func (tx *tx) addVariant(e *event, v receiver.Variant) bool {
	if tx.kept(v) {
		return false
	}
	tx.variants.add(v)
	id := e.EndToEndID()
	caseID := receiver.DivergenceCase(id)
	if e.Refund != nil {
		caseID = receiver.RefundCase(id, e.Refund.ID)
	}
	tx.openCase(receiver.CaseNote{ID: caseID, Reason: receiver.ReasonVariant}, id, tx.at)
	return true
}
