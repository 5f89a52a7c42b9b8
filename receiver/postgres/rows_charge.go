package postgres

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// chargeColumns are the columns that [scanCharge] reads.
const chargeColumns = `consumer, reference, kind, txid, pix_key, due_cents, expires_in, state, created_at, br_code,
    settled_cents, settled_by, problem, attempts, due_at, version`

func scanCharge(rows pgx.Rows) (receiver.Charge, error) {
	var c receiver.Charge
	err := rows.Scan(
		&c.Consumer, &c.Reference, &c.Kind, &c.TxID, &c.PixKey, &c.Due, &c.ExpiresIn, &c.State, unknown{&c.CreatedAt}, &c.BRCode,
		&c.Settled, &c.SettledBy, &c.Problem, &c.Attempts, &c.DueAt, &c.Version,
	)
	return c, err
}

func refOf(c *receiver.Charge) receiver.ChargeRef {
	return receiver.ChargeRef{Consumer: c.Consumer, Reference: c.Reference}
}

func (tx *tx) readCharge(rows pgx.Rows) error {
	c, err := scanCharge(rows)
	if err != nil {
		return err
	}
	tx.charges.read(refOf(&c), &c)
	if c.TxID != "" {
		tx.byTxID[c.TxID] = refOf(&c)
	}
	return nil
}

// refArrays are the columns of references.
func refArrays(refs []receiver.ChargeRef) []any {
	return []any{
		texts(refs, func(r receiver.ChargeRef) string { return r.Consumer }),
		texts(refs, func(r receiver.ChargeRef) string { return r.Reference }),
	}
}

// lockCharges reads charges by reference, under locks.
func (tx *tx) lockCharges(p *pipeline, refs []receiver.ChargeRef) {
	tx.charges.missing(refs)
	p.query(lockCharges, refArrays(refs), tx.readCharge)
}

const lockCharges = `SELECT ` + chargeColumns + ` FROM charge
WHERE (consumer, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))
ORDER BY consumer, reference -- the lock order
FOR UPDATE`

// lockTxIDs reads charges by txid, under locks. A txid that has none yet is
// locked as such: whoever makes its charge waits.
func (tx *tx) lockTxIDs(p *pipeline, ids []pix.TxID) {
	ids = tx.holdTxIDs(p, ids)
	if len(ids) > 0 {
		p.query(lockTxIDs, []any{texts(ids, func(id pix.TxID) pix.TxID { return id })}, tx.readCharge)
	}
}

const lockTxIDs = `SELECT ` + chargeColumns + ` FROM charge
WHERE txid = ANY ($1) AND txid <> ''
ORDER BY consumer, reference -- the lock order
FOR UPDATE`

// holdTxIDs takes the advisory locks of txids without a charge. It returns the
// txids, each once and none empty.
func (tx *tx) holdTxIDs(p *pipeline, ids []pix.TxID) []pix.TxID {
	type held struct {
		number int64
		id     pix.TxID
	}
	all := column(ids, func(id pix.TxID) held { return held{lockNumber(id), id} })
	all = slices.DeleteFunc(all, func(h held) bool { return h.id == "" })
	slices.SortFunc(all, func(a, b held) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id)) })
	all = slices.Compact(all)
	ids = column(all, func(h held) pix.TxID { return h.id })
	for _, id := range ids {
		if _, ok := tx.byTxID[id]; !ok {
			tx.byTxID[id] = receiver.ChargeRef{}
		}
	}
	if len(all) > 0 {
		p.exec(holdTxIDs, column(all, func(h held) int64 { return h.number }), texts(all, func(h held) pix.TxID { return h.id }))
	}
	return ids
}

const holdTxIDs = `SELECT pg_advisory_xact_lock(t.number) -- in the order given, which is the lock order
FROM unnest($1::bigint[], $2::text[]) AS t (number, txid)
WHERE NOT EXISTS (SELECT FROM charge AS c WHERE c.txid = t.txid AND c.txid <> '')`

// lockNumber is the advisory lock of a txid. Two txids may share one: then they
// wait for each other without need.
func lockNumber(id pix.TxID) int64 {
	h := fnv.New64a()
	h.Write([]byte("txid:" + id))
	return int64(h.Sum64())
}

// charge is a charge that was read by its reference, nil if there is none.
func (tx *tx) charge(ref receiver.ChargeRef) *receiver.Charge {
	tx.want(tx.charges.knows(ref), "charge", ref)
	return tx.charges.rows[ref]
}

// chargeOf is the charge with exactly that txid, nil if there is none.
func (tx *tx) chargeOf(id pix.TxID) *receiver.Charge {
	ref, known := tx.byTxID[id]
	tx.want(known || id == "", "charge of txid", id)
	return tx.charges.rows[ref]
}

func (tx *tx) putCharge(c receiver.Charge) {
	tx.charges.put(refOf(&c), &c)
	if c.TxID != "" {
		tx.byTxID[c.TxID] = refOf(&c)
	}
}

func (tx *tx) writeCharges(p *pipeline) {
	added, changed := tx.charges.pending()
	slices.SortFunc(added, func(a, b change[receiver.ChargeRef, receiver.Charge]) int {
		return cmp.Or(cmp.Compare(a.key.Consumer, b.key.Consumer), cmp.Compare(a.key.Reference, b.key.Reference))
	})
	if len(added) > 0 {
		p.exec(insertCharges, chargeArrays(afterOf(added))...)
	}
	if len(changed) > 0 {
		p.exec(updateCharges, chargeArrays(afterOf(changed))...)
	}
}

// afterOf are the rows after their changes.
func afterOf[K comparable, R any](changes []change[K, R]) []*R {
	return column(changes, func(c change[K, R]) *R { return c.after })
}

// insertCharges has no ON CONFLICT: a charge that came in between is an error,
// upon which the command begins again and finds it.
const insertCharges = `INSERT INTO charge (` + chargeColumns + `)
SELECT * FROM unnest(` + chargeTypes + `)`

const chargeTypes = `$1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
    $8::text[], $9::timestamptz[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::integer[],
    $15::timestamptz[], $16::bigint[]`

// updateCharges sets what can change: a charge keeps its kind, txid and amount.
const updateCharges = `UPDATE charge AS c
SET state = n.state, created_at = n.created_at, br_code = n.br_code, settled_cents = n.settled_cents,
    settled_by = n.settled_by, problem = n.problem, attempts = n.attempts, due_at = n.due_at
FROM unnest(` + chargeTypes + `) AS n (` + chargeColumns + `)
WHERE c.consumer = n.consumer AND c.reference = n.reference`

func chargeArrays(rows []*receiver.Charge) []any {
	type row = *receiver.Charge
	return []any{
		texts(rows, func(c row) string { return c.Consumer }),
		texts(rows, func(c row) string { return c.Reference }),
		texts(rows, func(c row) receiver.ChargeKind { return c.Kind }),
		texts(rows, func(c row) pix.TxID { return c.TxID }),
		texts(rows, func(c row) pix.PixKey { return c.PixKey }),
		cents(rows, func(c row) pix.Amount { return c.Due }),
		cents(rows, func(c row) time.Duration { return c.ExpiresIn }),
		texts(rows, func(c row) receiver.ChargeState { return c.State }),
		column(rows, func(c row) *time.Time { return optional(c.CreatedAt) }),
		texts(rows, func(c row) string { return c.BRCode }),
		cents(rows, func(c row) pix.Amount { return c.Settled }),
		texts(rows, func(c row) pix.EndToEndID { return c.SettledBy }),
		texts(rows, func(c row) string { return c.Problem }),
		column(rows, func(c row) int32 { return int32(c.Attempts) }),
		column(rows, func(c row) time.Time { return c.DueAt }),
		column(rows, func(c row) int64 { return c.Version }),
	}
}
