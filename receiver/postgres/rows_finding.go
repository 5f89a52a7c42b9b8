package postgres

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// findingColumns are the columns that [scanFinding] reads.
const findingColumns = `number, kind, end_to_end_id, line_id, class, statement_cents, ledger_cents, settled_at, found_at`

// findingOrder is [receiver.Finding.Compare].
const findingOrder = `found_at, end_to_end_id, kind, line_id, class`

func scanFinding(rows pgx.Rows) (receiver.Finding, error) {
	var f receiver.Finding
	err := rows.Scan(
		&f.Number, &f.Line.Kind, &f.Line.EndToEndID, &f.Line.ID, &f.Class, &f.Statement, &f.Ledger, &f.SettledAt, &f.FoundAt,
	)
	return f, err
}

// writeFindings notes what the reconciliation found, once.
func (tx *tx) writeFindings(p *pipeline) {
	rows := slices.Clone(tx.findings.pending())
	if len(rows) == 0 {
		return
	}
	// Two who note the same take its places in one order.
	slices.SortFunc(rows, receiver.Finding.Compare)
	type row = receiver.Finding
	p.exec(
		insertFindings,
		texts(rows, func(f row) pix.StatementKind { return f.Line.Kind }),
		texts(rows, func(f row) pix.EndToEndID { return f.Line.EndToEndID }),
		texts(rows, func(f row) string { return f.Line.ID }),
		texts(rows, func(f row) receiver.MatchClass { return f.Class }),
		cents(rows, func(f row) pix.Amount { return f.Statement }),
		cents(rows, func(f row) pix.Amount { return f.Ledger }),
		column(rows, func(f row) time.Time { return f.SettledAt }),
		column(rows, func(f row) time.Time { return f.FoundAt }),
	)
}

const insertFindings = `INSERT INTO reconcile_finding
    (kind, end_to_end_id, line_id, class, statement_cents, ledger_cents, settled_at, found_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
ON CONFLICT DO NOTHING -- it was found before`
