package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// caseColumns are the columns that [scanCase] reads.
const caseColumns = `id, end_to_end_id, account, amount_cents, reasons, state, opened_at, closed_at, note`

func scanCase(rows pgx.Rows) (receiver.Case, error) {
	var c receiver.Case
	err := rows.Scan(
		&c.ID, &c.EndToEndID, &c.Account, &c.Amount, &c.Reasons, &c.State, &c.OpenedAt, unknown{&c.ClosedAt}, &c.Note,
	)
	return c, err
}

func (tx *tx) readCase(rows pgx.Rows) error {
	c, err := scanCase(rows)
	if err != nil {
		return err
	}
	tx.cases.read(c.ID, &c)
	return nil
}

const lockCasesOfPix = `SELECT ` + caseColumns + ` FROM suspense_case
WHERE end_to_end_id = ANY ($1)
ORDER BY id -- the lock order
FOR UPDATE`

// caseOf is a case about a Pix that was read, nil if there is none.
func (tx *tx) caseOf(id string, about pix.EndToEndID) *receiver.Case {
	tx.want(tx.payments.knows(about) || tx.payoutCases[id], "cases of", about)
	return tx.cases.rows[id]
}

// isOpen says whether there is an open case of that id about a Pix.
func (tx *tx) isOpen(id string, about pix.EndToEndID) bool {
	c := tx.caseOf(id, about)
	return c != nil && c.State == receiver.CaseOpen
}

// openCase opens a case, or adds to the one there is. What changes nothing is
// not put.
func (tx *tx) openCase(n receiver.CaseNote, about pix.EndToEndID, at time.Time) {
	if after := tx.caseOf(n.ID, about).Noted(n, about, at); after != nil {
		tx.cases.put(n.ID, after)
	}
}

// closeCase closes an open case about a Pix.
func (tx *tx) closeCase(id string, about pix.EndToEndID, note string, at time.Time) {
	if !tx.isOpen(id, about) {
		return
	}
	tx.cases.put(id, tx.cases.rows[id].Closed(note, at))
}

// writeCases writes cases one by one, in the lock order: they are few.
func (tx *tx) writeCases(p *pipeline) {
	added, changed := tx.cases.pending()
	slices.SortFunc(added, func(a, b change[string, receiver.Case]) int { return cmp.Compare(a.key, b.key) })
	for _, c := range added {
		p.exec(insertCase, caseArgs(c.after)...)
	}
	for _, c := range changed {
		p.exec(updateCase, caseArgs(c.after)...)
	}
}

// insertCase has no ON CONFLICT: a case opened in between is an error, upon
// which the command begins again and finds it.
const insertCase = `INSERT INTO suspense_case (` + caseColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

const updateCase = `UPDATE suspense_case
SET end_to_end_id = $2, account = $3, amount_cents = $4, reasons = $5, state = $6, opened_at = $7, closed_at = $8, note = $9
WHERE id = $1`

func caseArgs(c *receiver.Case) []any {
	return []any{
		text(c.ID), text(c.EndToEndID), text(c.Account), int64(c.Amount),
		texts(c.Reasons, func(r string) string { return r }), text(c.State), c.OpenedAt, optional(c.ClosedAt), text(c.Note),
	}
}
