package postgres

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// variants are the other contents of the events that a transaction deals with.
type variants struct {
	list[receiver.Variant]
	stored map[int64][]receiver.Variant // nil entry: read, none
}

func newVariants() variants { return variants{stored: map[int64][]receiver.Variant{}} }

// variantColumns are the columns that [scanVariant] reads.
const variantColumns = `event_id, channel, ` + contentColumns + `, confirmed, received_at`

func scanVariant(rows pgx.Rows) (receiver.Variant, error) {
	var v receiver.Variant
	var c content
	into := append([]any{&v.EventID, &v.Channel}, c.into()...)
	if err := rows.Scan(append(into, &v.Confirmed, &v.ReceivedAt)...); err != nil {
		return v, err
	}
	says := c.unfold()
	v.Refund, v.Payout = says.Refund, says.Payout
	if says.Credit != nil {
		v.Credit = *says.Credit
	}
	return v, nil
}

// readVariants reads the variants of events, whose locks are held.
func (tx *tx) readVariants(p *pipeline, ids []int64) {
	for _, id := range ids {
		tx.variants.stored[id] = nil
	}
	if len(ids) == 0 {
		return
	}
	p.query(readVariants, []any{ids}, func(rows pgx.Rows) error {
		v, err := scanVariant(rows)
		tx.variants.stored[v.EventID] = append(tx.variants.stored[v.EventID], v)
		return err
	})
}

const readVariants = `SELECT ` + variantColumns + ` FROM inbox_variant WHERE event_id = ANY ($1) ORDER BY number`

// kept says whether an event's variants hold v's content already.
func (tx *tx) kept(v receiver.Variant) bool {
	stored, known := tx.variants.stored[v.EventID]
	tx.want(known, "variants of event", v.EventID)
	same := func(o receiver.Variant) bool { return o.EventID == v.EventID && o.Covers(v) }
	return slices.ContainsFunc(stored, same) || slices.ContainsFunc(tx.variants.rows, same)
}

func (tx *tx) writeVariants(p *pipeline) {
	for _, v := range tx.variants.pending() {
		says := receiver.Content{Refund: v.Refund, Payout: v.Payout}
		if says == (receiver.Content{}) {
			says.Credit = &v.Credit
		}
		c := flat(says)
		p.exec(
			insertVariant, v.EventID, text(v.Channel), c.about, text(c.e2e), text(c.txid), text(c.key), int64(c.amount),
			optional(c.paidAt), text(c.refund), text(c.returnID), text(c.nature), text(c.status), text(c.payout), v.Confirmed, v.ReceivedAt,
		)
	}
}

const insertVariant = `INSERT INTO inbox_variant (` + variantColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

func (tx *tx) record(r receiver.OperatorRecord) { tx.records.add(r) }

func (tx *tx) writeRecords(p *pipeline) {
	for _, r := range tx.records.pending() {
		p.exec(insertRecord, r.At, text(r.Operator), text(r.Action), text(r.Subject), text(r.Note))
	}
}

const recordColumns = `at, operator, action, subject, note`

const insertRecord = `INSERT INTO operator_record (` + recordColumns + `) VALUES ($1, $2, $3, $4, $5)`

// memoColumns are the columns that [scanMemo] reads.
const memoColumns = `id, end_to_end_id, amount_cents, released, at`

func scanMemo(rows pgx.Rows) (receiver.Memo, error) {
	var m receiver.Memo
	return m, rows.Scan(&m.ID, &m.EndToEndID, &m.Amount, &m.Released, &m.At)
}

func (tx *tx) readMemo(rows pgx.Rows) error {
	m, err := scanMemo(rows)
	if err != nil {
		return err
	}
	tx.memos.read(m.ID, &m)
	return nil
}

// blocked is by how much the transaction changes what is blocked.
func (tx *tx) blocked() pix.Amount {
	var sum pix.Amount
	for _, c := range tx.memos.log {
		sum += c.after.Blocks() - c.before.Blocks()
	}
	return sum
}

func (tx *tx) writeMemos(p *pipeline) {
	added, changed := tx.memos.pending()
	slices.SortFunc(added, func(a, b change[string, receiver.Memo]) int { return cmp.Compare(a.key, b.key) })
	for _, c := range added {
		p.exec(insertMemo, memoArgs(c.after)...)
	}
	for _, c := range changed {
		p.exec(updateMemo, memoArgs(c.after)...)
	}
}

// insertMemo has no ON CONFLICT: a memo that came in between is an error, upon
// which the command begins again and finds it.
const insertMemo = `INSERT INTO memo (` + memoColumns + `) VALUES ($1, $2, $3, $4, $5)`

const updateMemo = `UPDATE memo SET end_to_end_id = $2, amount_cents = $3, released = $4, at = $5 WHERE id = $1`

func memoArgs(m *receiver.Memo) []any {
	return []any{text(m.ID), text(m.EndToEndID), int64(m.Amount), m.Released, m.At}
}
