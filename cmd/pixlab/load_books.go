package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
)

// books is a look at the receiver's database, from beside it.
type books struct {
	conn *pgx.Conn
	// Where inbox and ledger stood before the load.
	event, transaction int64
}

func openBooks(ctx context.Context, url string) (*books, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, environmentError{"look at the database", err}
	}
	return &books{conn: conn}, nil
}

// mark remembers where inbox and ledger stand.
func (b *books) mark(ctx context.Context) error {
	err := b.conn.QueryRow(ctx, `SELECT coalesce(max(id), 0) FROM inbox_event`).Scan(&b.event)
	if err == nil {
		err = b.conn.QueryRow(ctx, `SELECT coalesce(max(id), 0) FROM ledger_transaction`).Scan(&b.transaction)
	}
	return wrapBooks(err)
}

func wrapBooks(err error) error {
	if err == nil {
		return nil
	}
	return environmentError{"look at the database", err}
}

// settle makes the server write out what the preparation left, so that the load
// does not pay for it.
func (b *books) settle(ctx context.Context) error {
	for _, sql := range []string{`VACUUM (ANALYZE) charge`, `VACUUM (ANALYZE) inbox_event`, `CHECKPOINT`} {
		if _, err := b.conn.Exec(ctx, sql); err != nil {
			return wrapBooks(err)
		}
	}
	return nil
}

// settings are those of the server's that decide what a commit is worth.
func (b *books) settings(ctx context.Context) (map[string]string, error) {
	rows, err := b.conn.Query(ctx, `SELECT name, setting FROM pg_settings WHERE name = ANY ($1)`, []string{
		"server_version", "fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "track_commit_timestamp",
		"shared_buffers", "max_wal_size", "commit_delay",
	})
	if err != nil {
		return nil, wrapBooks(err)
	}
	out := map[string]string{}
	var name, value string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		out[name] = value
		return nil
	})
	return out, wrapBooks(err)
}

// restPoll is how often the inbox is looked at for being at rest.
const restPoll = 20 * time.Millisecond

// untilRest waits until no event is left to work on, and says how many are when
// it gives up.
func (b *books) untilRest(ctx context.Context, patience time.Duration) (left int64, err error) {
	end := time.Now().Add(patience)
	for {
		var some bool
		err := b.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM inbox_event WHERE state = 'RECEIVED')`).Scan(&some)
		if late := time.Now().After(end); err == nil && some && late {
			err = b.conn.QueryRow(ctx, `SELECT count(*) FROM inbox_event WHERE state = 'RECEIVED'`).Scan(&left)
			return left, wrapBooks(err)
		}
		if err != nil || !some {
			return 0, wrapBooks(err)
		}
		select {
		case <-time.After(restPoll):
		case <-ctx.Done():
			return left, ctx.Err()
		}
	}
}

// dutiesDone waits until every process has had its first turn at the periodic
// duties, so that no sweep of what the load pays runs beside it.
func (b *books) dutiesDone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	for {
		var done int
		err := b.conn.QueryRow(ctx, `SELECT count(*) FROM duty WHERE next_at > $1 AND name IN ('sweep', 'changed', 'reconcile', 'register')`, time.Now()).Scan(&done)
		if err != nil || done == 4 {
			return wrapBooks(err)
		}
		select {
		case <-time.After(restPoll):
		case <-ctx.Done():
			return environmentError{"wait for the receiver's first sweeps", ctx.Err()}
		}
	}
}

// credit is what the ledger has for one Pix.
type credit struct {
	times int
	cents pix.Amount
	at    time.Time // of the commit, zero where the server does not keep it
}

// credits reads what the load put into the ledger, by endToEndId.
func (b *books) credits(ctx context.Context, timed bool) (map[pix.EndToEndID]*credit, error) {
	at := "NULL::timestamptz"
	if timed {
		at = "pg_xact_commit_timestamp(t.xmin)"
	}
	rows, err := b.conn.Query(ctx, `SELECT t.reference, e.end_to_end_id, e.cents, `+at+`
FROM ledger_transaction AS t JOIN ledger_entry AS e ON e.transaction_id = t.id
WHERE t.id > $1 AND e.account = 'psp:pix:liquidar'`, b.transaction)
	if err != nil {
		return nil, wrapBooks(err)
	}
	out := map[pix.EndToEndID]*credit{}
	var reference, id string
	var cents int64
	var commit *time.Time
	_, err = pgx.ForEachRow(rows, []any{&reference, &id, &cents, &commit}, func() error {
		c := out[pix.EndToEndID(id)]
		if c == nil {
			c = &credit{}
			out[pix.EndToEndID(id)] = c
		}
		if !strings.HasPrefix(reference, "pix:") {
			return fmt.Errorf("the ledger has %s, which no callback of the load asks for", reference)
		}
		c.times, c.cents = c.times+1, c.cents+pix.Amount(cents)
		if commit != nil {
			c.at = *commit
		}
		return nil
	})
	return out, wrapBooks(err)
}

// kept are the Pix that the inbox has of the load, and how many of them are set
// aside.
func (b *books) kept(ctx context.Context) (ids map[pix.EndToEndID]bool, aside int, err error) {
	rows, err := b.conn.Query(ctx, `SELECT end_to_end_id, state FROM inbox_event WHERE id > $1`, b.event)
	if err != nil {
		return nil, 0, wrapBooks(err)
	}
	ids = map[pix.EndToEndID]bool{}
	var id, state string
	_, err = pgx.ForEachRow(rows, []any{&id, &state}, func() error {
		ids[pix.EndToEndID(id)] = true
		if state == "QUARANTINED" {
			aside++
		}
		return nil
	})
	return ids, aside, wrapBooks(err)
}
