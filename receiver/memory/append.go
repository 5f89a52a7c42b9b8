package memory

import (
	"bytes"
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// droppedPrefix begins the reason of an event that an operator dropped. Such
// an event is closed: nothing but a repair from the statement books it.
const droppedPrefix = "dropped: "

// AppendInbox stores items. Where more than one thing became of an item, the
// answer is the first of: variant, revived, enriched, known.
func (s *Store) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	tx, err := s.begin(ctx, "AppendInbox")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.AppendOutcome, len(in))
	for i := range in {
		before := s.events.find(in[i].Source, in[i].Key)
		switch {
		case before == nil:
			out[i] = tx.addEvent(s.newEvent(&in[i], tx.now))
		case !alike(before, &in[i]):
			out[i] = receiver.AppendOutcome{EventID: before.ID, Result: receiver.AppendKnown, Confirmed: before.Confirmed}
		default:
			out[i] = tx.again(before, &in[i])
		}
	}
	return out, tx.commit()
}

// readable says whether an item has content to act on.
func readable(item *receiver.InboxItem) bool {
	return (item.Credit != nil || item.Refund != nil) && item.Invalid == ""
}

// alike says whether an item can add to an event: both can be read, and both
// are about a credit or both about a refund.
func alike(e *receiver.Event, item *receiver.InboxItem) bool {
	return readable(item) && (e.Credit != nil && item.Credit != nil || e.Refund != nil && item.Refund != nil)
}

// content is an item's content, which the caller owns. A refund goes first.
func content(item *receiver.InboxItem) (*receiver.Credit, *receiver.RefundContent) {
	if item.Refund != nil {
		x := *item.Refund
		return nil, &x
	}
	c := *item.Credit
	return &c, nil
}

// newEvent is the event that an item makes: due at once, or set aside where it
// cannot be read.
func (s *Store) newEvent(item *receiver.InboxItem, now time.Time) *receiver.Event {
	e := &receiver.Event{
		Source: item.Source, Key: item.Key, Channel: item.Channel,
		ReceivedAt: item.ReceivedAt, State: receiver.EventReceived, DueAt: now,
	}
	if !readable(item) || !s.cfg.Slim {
		e.Raw = bytes.Clone(item.Raw)
	}
	if !readable(item) {
		e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineBad
		e.Reason = receiver.ReasonUnreadable + ": " + item.Invalid
		return e
	}
	e.Credit, e.Refund = content(item)
	e.Confirmed = item.Confirmed
	if e.Credit != nil {
		s.share(e.Credit)
	}
	return e
}

// share makes a credit say what is stored already in the very same strings: what
// was read from a body would keep a copy of each alive.
func (s *Store) share(c *receiver.Credit) {
	if ch := s.charges.findTxID(c.TxID); ch != nil {
		c.TxID = ch.TxID
	}
	for _, key := range s.cfg.Rules.Keys {
		if key == c.PixKey {
			c.PixKey = key
		}
	}
}

func (tx *Tx) addEvent(e *receiver.Event) receiver.AppendOutcome {
	e.ID = tx.s.events.nextID()
	tx.putEvent(nil, e)
	return receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendNew, Confirmed: e.Confirmed}
}

// again takes an item whose key is known.
func (tx *Tx) again(before *receiver.Event, item *receiver.InboxItem) receiver.AppendOutcome {
	e := *before
	out := receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendKnown}
	if !agree(before, item) {
		if tx.keepVariant(&e, item) {
			out.Result = receiver.AppendVariant
		}
	} else if learnItem(&e, item) {
		out.Result = receiver.AppendEnriched
	}
	enriched := out.Result == receiver.AppendEnriched
	if wakes(before, item) {
		rouse(&e, tx.now)
		if out.Result != receiver.AppendVariant {
			out.Result = receiver.AppendRevived
		}
	}
	if e.Credit != before.Credit || e.Refund != before.Refund || e.Confirmed != before.Confirmed || e.State != before.State {
		tx.putEvent(before, &e)
	}
	if e.Credit != nil && e.State == receiver.EventProcessed && (enriched || e.Confirmed != before.Confirmed) {
		tx.tellPayment(&e)
	}
	out.Confirmed = e.Confirmed
	return out
}

// agree says whether an item has the content of an event.
func agree(e *receiver.Event, item *receiver.InboxItem) bool {
	if e.Refund != nil {
		return e.Refund.SameContent(*item.Refund)
	}
	return e.Credit.SameContent(*item.Credit)
}

// learnItem completes e by an item of the same content, and says whether the
// item told what e left out.
func learnItem(e *receiver.Event, item *receiver.InboxItem) (enriched bool) {
	if e.Refund != nil {
		learnRefund(e, *item.Refund, item.Confirmed)
		return false
	}
	enriched = item.Credit.Enriches(*e.Credit)
	learnContent(e, *item.Credit, item.Confirmed)
	return enriched
}

// learnRefund is learnContent of an event about a refund, which has no member
// that could be left out.
func learnRefund(e *receiver.Event, c receiver.RefundContent, confirmed bool) {
	if confirmed && !e.Confirmed {
		e.Refund, e.Confirmed = &c, true
	}
}

// learnContent completes e by a further account of the same content. The first
// confirmed account takes the place of what was there.
func learnContent(e *receiver.Event, c receiver.Credit, confirmed bool) {
	switch {
	case confirmed && !e.Confirmed:
		c = receiver.Enriched(c, *e.Credit)
		c.EndToEndID = e.Credit.EndToEndID // the same: only the string that is kept
		if c.TxID == e.Credit.TxID {
			c.TxID = e.Credit.TxID
		}
		if c.PixKey == e.Credit.PixKey {
			c.PixKey = e.Credit.PixKey
		}
		e.Credit, e.Confirmed = &c, true
	case c.Enriches(*e.Credit):
		c = receiver.Enriched(*e.Credit, c)
		e.Credit = &c
	}
}

// wakes says whether an item ends an event's waiting: it came from the PSP's
// own API, or by a road that only leads there.
func wakes(e *receiver.Event, item *receiver.InboxItem) bool {
	return e.State == receiver.EventQuarantined && e.Quarantine == receiver.QuarantineWaiting &&
		(item.Confirmed || item.Channel != receiver.ChannelCallback)
}

// keepVariant keeps an item's other content, or, where the item is confirmed
// and e is not booked, takes it as e's own and keeps what e said before. False:
// it was kept already and nothing is new.
func (tx *Tx) keepVariant(e *receiver.Event, item *receiver.InboxItem) bool {
	credit, refund := content(item)
	if item.Confirmed && e.State != receiver.EventProcessed {
		tx.replaceContent(e, credit, refund)
		return true
	}
	return tx.addVariant(e, variant(e.ID, credit, refund, item.Channel, item.Confirmed, item.ReceivedAt))
}

// replaceContent makes e say what the PSP says, and keeps what it said before.
func (tx *Tx) replaceContent(e *receiver.Event, c *receiver.Credit, x *receiver.RefundContent) {
	earlier := variant(e.ID, e.Credit, e.Refund, e.Channel, e.Confirmed, e.ReceivedAt)
	e.Credit, e.Refund, e.Confirmed = c, x, true
	tx.addVariant(e, earlier)
}

func variant(
	id int64, c *receiver.Credit, x *receiver.RefundContent, ch receiver.Channel, confirmed bool, at time.Time,
) receiver.Variant {
	v := receiver.Variant{EventID: id, Channel: ch, Refund: x, Confirmed: confirmed, ReceivedAt: at}
	if c != nil {
		v.Credit = *c
	}
	return v
}

// addVariant keeps v, with a case, unless the same is kept already.
func (tx *Tx) addVariant(e *receiver.Event, v receiver.Variant) bool {
	if tx.s.variants.kept(v) {
		return false
	}
	tx.s.variants.add(v)
	id := e.EndToEndID()
	caseID := receiver.DivergenceCase(id)
	if e.Refund != nil {
		caseID = receiver.RefundCase(id, e.Refund.ID)
	}
	tx.openCase(receiver.CaseNote{ID: caseID, Reason: receiver.ReasonVariant}, id, tx.now)
	return true
}

// tellPayment hands on to a booked payment what its event learned: that the
// PSP vouches for it, or a txid, by which it may leave suspense at once.
func (tx *Tx) tellPayment(e *receiver.Event) {
	before := tx.s.payments.find(e.Credit.EndToEndID)
	if before == nil {
		return
	}
	p := *before
	if p.Disposition == receiver.DispositionUnidentified && p.TxID == "" {
		p.TxID, p.PixKey = e.Credit.TxID, e.Credit.PixKey
	}
	d := tx.decide(*e.Credit, e.Confirmed, &p, tx.now)
	if d.Payment == nil && p != *before {
		d.Payment = &p
	}
	// A refusal leaves the payment as it is: in suspense, with its case.
	_ = tx.item(func() error { return tx.write(d, tx.now) })
}

// wake brings a quarantined event back to work.
func (tx *Tx) wake(before *receiver.Event, at time.Time) {
	e := *before
	rouse(&e, at)
	tx.putEvent(before, &e)
}

// rouse is wake on a row not yet put. The attempts made stay counted.
func rouse(e *receiver.Event, at time.Time) {
	e.State, e.Quarantine, e.Reason, e.DueAt = receiver.EventReceived, "", "", at
}
