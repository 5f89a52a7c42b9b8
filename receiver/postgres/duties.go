package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// BeginDuty takes a duty's turn. One that was never begun is due at once.
func (s *Store) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	args := []any{text(in.Name), in.Now, in.Now.Add(in.For)}
	begun, err := all(ctx, s, "begin duty", writes, beginDuty, args, scanDuty)
	if err != nil || len(begun) == 0 {
		return receiver.Duty{}, false, err
	}
	return begun[0], true, nil
}

// dutyDue is when a duty can be begun; NULL if at once.
const dutyDue = `greatest(duty.next_at, duty.lease_end)`

const beginDuty = `INSERT INTO duty (name, version, cursor, lease_end) VALUES ($1, 1, '', $3)
ON CONFLICT (name) DO UPDATE -- of two who ask at once, the second sees the first one's lease
SET version = duty.version + 1, lease_end = excluded.lease_end
WHERE coalesce(` + dutyDue + ` <= $2, true)
RETURNING name, version, watermark, cursor, next_at`

func scanDuty(rows pgx.Rows) (d receiver.Duty, err error) {
	return d, rows.Scan(&d.Name, &d.Version, unknown{&d.Watermark}, &d.Cursor, unknown{&d.NextAt})
}

// SaveDuty stores a duty's progress; done ends the turn.
func (s *Store) SaveDuty(ctx context.Context, in receiver.Duty, done bool) (bool, error) {
	args := []any{text(in.Name), in.Version, text(in.Cursor), optional(in.Watermark), done, optional(in.NextAt), optional(in.HeldUntil)}
	saved, err := all(ctx, s, "save duty", writes, saveDuty, args, scanDuty)
	return len(saved) > 0, err
}

// A watermark never moves back; greatest passes over NULL.
const saveDuty = `UPDATE duty
SET cursor = $3, watermark = greatest(watermark, $4),
    next_at = CASE WHEN $5 THEN $6 ELSE next_at END,
    lease_end = CASE WHEN $5 THEN NULL ELSE greatest(lease_end, $7) END
WHERE name = $1 AND version = $2
RETURNING name, version, watermark, cursor, next_at`

// NextDue looks at the front of a queue. A duty that was never begun is due now.
func (s *Store) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	sql, args, queue := nextDue(q)
	found, err := all(ctx, s, "ask what is due", reads, sql, args, func(rows pgx.Rows) (at time.Time, err error) {
		return at, rows.Scan(unknown{&at})
	})
	switch {
	case err != nil:
		return time.Time{}, false, err
	case len(found) > 0 && !found[0].IsZero():
		return found[0], true, nil
	case queue:
		return time.Time{}, false, nil
	}
	now, err := s.Now(ctx)
	return now, err == nil, err
}

// nextDue is the statement that asks for the front of a queue: one row, or none.
// A duty has no queue: it is due now unless something is known of it.
func nextDue(q receiver.Queue) (sql string, args []any, queue bool) {
	switch q {
	case receiver.QueueInbox:
		return `SELECT due_at FROM inbox_event WHERE state = 'RECEIVED' ORDER BY due_at, id LIMIT 1`, nil, true
	case receiver.QueueCharges:
		return `SELECT due_at FROM charge WHERE state = 'intended' ORDER BY due_at, consumer, reference LIMIT 1`, nil, true
	case receiver.QueueRefunds:
		return `SELECT due_at FROM refund WHERE origin = 'merchant' AND state IN ('reserved', 'processing')
ORDER BY due_at, requested_at, consumer, reference LIMIT 1`, nil, true
	case receiver.QueuePayouts:
		return `SELECT due_at FROM payout WHERE state IN ('reserved', 'processing')
ORDER BY due_at, requested_at, consumer, reference LIMIT 1`, nil, true
	case receiver.QueueOutbox:
		return `SELECT min(due_at) FROM outbox_event WHERE ready`, nil, true
	}
	if endpoint, is := q.Endpoint(); is {
		return `SELECT due_at FROM outbox_event WHERE ready AND endpoint = $1 ORDER BY due_at, id LIMIT 1`, []any{text(endpoint)}, true
	}
	return `SELECT ` + dutyDue + ` FROM duty WHERE name = $1`, []any{text(q)}, false
}
