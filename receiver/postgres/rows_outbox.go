package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// outboxColumns are the columns that [scanOutbox] reads.
const outboxColumns = `id, endpoint, end_to_end_id, number, kind, amount_cents, charge, refund_id, payout, payout_key, at, sent,
    dead, skipped, attempts, due_at, version`

func scanOutbox(rows pgx.Rows) (receiver.OutboxEvent, error) {
	var o receiver.OutboxEvent
	err := rows.Scan(
		&o.ID, &o.Endpoint, &o.EndToEndID, &o.Number, &o.Kind, &o.Amount, &o.Charge, &o.Refund, &o.Payout, &o.PayoutKey, &o.At,
		&o.Sent, &o.Dead, &o.Skipped, &o.Attempts, &o.DueAt, &o.Version,
	)
	return o, err
}

// writeOutbox writes what the merchant's endpoints are to be told.
func (tx *tx) writeOutbox(p *pipeline) {
	var rows []receiver.OutboxEvent
	for _, o := range tx.told.pending() {
		rows = append(rows, o.For(tx.rules().Told())...)
	}
	if len(rows) == 0 {
		return
	}
	type lineTo struct{ endpoint, line string }
	seen := map[lineTo]bool{}
	first := make([]bool, len(rows))
	for i, o := range rows {
		l := lineTo{o.Endpoint, o.Line()}
		first[i] = !seen[l]
		seen[l] = true
	}
	type row = receiver.OutboxEvent
	p.exec(
		insertOutbox,
		texts(rows, func(o row) string { return o.Endpoint }),
		texts(rows, func(o row) pix.EndToEndID { return o.EndToEndID }),
		column(rows, func(o row) int32 { return int32(o.Number) }),
		texts(rows, func(o row) string { return o.Kind }),
		cents(rows, func(o row) pix.Amount { return o.Amount }),
		texts(rows, func(o row) string { return o.Charge }),
		texts(rows, func(o row) pix.RefundID { return o.Refund }),
		texts(rows, func(o row) string { return o.Payout }),
		texts(rows, func(o row) string { return o.PayoutKey }),
		column(rows, func(o row) time.Time { return o.At }),
		column(rows, func(o row) time.Time { return o.DueAt }),
		first,
	)
}

// insertOutbox marks an event as ready where nothing of its line waits. The lock
// of the payment, or of the payout, keeps FinishOutbox from changing that meanwhile.
const insertOutbox = `INSERT INTO outbox_event (id, endpoint, end_to_end_id, number, kind, amount_cents, charge, refund_id,
    payout, payout_key, at, sent, dead, skipped, attempts, due_at, version, ready)
SELECT nextval('outbox_event_id'), n.endpoint, n.end_to_end_id, n.number, n.kind, n.amount_cents, n.charge, n.refund_id,
    n.payout, n.payout_key, n.at, false, false, false, 0, n.due_at, 0,
    n.first AND NOT EXISTS (
        SELECT FROM outbox_event AS o
        WHERE o.line = ` + lineOf + ` AND o.endpoint = n.endpoint AND NOT o.sent AND NOT o.skipped)
FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::timestamptz[], $11::timestamptz[], $12::boolean[])
    AS n (endpoint, end_to_end_id, number, kind, amount_cents, charge, refund_id, payout, payout_key, at, due_at, first)`

// lineOf is the column line, as 0012_payout_events.sql makes it, of a row n that
// is not stored yet; see receiver.OutboxEvent.Line.
const lineOf = `CASE WHEN n.payout_key = '' THEN n.end_to_end_id ELSE 'payout:' || n.payout_key END COLLATE "C"`
