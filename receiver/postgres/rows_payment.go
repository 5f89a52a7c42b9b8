package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// paymentColumns are the columns that [scanPayment] reads; net_cents follows.
const paymentColumns = `end_to_end_id, txid, pix_key, amount_cents, paid_at, consumer, charge, disposition, confirmed,
    in_statement, booked_at, held_revenue_cents, held_to_return_cents, held_unidentified_cents, held_divergent_cents,
    refunding_cents, refunded_cents, events`

func scanPayment(rows pgx.Rows) (receiver.Payment, error) {
	var p receiver.Payment
	h := &p.Held
	err := rows.Scan(
		&p.EndToEndID, &p.TxID, &p.PixKey, &p.Amount, &p.PaidAt, &p.Consumer, &p.Charge, &p.Disposition, &p.Confirmed,
		&p.InStatement, &p.BookedAt, &h.Revenue, &h.ToReturn, &h.Unidentified, &h.Divergent,
		&p.Refunding, &p.Refunded, &p.Events,
	)
	return p, err
}

func (tx *tx) readPayment(rows pgx.Rows) error {
	var net pix.Amount
	p, err := scanPayment(behind(rows, &net))
	if err != nil {
		return err
	}
	tx.payments.read(p.EndToEndID, &p)
	tx.ledger.nets[line{p.EndToEndID, ""}] = net
	return nil
}

// lockPix reads everything about some Pix under locks: the payments first, and
// what hangs on them behind.
func (tx *tx) lockPix(p *pipeline, ids []pix.EndToEndID) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return
	}
	tx.payments.missing(ids)
	args := []any{texts(ids, func(id pix.EndToEndID) pix.EndToEndID { return id })}
	p.query(lockPayments, args, tx.readPayment)
	p.query(lockRefundsOfPix, args, tx.readRefund)
	p.query(lockCasesOfPix, args, tx.readCase)
}

const lockPayments = `SELECT ` + paymentColumns + `, net_cents FROM payment
WHERE end_to_end_id = ANY ($1)
ORDER BY end_to_end_id -- the lock order
FOR UPDATE`

// payment is a booked Pix, nil if it is not booked.
func (tx *tx) payment(id pix.EndToEndID) *receiver.Payment {
	tx.want(tx.payments.knows(id), "payment", id)
	return tx.payments.rows[id]
}

func (tx *tx) putPayment(p receiver.Payment) { tx.payments.put(p.EndToEndID, &p) }

func (tx *tx) writePayments(p *pipeline) {
	added, changed := tx.payments.pending()
	slices.SortFunc(added, func(a, b change[pix.EndToEndID, receiver.Payment]) int { return cmp.Compare(a.key, b.key) })
	if len(added) > 0 {
		p.exec(insertPayments, tx.paymentArrays(afterOf(added))...)
	}
	if len(changed) > 0 {
		p.exec(updatePayments, tx.paymentArrays(afterOf(changed))...)
	}
}

// insertPayments has no ON CONFLICT: a Pix booked in between is an error, upon
// which the command begins again and finds it.
const insertPayments = `INSERT INTO payment (` + paymentColumns + `, net_cents)
SELECT * FROM unnest(` + paymentTypes + `)`

const paymentTypes = `$1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::text[], $7::text[],
    $8::text[], $9::boolean[], $10::boolean[], $11::timestamptz[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::bigint[], $17::bigint[], $18::integer[], $19::bigint[]`

// updatePayments sets what can change: a Pix keeps its amount and its instants.
const updatePayments = `UPDATE payment AS p
SET txid = n.txid, pix_key = n.pix_key, consumer = n.consumer, charge = n.charge, disposition = n.disposition,
    confirmed = n.confirmed, in_statement = n.in_statement, held_revenue_cents = n.held_revenue_cents,
    held_to_return_cents = n.held_to_return_cents, held_unidentified_cents = n.held_unidentified_cents,
    held_divergent_cents = n.held_divergent_cents, refunding_cents = n.refunding_cents,
    refunded_cents = n.refunded_cents, events = n.events, net_cents = n.net_cents
FROM unnest(` + paymentTypes + `) AS n (` + paymentColumns + `, net_cents)
WHERE p.end_to_end_id = n.end_to_end_id`

func (tx *tx) paymentArrays(rows []*receiver.Payment) []any {
	type row = *receiver.Payment
	return []any{
		texts(rows, func(p row) pix.EndToEndID { return p.EndToEndID }),
		texts(rows, func(p row) pix.TxID { return p.TxID }),
		texts(rows, func(p row) pix.PixKey { return p.PixKey }),
		cents(rows, func(p row) pix.Amount { return p.Amount }),
		column(rows, func(p row) time.Time { return p.PaidAt }),
		texts(rows, func(p row) string { return p.Consumer }),
		texts(rows, func(p row) string { return p.Charge }),
		texts(rows, func(p row) receiver.Disposition { return p.Disposition }),
		column(rows, func(p row) bool { return p.Confirmed }),
		column(rows, func(p row) bool { return p.InStatement }),
		column(rows, func(p row) time.Time { return p.BookedAt }),
		cents(rows, func(p row) pix.Amount { return p.Held.Revenue }),
		cents(rows, func(p row) pix.Amount { return p.Held.ToReturn }),
		cents(rows, func(p row) pix.Amount { return p.Held.Unidentified }),
		cents(rows, func(p row) pix.Amount { return p.Held.Divergent }),
		cents(rows, func(p row) pix.Amount { return p.Refunding }),
		cents(rows, func(p row) pix.Amount { return p.Refunded }),
		column(rows, func(p row) int32 { return int32(p.Events) }),
		cents(rows, func(p row) pix.Amount { return tx.ledger.nets[line{p.EndToEndID, ""}] }),
	}
}
