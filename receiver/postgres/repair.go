package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// RepairEvents books what the statement holds and the ledger does not. An
// item's word is the PSP's own, whatever its Confirmed says. A refund whose Pix
// is not booked waits: nothing is stored of it.
func (s *Store) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	items := column(in, func(r receiver.Repair) receiver.InboxItem { return storable(r.Item) })
	out := make([]receiver.ApplyOutcome, len(in))
	err := s.run(ctx, "repair events", func(ctx context.Context, tx *tx) error {
		if err := tx.readRepaired(ctx, in, items); err != nil {
			return err
		}
		for i := range items {
			tx.at = in[i].Now
			out[i] = tx.applied(ctx, func() (receiver.ApplyOutcome, error) { return tx.repair(&items[i], in[i].Now) })
		}
		tx.dropUnused()
		return nil
	})
	return out, err
}

// readRepaired holds the places of new events first, as every command does that
// inserts some, and then reads the others and everything about their Pix.
func (tx *tx) readRepaired(ctx context.Context, in []receiver.Repair, items []receiver.InboxItem) error {
	var of pixSet
	var keys []eventKey
	var places []*event
	held := map[eventKey]bool{}
	for i := range items {
		if !items[i].Readable() {
			continue
		}
		of.add(items[i].Content())
		key := eventKey{items[i].Source, items[i].Key}
		keys = append(keys, key)
		if !held[key] {
			held[key] = true
			places = append(places, receiver.NewEvent(&items[i], in[i].Now))
		}
	}
	p := tx.begin()
	if len(places) > 0 {
		p.query(insertEvents, eventArrays(places), tx.holdPlace)
	}
	tx.lockKeysAndWaiting(p, keys, of.e2es)
	if err := tx.send(ctx, p); err != nil {
		return err
	}
	for _, e := range tx.sortedEvents() {
		of.add(e.Content())
		of.events = append(of.events, e.ID)
	}
	for _, place := range tx.places {
		of.events = append(of.events, place.id)
	}
	return tx.readPix(ctx, of)
}

// holdPlace notes the place of a new event.
func (tx *tx) holdPlace(rows pgx.Rows) error {
	k, err := scanKey(rows)
	if err != nil {
		return err
	}
	tx.reserved[k.id] = true
	tx.places = append(tx.places, k)
	tx.byKey[k.eventKey] = k.id
	tx.events.missing([]int64{k.id})
	return nil
}

// lockKeysAndWaiting is lockKeys, with the events about refunds that wait for
// one of these Pix.
func (tx *tx) lockKeysAndWaiting(p *pipeline, keys []eventKey, e2es []pix.EndToEndID) {
	args := append(keyArrays(keys), texts(e2es, func(id pix.EndToEndID) pix.EndToEndID { return id }))
	p.query(lockKeysAndWaiting, args, tx.readEvent)
}

const lockKeysAndWaiting = `SELECT ` + eventColumns + ` FROM inbox_event
WHERE id IN (
    SELECT e.id FROM unnest($1::text[], $2::text[]) AS k (source, event_key)
    JOIN inbox_event AS e ON e.source = k.source AND e.event_key = k.event_key
    UNION ALL
    SELECT w.id FROM inbox_event AS w
    WHERE w.end_to_end_id = ANY ($3) AND w.quarantine = 'waiting' AND w.about = 'refund'
)
ORDER BY id -- the lock order
FOR UPDATE`

// dropUnused gives up the places of events that were not put after all.
func (tx *tx) dropUnused() {
	for _, place := range tx.places {
		if tx.events.rows[place.id] == nil {
			tx.unused = append(tx.unused, place.id)
		}
	}
}

// writeUnused deletes the places given up; nobody else has seen them.
func (tx *tx) writeUnused(p *pipeline) {
	if len(tx.unused) > 0 {
		p.exec(deleteEvents, tx.unused)
	}
}

const deleteEvents = `DELETE FROM inbox_event WHERE id = ANY ($1)`

func (tx *tx) repair(item *receiver.InboxItem, at time.Time) (receiver.ApplyOutcome, error) {
	if !item.Readable() {
		return receiver.ApplyOutcome{}, fmt.Errorf("repair %s: %s", item.Key, receiver.ReasonUnreadable)
	}
	e, err := tx.repairedEvent(item, at)
	switch {
	case err != nil:
		return receiver.ApplyOutcome{}, err
	case e.Refund != nil:
		return tx.repairRefund(e, *item.Refund, at)
	case e.Payout != nil:
		return tx.repairPayout(e, *item.Payout, at)
	}
	return tx.repairCredit(e, at)
}

func (tx *tx) repairCredit(e *event, at time.Time) (receiver.ApplyOutcome, error) {
	known := tx.payment(e.Credit.EndToEndID)
	d := tx.decideOn(receiver.CreditFacts{Credit: *e.Credit, Confirmed: true, Settled: true, Known: known, At: at})
	if err := tx.put(d, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if known == nil && d.Result == receiver.ApplyBooked {
		id := e.Credit.EndToEndID
		tx.openCase(receiver.CaseNote{ID: receiver.MissedCase(id), Reason: receiver.ReasonMissedCredit}, id, at)
	}
	return tx.settle(e, d.Result, d.Reason, d.Quarantine), nil
}

func (tx *tx) repairRefund(e *event, c receiver.RefundContent, at time.Time) (receiver.ApplyOutcome, error) {
	f := tx.refundFacts(c)
	f.Confirmed, f.Settled, f.At = true, true, at
	d := tx.rules().Refund(f)
	if d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.putRefundDecision(d, c.EndToEndID, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if d.Result == receiver.ApplyBooked {
		id := receiver.RefundCase(c.EndToEndID, c.ID)
		tx.openCase(receiver.CaseNote{ID: id, Reason: receiver.ReasonMissedRefund}, c.EndToEndID, at)
	}
	return tx.settle(e, d.Result, d.Reason, d.Quarantine), nil
}

// repairedEvent is the event of a repair, not yet put: the one there is, saying
// what the PSP says, or a new one.
func (tx *tx) repairedEvent(item *receiver.InboxItem, at time.Time) (*event, error) {
	key := eventKey{item.Source, item.Key}
	before := tx.eventOf(key)
	if before == nil {
		e := receiver.NewEvent(item, at)
		e.ID, e.Confirmed = tx.byKey[key], true
		return e, nil
	}
	e := *before
	earlier, err := e.Repair(item)
	tx.addVariant(&e, earlier)
	return &e, err
}
