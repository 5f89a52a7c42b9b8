package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// CreateCharges stores intentions. A known reference, or a txid that another
// charge has, answers with the charge there is. Under a new txid, payments
// booked as unidentified are attached in the order (paid, id), and events that
// wait in quarantine wake.
func (s *Store) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	if out, err := s.losers(ctx, in); err != nil || out != nil {
		return out, err
	}
	out := make([]receiver.CreateOutcome, len(in))
	err := s.run(ctx, "create charges", func(ctx context.Context, tx *tx) error {
		if err := tx.readCreated(ctx, in); err != nil {
			return err
		}
		waiting := tx.awaited()
		for i, n := range in {
			out[i] = tx.create(ctx, n, waiting)
		}
		return nil
	})
	return out, err
}

// losers are the outcomes of a batch whose keys are all another request's, by a
// plain read: two hundred repeats of one request must not queue for the lock of
// its key. Nil: some item has to be looked at under locks.
func (s *Store) losers(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	refs := claimed(in, func(n receiver.NewCharge) *receiver.KeyRef { return claimOf(n.Key) })
	if len(refs) != len(in) {
		return nil, nil
	}
	rows, err := s.FindKeys(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := make([]receiver.CreateOutcome, len(in))
	for i, n := range in {
		if rows[i] == nil {
			return nil, nil
		}
		key, _, work := n.Key.Begin(rows[i], false, n.At)
		if work || key.Result != receiver.KeyBusy && key.Result != receiver.KeyOther {
			return nil, nil
		}
		out[i].Key = key
	}
	return out, nil
}

// readCreated reads what new charges meet: charges of their references and
// txids, and what waits for these txids, under locks.
func (tx *tx) readCreated(ctx context.Context, in []receiver.NewCharge) error {
	refs := column(in, func(n receiver.NewCharge) receiver.ChargeRef { return refOf(&n.Charge) })
	txids := column(in, func(n receiver.NewCharge) pix.TxID { return n.Charge.TxID })
	args := []any{texts(txids, func(id pix.TxID) pix.TxID { return id })}
	p := tx.begin()
	tx.lockRequestKeys(p, claimed(in, func(n receiver.NewCharge) *receiver.KeyRef { return claimOf(n.Key) }))
	p.query(lockWaitingEvents, args, tx.readEvent)
	tx.holdTxIDs(p, txids)
	tx.charges.missing(refs)
	p.query(readCharges, refArrays(refs), tx.readCharge)
	p.query(readTxIDs, args, tx.readCharge)
	p.query(lockWaitingPayments, args, tx.readPayment)
	p.query(lockWaitingRefunds, args, tx.readRefund)
	p.query(lockWaitingCases, args, tx.readCase)
	return tx.send(ctx, p)
}

const lockWaitingEvents = `SELECT ` + eventColumns + ` FROM inbox_event
WHERE txid = ANY ($1) AND txid <> '' AND quarantine = 'waiting' AND about = 'credit'
ORDER BY id -- the lock order
FOR UPDATE`

// Charges that are there are answered with and never changed: no lock.
const (
	readCharges = `SELECT ` + chargeColumns + ` FROM charge
WHERE (consumer, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))`
	readTxIDs = `SELECT ` + chargeColumns + ` FROM charge WHERE txid = ANY ($1) AND txid <> ''`
)

const (
	lockWaitingPayments = `SELECT ` + paymentColumns + `, net_cents FROM payment
WHERE txid = ANY ($1) AND txid <> '' AND disposition = 'unknown'
ORDER BY end_to_end_id -- the lock order
FOR UPDATE`
	lockWaitingRefunds = `SELECT ` + refundColumns + ` FROM refund
WHERE end_to_end_id IN (` + waitingPayments + `)
ORDER BY number -- the lock order
FOR UPDATE`
	lockWaitingCases = `SELECT ` + caseColumns + ` FROM suspense_case
WHERE end_to_end_id IN (` + waitingPayments + `)
ORDER BY id -- the lock order
FOR UPDATE`
	waitingPayments = `SELECT p.end_to_end_id FROM payment AS p
    WHERE p.txid = ANY ($1) AND p.txid <> '' AND p.disposition = 'unknown'`
)

// awaiting is what waits for the charge of one txid: payments in the order
// (paid, id), and events.
type awaiting struct {
	payments []*receiver.Payment
	events   []*event
}

// awaited is what was read that waits for a charge.
func (tx *tx) awaited() map[pix.TxID]*awaiting {
	out := map[pix.TxID]*awaiting{}
	of := func(id pix.TxID) *awaiting {
		if out[id] == nil {
			out[id] = &awaiting{}
		}
		return out[id]
	}
	for _, p := range slices.SortedFunc(maps.Values(tx.payments.rows), func(a, b *receiver.Payment) int {
		return cmp.Or(a.PaidAt.Compare(b.PaidAt), cmp.Compare(a.EndToEndID, b.EndToEndID))
	}) {
		w := of(p.TxID)
		w.payments = append(w.payments, p)
	}
	for _, e := range tx.sortedEvents() {
		w := of(e.Credit.TxID)
		w.events = append(w.events, e)
	}
	return out
}

// create stores one intention, as far as its key lets it.
func (tx *tx) create(ctx context.Context, n receiver.NewCharge, waiting map[pix.TxID]*awaiting) receiver.CreateOutcome {
	if n.Key == nil {
		return tx.createCharge(ctx, n, waiting)
	}
	known := tx.knownCharge(&n.Charge)
	key, next, work := n.Key.Begin(tx.key(n.Key.Ref), known != nil && known.State == receiver.ChargeIntended, n.At)
	if !work {
		out := receiver.CreateOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Charge = *known
		}
		return out
	}
	out := tx.createCharge(ctx, n, waiting)
	out.Key = key
	out, next = n.Conclude(out, next)
	tx.putKey(next)
	return out
}

// knownCharge is the charge that a new one's reference or txid names, nil if
// there is none.
func (tx *tx) knownCharge(c *receiver.Charge) *receiver.Charge {
	if known := tx.charge(refOf(c)); known != nil {
		return known
	}
	return tx.chargeOf(c.TxID)
}

func (tx *tx) createCharge(ctx context.Context, n receiver.NewCharge, waiting map[pix.TxID]*awaiting) receiver.CreateOutcome {
	ref, id := refOf(&n.Charge), n.Charge.TxID
	if known := tx.knownCharge(&n.Charge); known != nil {
		return receiver.CreateOutcome{Charge: *known}
	}
	tx.putCharge(n.Charge)
	if w := waiting[id]; w != nil {
		for _, p := range w.payments {
			tx.attachWaiting(ctx, ref, p, n.At)
		}
		for _, e := range w.events {
			tx.wake(e, n.At)
		}
	}
	return receiver.CreateOutcome{Charge: *tx.charge(ref), Created: true}
}

// attachWaiting puts an unidentified payment on its charge, unless an operator
// closed its case: then its money went elsewhere.
func (tx *tx) attachWaiting(ctx context.Context, ref receiver.ChargeRef, p *receiver.Payment, at time.Time) {
	if !tx.attachable(p) {
		return
	}
	// A refusal leaves this payment where it is: in suspense, with its case.
	_ = tx.item(ctx, func() error { return tx.put(tx.rules().Attach(*p, *tx.charge(ref), at), at) })
}

// FindCharges reads charges by reference.
func (s *Store) FindCharges(ctx context.Context, in []receiver.ChargeRef) ([]*receiver.Charge, error) {
	rows, err := all(ctx, s, "find charges", reads, readCharges, refArrays(in), scanCharge)
	if err != nil {
		return nil, err
	}
	found := map[receiver.ChargeRef]*receiver.Charge{}
	for i := range rows {
		found[refOf(&rows[i])] = &rows[i]
	}
	return column(in, func(ref receiver.ChargeRef) *receiver.Charge { return found[ref] }), nil
}

// RecordCalls stores what calls taught. Each call recorded while a charge is
// intended counts as an attempt. An unknown reference answers a zero Charge.
func (s *Store) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.CallOutcome, len(in))
	err := s.run(ctx, "record calls", func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockRequestKeys(p, claimed(in, func(c receiver.ChargeCall) *receiver.KeyRef { return holdOf(c.Key) }))
		tx.lockCharges(p, column(in, func(c receiver.ChargeCall) receiver.ChargeRef { return c.Ref }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, call := range in {
			if before := tx.charge(call.Ref); before != nil {
				out[i] = tx.recordCall(*before, call)
			}
		}
		return nil
	})
	return out, err
}

func (tx *tx) recordCall(before receiver.Charge, call receiver.ChargeCall) receiver.CallOutcome {
	var row *receiver.Key
	if call.Key != nil {
		if row = tx.key(call.Key.Ref); !call.Key.Holds(row) {
			return receiver.CallOutcome{Charge: before, Key: call.Key.Lost(row)}
		}
	}
	call.BRCode, call.Problem = text(call.BRCode), text(call.Problem)
	after := before.After(call)
	if after != before {
		tx.putCharge(after)
	}
	out, key := call.Conclude(after, row)
	if key != nil {
		tx.putKey(*key)
	}
	return out
}

// LeaseCharges takes intended charges in the order (due, consumer, reference).
func (s *Store) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	args := []any{in.Now, in.Limit, in.Now.Add(in.For)}
	taken, err := all(ctx, s, "lease charges", writes, leaseCharges, args, func(rows pgx.Rows) (l leased[receiver.Charge], err error) {
		l.row, err = scanCharge(behind(rows, &l.due))
		return l, err
	})
	return inOrder(taken, func(a, b *receiver.Charge) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}), err
}

// leaseCharges passes over what another transaction holds.
const leaseCharges = `WITH due AS (
    SELECT consumer AS due_consumer, reference AS due_reference, due_at AS was_due FROM charge
    WHERE state = 'intended' AND due_at <= $1
    ORDER BY due_at, consumer, reference
    LIMIT $2
    FOR UPDATE SKIP LOCKED -- each charge goes to one
)
UPDATE charge
SET due_at = $3, version = version + 1
FROM due
WHERE consumer = due_consumer AND reference = due_reference
RETURNING ` + chargeColumns + `, was_due`
