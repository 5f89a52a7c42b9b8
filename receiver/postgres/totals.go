package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
)

// Totals is what the store holds as a whole, for whoever watches it.
type Totals struct {
	// Received, Waiting and Bad count events: not ended, and set aside of either
	// kind. Oldest is when the oldest of the first came in; zero if there is none.
	Received, Waiting, Bad int64
	Oldest                 time.Time
	// What the account has, as in the ledger.
	Settlement, InProcess, Blocked pix.Amount
}

// Totals asks for them. What has ended is not looked at, however much it is.
func (s *Store) Totals(ctx context.Context) (Totals, error) {
	rows, err := all(ctx, s, "ask for totals", reads, readTotals, nil, func(rows pgx.Rows) (t Totals, err error) {
		return t, rows.Scan(&t.Received, unknown{&t.Oldest}, &t.Waiting, &t.Bad, &t.Settlement, &t.InProcess, &t.Blocked)
	})
	if err != nil {
		return Totals{}, err
	}
	return rows[0], nil
}

const readTotals = `SELECT r.events, r.oldest, q.waiting, q.bad, b.settlement, b.in_process, b.blocked
FROM (SELECT count(*) AS events, min(received_at) AS oldest FROM inbox_event WHERE state = 'RECEIVED') AS r,
    (SELECT count(*) FILTER (WHERE quarantine = 'waiting') AS waiting, count(*) FILTER (WHERE quarantine = 'bad') AS bad
        FROM inbox_event WHERE state = 'QUARANTINED') AS q,
    (SELECT sum(settlement_cents)::bigint AS settlement, sum(in_process_cents)::bigint AS in_process,
        sum(blocked_cents)::bigint AS blocked FROM account_balance) AS b`
