package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// maxAttempts is how often a command begins again before it gives up.
const maxAttempts = 10

// run carries out one command as one transaction. fn reads, decides and puts;
// what it put is written and committed when it returns nil. It may be called
// more than once and must not remember what an earlier call left.
func (s *Store) run(ctx context.Context, command string, fn func(ctx context.Context, tx *tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return unavailable(ctx, command, err)
	}
	defer conn.Release()
	careful := false
	for attempt := 1; ; attempt++ {
		tx := newTx(s, conn, careful)
		at, err := tx.carryOut(ctx, fn)
		switch {
		case err == nil:
			return nil
		case attempt == maxAttempts || ctx.Err() != nil:
			return explain(ctx, command, at, err, conn.Conn().IsClosed())
		case transient(err):
		case refusal(err) && !careful:
			careful = true
		default:
			return explain(ctx, command, at, err, conn.Conn().IsClosed())
		}
	}
}

// carryOut is one attempt, and how far it came.
func (tx *tx) carryOut(ctx context.Context, fn func(context.Context, *tx) error) (stage, error) {
	err := fn(ctx, tx)
	if err == nil {
		err = tx.broken
	}
	if err == nil {
		err = tx.number(ctx)
	}
	if err != nil {
		tx.rollback(ctx)
		return reads, err
	}
	if err = tx.commit(ctx); err != nil {
		tx.rollback(ctx)
		return writes, err
	}
	return writes, nil
}

// pipeline is statements that travel together: one round trip. Each sees what
// was committed up to its own turn. The first that fails ends the rest.
type pipeline struct{ pgx.Batch }

// query queues a statement and reads its rows, each by scan.
func (p *pipeline) query(sql string, args []any, scan func(rows pgx.Rows) error) {
	p.Queue(sql, args...).Query(func(rows pgx.Rows) error { return each(rows, scan) })
}

// exec queues a statement without rows.
func (p *pipeline) exec(sql string, args ...any) { p.Queue(sql, args...) }

func each(rows pgx.Rows, scan func(pgx.Rows) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

const beginTransaction = `BEGIN ISOLATION LEVEL READ COMMITTED`

// begin makes a pipeline, which opens the transaction if it is not open yet.
func (tx *tx) begin() *pipeline {
	p := &pipeline{}
	if !tx.open {
		p.exec(beginTransaction)
		tx.open = true
	}
	return p
}

// send sends a pipeline and waits for its end.
func (tx *tx) send(ctx context.Context, p *pipeline) error {
	if p.Len() == 0 {
		return nil
	}
	return tx.conn.SendBatch(ctx, &p.Batch).Close()
}

// commit writes what was put and commits, in one round trip.
func (tx *tx) commit(ctx context.Context) error {
	if !tx.open && !tx.anyPending() {
		return nil
	}
	p := tx.begin()
	tx.writeUnused(p)
	tx.write(p)
	tx.writeBalance(p)
	p.exec(`COMMIT`)
	return tx.send(ctx, p)
}

// rollback ends a transaction that failed. A connection on which that fails too
// is thrown away by the pool.
func (tx *tx) rollback(ctx context.Context) {
	if tx.open && !tx.conn.Conn().IsClosed() && tx.conn.Conn().PgConn().TxStatus() != 'I' {
		_, _ = tx.conn.Exec(ctx, `ROLLBACK`)
	}
}

// item carries out one item of a batch: what it put is taken back if fn, or the
// database, refuses it. The database is asked at once only in a careful run.
func (tx *tx) item(ctx context.Context, fn func() error) error {
	if tx.careful {
		return tx.carefulItem(ctx, fn)
	}
	m := tx.mark()
	err := fn()
	if err != nil {
		tx.undo(m)
	}
	return err
}

func (tx *tx) carefulItem(ctx context.Context, fn func() error) error {
	if tx.broken == nil {
		tx.broken = tx.number(ctx)
	}
	if tx.broken != nil {
		return tx.broken
	}
	p := tx.begin()
	tx.write(p) // what was put outside of items
	p.exec(`SAVEPOINT item`)
	if tx.broken = tx.send(ctx, p); tx.broken != nil {
		return tx.broken
	}
	m := tx.mark()
	err := fn()
	if err == nil {
		if tx.broken = tx.number(ctx); tx.broken != nil {
			return tx.broken
		}
		p = tx.begin()
		tx.write(p)
		p.exec(`RELEASE SAVEPOINT item`)
		if err = tx.send(ctx, p); err == nil {
			return nil
		}
		if !refusal(err) {
			tx.broken = err
			return err
		}
		err = tx.refused(m, err)
	}
	tx.undo(m)
	p = tx.begin()
	p.exec(`ROLLBACK TO SAVEPOINT item`)
	tx.broken = tx.send(ctx, p)
	return err
}

// refused says in words why the database refused what was put since a mark.
func (tx *tx) refused(m mark, err error) error {
	if sqlState(err) == codeUniqueViolation && len(tx.ledger.rows) > m.transactions {
		return referenceUsed(tx.ledger.rows[m.transactions].Reference)
	}
	return fmt.Errorf("refused by the database: %s", words(err))
}

// all carries out a command of a single statement, which is its own
// transaction, and returns its rows.
func all[T any](
	ctx context.Context, s *Store, command string, at stage, sql string, args []any, scan func(rows pgx.Rows) (T, error),
) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, unavailable(ctx, command, err)
	}
	defer conn.Release()
	for attempt := 1; ; attempt++ {
		var out []T
		p := &pipeline{}
		p.query(sql, args, func(rows pgx.Rows) error {
			row, err := scan(rows)
			out = append(out, row)
			return err
		})
		err := conn.SendBatch(ctx, &p.Batch).Close()
		if err == nil {
			return out, nil
		}
		if attempt == maxAttempts || !transient(err) || ctx.Err() != nil {
			return nil, explain(ctx, command, at, err, conn.Conn().IsClosed())
		}
	}
}
