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
			out[i] = tx.addEvent(newEvent(&in[i], tx.now))
		case !readable(&in[i]) || before.Credit == nil:
			out[i] = receiver.AppendOutcome{EventID: before.ID, Result: receiver.AppendKnown, Confirmed: before.Confirmed}
		default:
			out[i] = tx.again(before, &in[i])
		}
	}
	return out, tx.commit()
}

// readable says whether an item has content to act on.
func readable(item *receiver.InboxItem) bool { return item.Credit != nil && item.Invalid == "" }

// newEvent is the event that an item makes: due at once, or set aside where it
// cannot be read.
func newEvent(item *receiver.InboxItem, now time.Time) *receiver.Event {
	e := &receiver.Event{
		Source: item.Source, Key: item.Key, Channel: item.Channel, Raw: bytes.Clone(item.Raw),
		ReceivedAt: item.ReceivedAt, State: receiver.EventReceived, DueAt: now,
	}
	if !readable(item) {
		e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineBad
		e.Reason = receiver.ReasonUnreadable + ": " + item.Invalid
		return e
	}
	c := *item.Credit
	e.Credit, e.Confirmed = &c, item.Confirmed
	return e
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
	enriched := false
	if before.Credit.SameContent(*item.Credit) {
		if enriched = item.Credit.Enriches(*before.Credit); enriched {
			out.Result = receiver.AppendEnriched
		}
		learnContent(&e, *item.Credit, item.Confirmed)
	} else if tx.keepVariant(&e, item) {
		out.Result = receiver.AppendVariant
	}
	if wakes(before, item) {
		rouse(&e, tx.now)
		if out.Result != receiver.AppendVariant {
			out.Result = receiver.AppendRevived
		}
	}
	if e.Credit != before.Credit || e.Confirmed != before.Confirmed || e.State != before.State {
		tx.putEvent(before, &e)
	}
	if e.State == receiver.EventProcessed && (enriched || e.Confirmed != before.Confirmed) {
		tx.tellPayment(&e)
	}
	out.Confirmed = e.Confirmed
	return out
}

// learnContent completes e by a further account of the same content. The first
// confirmed account takes the place of what was there.
func learnContent(e *receiver.Event, c receiver.Credit, confirmed bool) {
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
func wakes(e *receiver.Event, item *receiver.InboxItem) bool {
	return e.State == receiver.EventQuarantined && e.Quarantine == receiver.QuarantineWaiting &&
		(item.Confirmed || item.Channel != receiver.ChannelCallback)
}

// keepVariant keeps an item's other content, or, where the item is confirmed
// and e is not booked, takes it as e's own and keeps what e said before. False:
// it was kept already and nothing is new.
func (tx *Tx) keepVariant(e *receiver.Event, item *receiver.InboxItem) bool {
	other := receiver.Variant{
		EventID: e.ID, Channel: item.Channel, Credit: *item.Credit,
		Confirmed: item.Confirmed, ReceivedAt: item.ReceivedAt,
	}
	if item.Confirmed && e.State != receiver.EventProcessed {
		other = own(e)
		c := *item.Credit
		e.Credit, e.Confirmed = &c, true
		tx.addVariant(e, other)
		return true
	}
	return tx.addVariant(e, other)
}

// own is what e says, as a variant.
func own(e *receiver.Event) receiver.Variant {
	return receiver.Variant{
		EventID: e.ID, Channel: e.Channel, Credit: *e.Credit,
		Confirmed: e.Confirmed, ReceivedAt: e.ReceivedAt,
	}
}

// addVariant keeps v, with a case, unless the same is kept already.
func (tx *Tx) addVariant(e *receiver.Event, v receiver.Variant) bool {
	if tx.s.variants.kept(e.ID, v.Credit, v.Confirmed) {
		return false
	}
	tx.s.variants.add(v)
	id := e.Credit.EndToEndID
	tx.openCase(receiver.CaseNote{ID: receiver.DivergenceCase(id), Reason: receiver.ReasonVariant}, id, tx.now)
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
