package main

import "context"

// past fills the database with Pix that were booked long ago, as the receiver
// leaves them: event, charge, payment, ledger and outbox.
func (b *books) past(ctx context.Context, n int) error {
	const step = 50_000
	for from := 0; from < n; from += step {
		to := min(from+step, n)
		for _, sql := range pastRows() {
			if _, err := b.conn.Exec(ctx, sql, from+1, to); err != nil {
				return environmentError{"book Pix of the past", err}
			}
		}
	}
	if _, err := b.conn.Exec(ctx, `UPDATE account_balance SET settlement_cents = settlement_cents + $1 WHERE stripe = 1`, 1000*int64(n)); err != nil {
		return environmentError{"book Pix of the past", err}
	}
	_, err := b.conn.Exec(ctx, `VACUUM (ANALYZE)`)
	return wrapBooks(err)
}

// pastRows are the statements that make the Pix numbered from $1 to $2. Their
// ids are scattered over the index, as random ones are.
func pastRows() []string {
	const ids = `(SELECT i, 'E87654321202601021200' || lpad((i * 61803398877 % 100000000000)::text, 11, '0') AS e2e,
        'passado' || lpad((i * 61803398877 % 100000000000)::text, 25, '0') AS txid
    FROM generate_series($1::bigint, $2::bigint) AS i) AS p`
	return []string{
		`INSERT INTO charge SELECT 'merchant', txid, 'dynamic', txid, 'carga@loja.example', 1000, 86400000000000, 'active',
    '2026-01-02 12:00Z', '', 1000, e2e, '', 1, '2026-01-02 12:00Z', 1 FROM ` + ids,
		`INSERT INTO inbox_event SELECT nextval('inbox_event_id'), 'psp', 'pix:' || e2e, 'callback', 'credit', e2e, txid, 'carga@loja.example',
    1000, '2026-01-02 12:00Z', '', '', '', '', false,
    convert_to('{"endToEndId":"' || e2e || '","txid":"' || txid || '","valor":"10.00","chave":"carga@loja.example","horario":"2026-01-02T12:00:00.000Z"}', 'UTF8'),
    '2026-01-02 12:00Z', 'PROCESSED', '', '', 1, '2026-01-02 12:00Z', 1, 'past' FROM ` + ids,
		`INSERT INTO payment SELECT e2e, txid, 'carga@loja.example', 1000, '2026-01-02 12:00Z', 'merchant', txid, 'exact', true, true,
    '2026-01-02 12:00Z', 1000, 0, 0, 0, 0, 0, 1, 1000 FROM ` + ids,
		`WITH fresh AS (SELECT nextval('ledger_transaction_id') AS id, e2e, txid FROM ` + ids + `), header AS (
    INSERT INTO ledger_transaction SELECT id, 'pix:' || e2e, '2026-01-02 12:00Z', 2 FROM fresh)
INSERT INTO ledger_entry SELECT id, 1, 'psp:pix:liquidar', 1000, e2e, '', txid FROM fresh
UNION ALL SELECT id, 2, 'merchant:receita', -1000, e2e, '', txid FROM fresh`,
		`INSERT INTO outbox_event (id, endpoint, end_to_end_id, number, kind, amount_cents, charge, refund_id, at,
    sent, dead, skipped, attempts, due_at, version, ready)
SELECT nextval('outbox_event_id'), 'merchant', e2e, 1, 'pix.credited', 1000, txid, '', '2026-01-02 12:00Z',
    true, false, false, 1, '2026-01-02 12:00Z', 1, false FROM ` + ids,
	}
}
