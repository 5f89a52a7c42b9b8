package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// LeaseOutbox takes an endpoint's events, of each payment the next that may go,
// in the order (due, id).
func (s *Store) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	args := []any{in.Now, in.Limit, in.Now.Add(in.For), text(cmp.Or(in.Endpoint, receiver.DefaultEndpoint))}
	taken, err := all(ctx, s, "lease outbox", writes, leaseOutbox, args, func(rows pgx.Rows) (l leased[receiver.OutboxEvent], err error) {
		l.row, err = scanOutbox(behind(rows, &l.due))
		return l, err
	})
	return inOrder(taken, func(a, b *receiver.OutboxEvent) int { return cmp.Compare(a.ID, b.ID) }), err
}

// leaseOutbox passes over what another transaction holds. It goes by what is
// ready, not by a last id seen: an event with a low id may commit late.
const leaseOutbox = `WITH due AS (
    SELECT id AS due_id, due_at AS was_due FROM outbox_event
    WHERE ready AND endpoint = $4 AND due_at <= $1
    ORDER BY due_at, id
    LIMIT $2
    FOR UPDATE SKIP LOCKED -- each event goes to one
)
UPDATE outbox_event
SET due_at = $3, version = version + 1, attempts = attempts + 1
FROM due
WHERE id = due_id
RETURNING ` + outboxColumns + `, was_due`

// FinishOutbox stores what became of sends. What is out or dead changes no
// more; telling the same of it again is true.
func (s *Store) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "finish outbox", func(ctx context.Context, tx *tx) error {
		clear(out)
		if err := tx.lockOutbox(ctx, column(in, func(r receiver.OutboxResult) int64 { return r.ID })); err != nil {
			return err
		}
		for i, r := range in {
			before := tx.outbox.rows[r.ID]
			if before == nil {
				continue
			}
			var after receiver.OutboxEvent
			if after, out[i] = before.After(r); after != *before {
				tx.outbox.put(r.ID, &after)
			}
		}
		return nil
	})
	return out, err
}

// lockOutbox reads events under locks.
func (tx *tx) lockOutbox(ctx context.Context, ids []int64) error {
	tx.outbox.missing(ids)
	p := tx.begin()
	// Whoever adds an event to a line holds the same lock.
	p.exec(lockOutboxPayments, ids)
	p.exec(lockOutboxPayouts, ids)
	p.query(lockOutbox, []any{ids}, tx.readOutbox)
	return tx.send(ctx, p)
}

const lockOutboxPayments = `SELECT FROM payment
WHERE end_to_end_id IN (SELECT o.end_to_end_id FROM outbox_event AS o WHERE o.id = ANY ($1) AND o.payout_key = '')
ORDER BY end_to_end_id -- the lock order
FOR UPDATE`

const lockOutboxPayouts = `SELECT FROM payout
WHERE payout_key IN (SELECT o.payout_key FROM outbox_event AS o WHERE o.id = ANY ($1) AND o.payout_key <> '')
ORDER BY payout_key -- the lock order
FOR UPDATE`

const lockOutbox = `SELECT ` + outboxColumns + ` FROM outbox_event
WHERE id = ANY ($1)
ORDER BY id -- the lock order
FOR UPDATE`

func (tx *tx) readOutbox(rows pgx.Rows) error {
	o, err := scanOutbox(rows)
	if err != nil {
		return err
	}
	tx.outbox.read(o.ID, &o)
	return nil
}

// writeSends writes what became of events, and makes the next of each line whose
// first is out ready.
func (tx *tx) writeSends(p *pipeline) {
	_, changes := tx.outbox.pending()
	if len(changes) == 0 {
		return
	}
	rows := afterOf(changes)
	type row = *receiver.OutboxEvent
	p.exec(
		updateOutbox,
		column(rows, func(o row) int64 { return o.ID }),
		column(rows, func(o row) bool { return o.Sent }),
		column(rows, func(o row) bool { return o.Dead }),
		column(rows, func(o row) bool { return o.Skipped }),
		column(rows, func(o row) int32 { return int32(o.Attempts) }),
		column(rows, func(o row) time.Time { return o.DueAt }),
		column(rows, func(o row) int64 { return o.Version }),
	)
	// In a statement of its own, which sees what the one before has left.
	p.exec(readyOutbox,
		texts(rows, func(o row) string { return o.Line() }), texts(rows, func(o row) string { return o.Endpoint }))
}

const updateOutbox = `UPDATE outbox_event AS o
SET sent = n.sent, dead = n.dead, skipped = n.skipped, attempts = n.attempts, due_at = n.due_at, version = n.version,
    ready = o.ready AND NOT n.sent AND NOT n.dead
FROM unnest($1::bigint[], $2::boolean[], $3::boolean[], $4::boolean[], $5::integer[], $6::timestamptz[], $7::bigint[])
    AS n (id, sent, dead, skipped, attempts, due_at, version)
WHERE o.id = n.id`

// readyOutbox also takes back what was ready behind a letter that is replayed.
const readyOutbox = `UPDATE outbox_event AS o
SET ready = NOT o.ready
FROM unnest($1::text[], $2::text[]) AS n (line, endpoint)
WHERE o.line = n.line AND o.endpoint = n.endpoint AND o.ready <> (
    NOT o.sent AND NOT o.dead AND NOT EXISTS (
        SELECT FROM outbox_event AS b
        WHERE b.line = o.line AND b.endpoint = o.endpoint AND b.number < o.number
            AND NOT b.sent AND NOT b.skipped))`
