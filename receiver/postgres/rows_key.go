package postgres

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// requestKeyColumns are the columns that [scanRequestKey] reads.
const requestKeyColumns = `consumer, route, key, body_hash, state, reference, status, content_type, body, at, held_until, version`

func scanRequestKey(rows pgx.Rows) (receiver.Key, error) {
	var k receiver.Key
	var hash []byte
	err := rows.Scan(
		&k.Consumer, &k.Route, &k.Key, &hash, &k.State, &k.Reference, &k.Answer.Status, &k.Answer.ContentType, &k.Answer.Body,
		&k.At, unknown{&k.HeldUntil}, &k.Version,
	)
	copy(k.Hash[:], hash)
	return k, err
}

func (tx *tx) readRequestKey(rows pgx.Rows) error {
	k, err := scanRequestKey(rows)
	if err == nil {
		tx.keys.read(k.KeyRef, &k)
	}
	return err
}

// requestKeyArrays are the columns of keys' names.
func requestKeyArrays(refs []receiver.KeyRef) []any {
	return []any{
		texts(refs, func(r receiver.KeyRef) string { return r.Consumer }),
		texts(refs, func(r receiver.KeyRef) string { return r.Route }),
		texts(refs, func(r receiver.KeyRef) string { return r.Key }),
	}
}

const ofKeys = `FROM idempotency_key
WHERE (consumer, route, key) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`

// lockRequestKeys reads keys under locks. Whoever holds one waits for no call: the
// transaction that reserves a key commits before its call is made.
func (tx *tx) lockRequestKeys(p *pipeline, refs []receiver.KeyRef) {
	if len(refs) == 0 {
		return
	}
	tx.keys.missing(refs)
	p.query(lockRequestKeys, requestKeyArrays(refs), tx.readRequestKey)
}

const lockRequestKeys = `SELECT ` + requestKeyColumns + ` ` + ofKeys + `
ORDER BY consumer, route, key -- the lock order
FOR UPDATE`

// claimed are the names of the keys that items claim or hold.
func claimed[R any](in []R, ref func(R) *receiver.KeyRef) []receiver.KeyRef {
	var refs []receiver.KeyRef
	for _, n := range in {
		if r := ref(n); r != nil {
			refs = append(refs, *r)
		}
	}
	return refs
}

func claimOf(c *receiver.KeyClaim) *receiver.KeyRef {
	if c == nil {
		return nil
	}
	return &c.Ref
}

func holdOf(h *receiver.KeyHold) *receiver.KeyRef {
	if h == nil {
		return nil
	}
	return &h.Ref
}

// key is the row of a key, nil if there is none.
func (tx *tx) key(ref receiver.KeyRef) *receiver.Key {
	tx.want(tx.keys.knows(ref), "key", ref)
	return tx.keys.rows[ref]
}

func (tx *tx) putKey(k receiver.Key) { tx.keys.put(k.KeyRef, &k) }

// writeKeys writes keys one by one: a command has few.
func (tx *tx) writeKeys(p *pipeline) {
	added, changed := tx.keys.pending()
	slices.SortFunc(added, func(a, b change[receiver.KeyRef, receiver.Key]) int {
		return cmp.Or(cmp.Compare(a.key.Consumer, b.key.Consumer), cmp.Compare(a.key.Route, b.key.Route), cmp.Compare(a.key.Key, b.key.Key))
	})
	for _, c := range added {
		p.exec(insertKey, keyArgs(c.after)...)
	}
	for _, c := range changed {
		p.exec(updateKey, keyArgs(c.after)...)
	}
}

// insertKey has no ON CONFLICT: a key that came in between is an error, upon
// which the command begins again and finds it.
const insertKey = `INSERT INTO idempotency_key (` + requestKeyColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

const updateKey = `UPDATE idempotency_key
SET body_hash = $4, state = $5, reference = $6, status = $7, content_type = $8, body = $9, at = $10, held_until = $11, version = $12
WHERE consumer = $1 AND route = $2 AND key = $3`

func keyArgs(k *receiver.Key) []any {
	return []any{
		text(k.Consumer), text(k.Route), text(k.Key), k.Hash[:], text(k.State), text(k.Reference), k.Answer.Status,
		text(k.Answer.ContentType), k.Answer.Body, k.At, optional(k.HeldUntil), k.Version,
	}
}
