package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// Changes is every row that transactions from the number since on have written,
// in the order of [Store.Dump], and the number to ask with next. It is for who
// watches a store from outside while nobody else writes: it tells of no row
// before its change and of none deleted, and reads whole tables. Every row is
// newer than 0.
func (s *Store) Changes(ctx context.Context, since int64) (receiver.ChangeSet, int64, error) {
	var next int64
	cs, err := s.look(ctx, "changes", slice{where: writtenSince, args: []any{since}}, func(p *pipeline) {
		p.query(nextTransaction, nil, func(rows pgx.Rows) error { return rows.Scan(&next) })
	})
	return cs, next, err
}

// writtenSince is what a row's own transaction, or a savepoint of it, is
// compared with: the number as the row has it, of 32 bits.
const writtenSince = ` WHERE xmin::text::bigint >= $1`

const nextTransaction = `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint & 4294967295`
