package postgres

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// appendAgain takes the items at these places, whose keys are known, in order.
func (tx *tx) appendAgain(ctx context.Context, items []receiver.InboxItem, places []int, out []receiver.AppendOutcome) error {
	if err := tx.readAgain(ctx, items, places); err != nil {
		return err
	}
	for _, i := range places {
		before := tx.eventOf(eventKey{items[i].Source, items[i].Key})
		switch {
		case before == nil:
			return errRaced // a repair held its place and gave it up
		case !before.Alike(&items[i]):
			out[i] = receiver.AppendOutcome{EventID: before.ID, Result: receiver.AppendKnown, Confirmed: before.Confirmed}
		default:
			out[i] = tx.again(ctx, before, &items[i])
		}
	}
	return nil
}

// readAgain reads the events of items, and everything about their Pix.
func (tx *tx) readAgain(ctx context.Context, items []receiver.InboxItem, places []int) error {
	p := tx.begin()
	tx.lockKeys(p, column(places, func(i int) eventKey { return eventKey{items[i].Source, items[i].Key} }))
	if err := tx.send(ctx, p); err != nil {
		return err
	}
	var of pixSet
	for _, e := range tx.sortedEvents() {
		of.add(e.Content())
		of.events = append(of.events, e.ID)
	}
	for _, i := range places {
		of.add(receiver.Content{Credit: items[i].Credit, Refund: items[i].Refund, Payout: items[i].Payout})
	}
	return tx.readPix(ctx, of)
}

// pixSet is what a command is about.
type pixSet struct {
	events []int64 // whose variants may matter
	e2es   []pix.EndToEndID
	txids  []pix.TxID
	// payouts are the keys of payouts.
	payouts []string
	// bookings is how many transactions are likely to be posted.
	bookings int
}

func (s *pixSet) add(c receiver.Content) {
	if c.Credit != nil {
		s.e2es, s.txids = append(s.e2es, c.Credit.EndToEndID), append(s.txids, c.Credit.TxID)
	}
	if c.Refund != nil {
		s.e2es = append(s.e2es, c.Refund.EndToEndID)
	}
	if c.Payout != nil {
		s.payouts = append(s.payouts, c.Payout.Key)
	}
}

// readPix reads charges, payments and what hangs on them, under locks.
func (tx *tx) readPix(ctx context.Context, of pixSet) error {
	p := tx.begin()
	tx.lockTxIDs(p, of.txids)
	tx.lockPix(p, of.e2es)
	tx.lockPayouts(p, of.payouts)
	tx.readVariants(p, of.events)
	tx.takeNumbers(p, of.bookings)
	return tx.send(ctx, p)
}

// again takes an item whose key is known.
func (tx *tx) again(ctx context.Context, before *event, item *receiver.InboxItem) receiver.AppendOutcome {
	h := before.Hear(item, tx.at)
	kept := tx.addVariant(&h.Event, h.Other)
	if h.Changed {
		tx.putEvent(h.Event)
	}
	if h.Tells {
		tx.tellPayment(ctx, &h.Event)
	}
	return h.Outcome(kept)
}

// tellPayment hands on to a booked payment what its event learned: that the
// PSP vouches for it, or a txid, by which it may leave suspense at once.
func (tx *tx) tellPayment(ctx context.Context, e *event) {
	before := tx.payment(e.Credit.EndToEndID)
	if before == nil {
		return
	}
	p := e.Informed(*before)
	d := tx.decide(*e.Credit, e.Confirmed, &p, tx.at)
	if d.Payment == nil && p != *before {
		d.Payment = &p
	}
	// A refusal leaves the payment as it is: in suspense, with its case.
	_ = tx.item(ctx, func() error { return tx.put(d, tx.at) })
}
