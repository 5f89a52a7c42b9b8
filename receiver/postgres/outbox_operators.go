package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// ListOutbox lists outbox events by id. Listing dead letters does not look at
// the rest.
func (s *Store) ListOutbox(ctx context.Context, q receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	var c conditions
	c.add("id > ?", q.AfterID)
	if q.ID != 0 {
		c.add("id = ?", q.ID)
	}
	if q.Endpoint != "" {
		c.add("endpoint = ?", text(q.Endpoint))
	}
	if q.Dead {
		c.words = append(c.words, "dead AND NOT skipped") // as the index has it
	}
	sql, args := c.query(`SELECT `+outboxColumns+` FROM outbox_event`, `id`, q.Limit)
	return all(ctx, s, "list outbox", reads, sql, args, scanOutbox)
}

// ReplayOutbox gives dead letters their tries again. What took effect is
// recorded.
func (s *Store) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideOutbox(ctx, "replay outbox", receiver.ActionReplay, in, func(o *receiver.OutboxEvent, d receiver.Decision) bool {
		return o.Replay(d.Now)
	})
}

// SkipOutbox lets go what waits behind dead letters. What took effect is
// recorded.
func (s *Store) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideOutbox(ctx, "skip outbox", receiver.ActionSkip, in, func(o *receiver.OutboxEvent, _ receiver.Decision) bool {
		return o.Skip()
	})
}

func (s *Store) decideOutbox(
	ctx context.Context, command, action string, in []receiver.Decision,
	carryOut func(*receiver.OutboxEvent, receiver.Decision) bool,
) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, command, func(ctx context.Context, tx *tx) error {
		clear(out)
		if err := tx.lockOutbox(ctx, column(in, func(d receiver.Decision) int64 { return d.EventID })); err != nil {
			return err
		}
		for i, d := range in {
			before := tx.outbox.rows[d.EventID]
			if before == nil {
				continue
			}
			o := *before
			if !carryOut(&o, d) {
				continue
			}
			tx.outbox.put(o.ID, &o)
			out[i] = true
			tx.record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: o.Subject(), Note: d.Note})
		}
		return nil
	})
	return out, err
}

// ListRecords reads the operators' book. Its numbers may have gaps.
func (s *Store) ListRecords(ctx context.Context, q receiver.RecordQuery) ([]receiver.OperatorRecord, error) {
	args := []any{q.After, limit(q.Limit)}
	return all(ctx, s, "list records", reads, listRecords, args, func(rows pgx.Rows) (r receiver.OperatorRecord, err error) {
		return r, rows.Scan(&r.Number, &r.At, &r.Operator, &r.Action, &r.Subject, &r.Note)
	})
}

const listRecords = `SELECT number, ` + recordColumns + ` FROM operator_record WHERE number > $1 ORDER BY number LIMIT $2`
