package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// Dump is every row as if one command had just made it, from one snapshot, for
// who looks once at the end: events, transactions, outbox events and the
// operators' book in the order made, variants by event, charges by consumer
// and reference, payments, memos and cases by id, refunds by Pix and then in
// the order made.
func (s *Store) Dump(ctx context.Context) (receiver.ChangeSet, error) {
	cs := receiver.ChangeSet{Command: "Dump"}
	if err := ctx.Err(); err != nil {
		return cs, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return cs, unavailable(ctx, "dump", err)
	}
	defer conn.Release()
	p := &pipeline{}
	p.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	dumpInbox(p, &cs)
	dumpMoney(p, &cs)
	dumpLedger(p, &cs)
	dumpWork(p, &cs)
	p.exec(`COMMIT`)
	if err := conn.SendBatch(ctx, &p.Batch).Close(); err != nil {
		return cs, explain(ctx, "dump", reads, err, conn.Conn().IsClosed())
	}
	return cs, nil
}

// collect queues a statement whose rows are handed on one by one.
func collect[R any](p *pipeline, sql string, scan func(pgx.Rows) (R, error), keep func(row *R)) {
	p.query(sql, nil, func(rows pgx.Rows) error {
		row, err := scan(rows)
		if err == nil {
			keep(&row)
		}
		return err
	})
}

func dumpInbox(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, `SELECT `+eventColumns+`, raw FROM inbox_event ORDER BY id`, scanWhole, func(e *receiver.Event) {
		cs.Events = append(cs.Events, receiver.EventChange{After: e})
	})
	collect(p, `SELECT `+variantColumns+` FROM inbox_variant ORDER BY event_id, number`, scanVariant, func(v *receiver.Variant) {
		cs.Variants = append(cs.Variants, *v)
	})
}

func dumpMoney(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, `SELECT `+chargeColumns+` FROM charge ORDER BY consumer, reference`, scanCharge, func(c *receiver.Charge) {
		cs.Charges = append(cs.Charges, receiver.ChargeChange{After: c})
	})
	collect(p, `SELECT `+paymentColumns+` FROM payment ORDER BY end_to_end_id`, scanPayment, func(x *receiver.Payment) {
		cs.Payments = append(cs.Payments, receiver.PaymentChange{After: x})
	})
	collect(p, `SELECT `+refundColumns+` FROM refund ORDER BY end_to_end_id, number`, scanRefund, func(x *receiver.Refund) {
		cs.Refunds = append(cs.Refunds, receiver.RefundChange{After: x})
	})
	collect(p, `SELECT `+memoColumns+` FROM memo ORDER BY id`, scanMemo, func(m *receiver.Memo) {
		cs.Memos = append(cs.Memos, *m)
	})
	collect(p, `SELECT `+caseColumns+` FROM suspense_case ORDER BY id`, scanCase, func(c *receiver.Case) {
		cs.Cases = append(cs.Cases, receiver.CaseChange{After: c})
	})
}

func dumpLedger(p *pipeline, cs *receiver.ChangeSet) {
	p.query(dumpTransactions, nil, func(rows pgx.Rows) error {
		var t receiver.Transaction
		var e receiver.Entry
		if err := rows.Scan(&t.ID, &t.Reference, &t.BookedAt, &e.Account, &e.Cents, &e.EndToEndID, &e.ReturnID, &e.Charge); err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
		if n := len(cs.Transactions); n == 0 || cs.Transactions[n-1].ID != t.ID {
			cs.Transactions = append(cs.Transactions, t)
		}
		last := &cs.Transactions[len(cs.Transactions)-1]
		last.Entries = append(last.Entries, e)
		return nil
	})
}

const dumpTransactions = `SELECT t.id, t.reference, t.booked_at, e.account, e.cents, e.end_to_end_id, e.return_id, e.charge
FROM ledger_transaction AS t JOIN ledger_entry AS e ON e.transaction_id = t.id
ORDER BY t.id, e.position`

func dumpWork(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, `SELECT `+outboxColumns+` FROM outbox_event ORDER BY id`, scanOutbox, func(o *receiver.OutboxEvent) {
		cs.Outbox = append(cs.Outbox, receiver.OutboxChange{After: o})
	})
	collect(p, `SELECT `+findingColumns+` FROM reconcile_finding ORDER BY `+findingOrder, scanFinding, func(f *receiver.Finding) {
		cs.Findings = append(cs.Findings, *f)
	})
	scan := func(rows pgx.Rows) (r receiver.OperatorRecord, err error) {
		return r, rows.Scan(&r.At, &r.Operator, &r.Action, &r.Subject, &r.Note)
	}
	collect(p, `SELECT `+recordColumns+` FROM operator_record ORDER BY number`, scan, func(r *receiver.OperatorRecord) {
		cs.Operators = append(cs.Operators, *r)
	})
}
