package memory

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

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
		case !before.Alike(&in[i]):
			out[i] = receiver.AppendOutcome{EventID: before.ID, Result: receiver.AppendKnown, Confirmed: before.Confirmed}
		default:
			out[i] = tx.again(before, &in[i])
		}
	}
	return out, tx.commit()
}

// newEvent is the event that an item makes; the row owns its bytes.
func (s *Store) newEvent(item *receiver.InboxItem, now time.Time) *receiver.Event {
	e := receiver.NewEvent(item, now)
	if item.Readable() && s.cfg.Slim {
		e.Raw = nil
	} else {
		e.Raw = bytes.Clone(e.Raw)
	}
	if e.Credit != nil {
		s.share(e.Credit)
		e.Credit.EndToEndID = pix.EndToEndID(sharedEnd(string(e.Credit.EndToEndID), e.Key))
	}
	if e.Refund != nil {
		s.shareRefund(e.Refund)
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

// shareRefund is share of what an event says of a refund.
func (s *Store) shareRefund(c *receiver.RefundContent) {
	p := s.payments.byID[c.EndToEndID]
	if p == nil || p.payment == nil {
		return
	}
	c.EndToEndID = p.payment.EndToEndID
	if x := p.refunds.returned(c.ReturnID); x != nil {
		c.ReturnID, c.Nature = x.ReturnID, shared(c.Nature, x.Nature)
		c.ID = shared(c.ID, x.ID)
	}
}

// sharedEnd is text, in the memory of kept where that ends in it.
func sharedEnd(text, kept string) string {
	if strings.HasSuffix(kept, text) {
		return kept[len(kept)-len(text):]
	}
	return text
}

// shared is text, in the memory of kept where they are the same.
func shared[T ~string](text, kept T) T {
	if text == kept {
		return kept
	}
	return text
}

func (tx *Tx) addEvent(e *receiver.Event) receiver.AppendOutcome {
	e.ID = tx.s.events.nextID()
	tx.putEvent(nil, e)
	return receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendNew, Confirmed: e.Confirmed}
}

// again takes an item whose key is known.
func (tx *Tx) again(before *receiver.Event, item *receiver.InboxItem) receiver.AppendOutcome {
	h := before.Hear(item, tx.now)
	kept := tx.addVariant(&h.Event, h.Other)
	if h.Changed {
		row := h.Event // of its own, so that a hearing that changes nothing allocates none
		if c := row.Credit; c != nil && c != before.Credit {
			c.EndToEndID = before.Credit.EndToEndID // the same; only the string that is kept
			tx.s.share(c)
		}
		tx.putEvent(before, &row)
	}
	if h.Tells {
		tx.tellPayment(&h.Event)
	}
	return h.Outcome(kept)
}

// addVariant keeps v, if any, with a case. False: the same is kept already.
func (tx *Tx) addVariant(e *receiver.Event, v *receiver.Variant) bool {
	if v == nil || tx.s.variants.kept(*v) {
		return false
	}
	tx.s.variants.add(*v)
	tx.openCase(e.VariantNote(), e.EndToEndID(), tx.now)
	return true
}

// tellPayment hands on to a booked payment what its event learned: that the
// PSP vouches for it, or a txid, by which it may leave suspense at once.
func (tx *Tx) tellPayment(e *receiver.Event) {
	before := tx.s.payments.find(e.Credit.EndToEndID)
	if before == nil {
		return
	}
	p := e.Informed(*before)
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
	e.Wake(at)
	tx.putEvent(before, &e)
}
