package postgres

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// payoutColumns are the columns that [scanPayout] reads.
const payoutColumns = `consumer, reference, pix_key, amount_cents, payout_key, end_to_end_id, state, queued, problem, refused_at,
    return_ids, return_cents, return_seen, in_statement, requested_at, first_call_at, last_call_at, prior_call_at,
    finished_at, events, attempts, due_at, version`

func scanPayout(rows pgx.Rows) (receiver.Payout, error) {
	var x receiver.Payout
	var ids []string
	var amounts []int64
	var seen []bool
	err := rows.Scan(
		&x.Consumer, &x.Reference, &x.PixKey, &x.Amount, &x.Key, &x.EndToEndID, &x.State, &x.Queued, &x.Problem, unknown{&x.RefusedAt},
		&ids, &amounts, &seen, &x.InStatement, &x.RequestedAt, unknown{&x.FirstCallAt}, unknown{&x.LastCallAt}, unknown{&x.PriorCallAt},
		unknown{&x.FinishedAt}, &x.Events, &x.Attempts, &x.DueAt, &x.Version,
	)
	for i, id := range ids {
		x.Returns = append(x.Returns, receiver.PayoutReturn{ReturnID: pix.ReturnID(id), Amount: pix.Amount(amounts[i]), InStatement: seen[i]})
	}
	return x, err
}

func (tx *tx) readPayout(rows pgx.Rows) error {
	x, err := scanPayout(rows)
	if err == nil {
		tx.payouts.read(x.Key, &x)
	}
	return err
}

// lockPayouts reads payouts by key under locks, and the cases about them, whatever
// Pix these name.
func (tx *tx) lockPayouts(p *pipeline, keys []string) {
	if len(keys) == 0 {
		return
	}
	tx.payouts.missing(keys)
	p.query(lockPayouts, []any{texts(keys, func(k string) string { return k })}, tx.readPayout)
	cases := column(keys, receiver.PayoutCase)
	for _, id := range cases {
		tx.payoutCases[id] = true
	}
	p.query(lockCases, []any{texts(cases, func(id string) string { return id })}, tx.readCase)
}

const lockPayouts = `SELECT ` + payoutColumns + ` FROM payout
WHERE payout_key = ANY ($1)
ORDER BY payout_key -- the lock order
FOR UPDATE`

const lockCases = `SELECT ` + caseColumns + ` FROM suspense_case
WHERE id = ANY ($1)
ORDER BY id -- the lock order
FOR UPDATE`

// lockPayoutRefs reads payouts by reference under locks.
func (tx *tx) lockPayoutRefs(p *pipeline, refs []receiver.PayoutRef) {
	p.query(lockPayoutRefs, payoutRefArrays(refs), tx.readPayout)
}

const lockPayoutRefs = `SELECT ` + payoutColumns + ` FROM payout
WHERE (consumer, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))
ORDER BY payout_key -- the lock order
FOR UPDATE`

func payoutRefArrays(refs []receiver.PayoutRef) []any {
	return []any{
		texts(refs, func(r receiver.PayoutRef) string { return r.Consumer }),
		texts(refs, func(r receiver.PayoutRef) string { return r.Reference }),
	}
}

// payout is the payout of a key, nil if there is none.
func (tx *tx) payout(key string) *receiver.Payout {
	tx.want(tx.payouts.knows(key), "payout", key)
	return tx.payouts.rows[key]
}

// firstPayout is the first payout read that fits, by key; nil if none does.
func (tx *tx) firstPayout(fits func(*receiver.Payout) bool) *receiver.Payout {
	for _, key := range slices.Sorted(maps.Keys(tx.payouts.rows)) {
		if x := tx.payouts.rows[key]; x != nil && fits(x) {
			return x
		}
	}
	return nil
}

// payoutOf is the payout of a reference among those read, nil if there is none.
func (tx *tx) payoutOf(ref receiver.PayoutRef) *receiver.Payout {
	return tx.firstPayout(func(x *receiver.Payout) bool { return x.Consumer == ref.Consumer && x.Reference == ref.Reference })
}

func (tx *tx) putPayout(x receiver.Payout) { tx.payouts.put(x.Key, &x) }

// writePayouts writes payouts one by one: they are few.
func (tx *tx) writePayouts(p *pipeline) {
	added, changed := tx.payouts.pending()
	slices.SortFunc(added, func(a, b change[string, receiver.Payout]) int { return cmp.Compare(a.key, b.key) })
	for _, c := range added {
		p.exec(insertPayout, payoutArgs(c.after)...)
	}
	for _, c := range changed {
		p.exec(updatePayout, payoutArgs(c.after)...)
	}
}

// insertPayout has no ON CONFLICT: an intention that came in between is an error,
// upon which the command begins again and finds it.
const insertPayout = `INSERT INTO payout (` + payoutColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`

const updatePayout = `UPDATE payout
SET (` + payoutColumns + `)
    = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
WHERE payout_key = $5`

func payoutArgs(x *receiver.Payout) []any {
	return []any{
		text(x.Consumer), text(x.Reference), text(x.PixKey), int64(x.Amount), text(x.Key), text(x.EndToEndID), text(x.State), x.Queued,
		text(x.Problem), optional(x.RefusedAt),
		texts(x.Returns, func(r receiver.PayoutReturn) pix.ReturnID { return r.ReturnID }),
		cents(x.Returns, func(r receiver.PayoutReturn) pix.Amount { return r.Amount }),
		column(x.Returns, func(r receiver.PayoutReturn) bool { return r.InStatement }),
		x.InStatement, x.RequestedAt, optional(x.FirstCallAt), optional(x.LastCallAt), optional(x.PriorCallAt),
		optional(x.FinishedAt), x.Events, x.Attempts, x.DueAt, x.Version,
	}
}
