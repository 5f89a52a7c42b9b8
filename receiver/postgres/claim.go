package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// leased is a row that a lease took, and when it had been due: the order in
// which rows are handed out is that in which they were due.
type leased[R any] struct {
	row R
	due time.Time
}

// inOrder sorts what a lease took by when it had been due, and then by tie.
func inOrder[R any](taken []leased[R], tie func(a, b *R) int) []R {
	slices.SortFunc(taken, func(a, b leased[R]) int { return cmp.Or(a.due.Compare(b.due), tie(&a.row, &b.row)) })
	return column(taken, func(l leased[R]) R { return l.row })
}

// ClaimEvents takes due events in the order (due, id).
func (s *Store) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	args := []any{in.Now, in.Limit, in.Now.Add(in.For), text(in.Holder)}
	taken, err := all(ctx, s, "claim events", writes, claimEvents, args, func(rows pgx.Rows) (l leased[receiver.Event], err error) {
		var raw []byte
		e, err := scanEvent(behind(rows, &raw, &l.due))
		if err == nil {
			l.row, l.row.Raw = *e, raw
		}
		return l, err
	})
	return inOrder(taken, func(a, b *receiver.Event) int { return cmp.Compare(a.ID, b.ID) }), err
}

// claimEvents passes over what another transaction holds: a worker never waits
// for another.
const claimEvents = `WITH due AS (
    SELECT id AS due_id, due_at AS was_due FROM inbox_event
    WHERE state = 'RECEIVED' AND due_at <= $1
    ORDER BY due_at, id
    LIMIT $2
    FOR UPDATE SKIP LOCKED -- each event goes to one
)
UPDATE inbox_event
SET due_at = $3, holder = $4, version = version + 1, attempts = attempts + 1
FROM due
WHERE id = due_id
RETURNING ` + eventColumns + `, raw, was_due`

// DeferEvents puts events off or aside, where the version is still theirs.
func (s *Store) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "defer events", func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockEvents(p, column(in, func(d receiver.Deferral) int64 { return d.EventID }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, d := range in {
			before := tx.claimed(d.EventID, d.Version)
			if before == nil {
				continue
			}
			e := *before
			e.Defer(d)
			tx.putEvent(e)
			out[i] = true
		}
		return nil
	})
	return out, err
}
