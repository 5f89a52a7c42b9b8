package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// FindKeys reads keys by name.
func (s *Store) FindKeys(ctx context.Context, in []receiver.KeyRef) ([]*receiver.Key, error) {
	rows, err := all(ctx, s, "find keys", reads, `SELECT `+requestKeyColumns+` `+ofKeys, requestKeyArrays(in), scanRequestKey)
	if err != nil {
		return nil, err
	}
	found := map[receiver.KeyRef]*receiver.Key{}
	for i := range rows {
		found[rows[i].KeyRef] = &rows[i]
	}
	return column(in, func(ref receiver.KeyRef) *receiver.Key { return found[ref] }), nil
}

// ReleaseKeys lets go of keys that their requests still hold.
func (s *Store) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "release keys", func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockRequestKeys(p, column(in, func(h receiver.KeyHold) receiver.KeyRef { return h.Ref }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, hold := range in {
			if row := tx.key(hold.Ref); hold.Holds(row) {
				tx.putKey(hold.Release(*row))
				out[i] = true
			}
		}
		return nil
	})
	return out, err
}

// PurgeKeys throws away answers in the order (at, consumer, route, key).
func (s *Store) PurgeKeys(ctx context.Context, in receiver.KeyPurge) (int, error) {
	purged, err := all(ctx, s, "purge keys", writes, purgeKeys, []any{in.Before, in.Limit, in.Now}, func(rows pgx.Rows) (n int, err error) {
		return n, rows.Scan(&n)
	})
	if err != nil {
		return 0, err
	}
	return purged[0], nil
}

// purgeKeys passes over keys that a request works under just now, and over those
// whose intention has no known end.
const purgeKeys = `WITH old AS (
    SELECT k.consumer, k.route, k.key, k.reference FROM idempotency_key AS k
    WHERE k.state <> 'purged' AND k.at <= $1 AND NOT (` + unsettledKey + `)
    ORDER BY k.at, k.consumer, k.route, k.key
    LIMIT $2
    FOR UPDATE OF k SKIP LOCKED -- what is locked is not old
), stripped AS (
    UPDATE idempotency_key AS k
    SET state = 'purged', status = 0, content_type = '', body = NULL, at = $3, held_until = NULL
    FROM old WHERE old.reference <> '' AND (k.consumer, k.route, k.key) = (old.consumer, old.route, old.key)
    RETURNING 1
), gone AS (
    DELETE FROM idempotency_key AS k
    USING old WHERE old.reference = '' AND (k.consumer, k.route, k.key) = (old.consumer, old.route, old.key)
    RETURNING 1
)
SELECT (SELECT count(*) FROM stripped) + (SELECT count(*) FROM gone)`

// unsettledKey says whether the intention that key k led to has no known end.
const unsettledKey = `k.route = '` + receiver.RouteCharges + `' AND EXISTS (
        SELECT FROM charge AS c
        WHERE (c.consumer, c.reference) = (k.consumer, k.reference) AND c.state = 'intended')
    OR k.route = '` + receiver.RouteRefunds + `' AND EXISTS (
        SELECT FROM refund AS x
        WHERE (x.consumer, x.reference) = (k.consumer, k.reference) AND x.origin = 'merchant' AND x.state IN ('reserved', 'processing'))
    OR k.route = '` + receiver.RoutePayouts + `' AND EXISTS (
        SELECT FROM payout AS x
        WHERE (x.consumer, x.reference) = (k.consumer, k.reference) AND x.state IN ('reserved', 'processing'))`
