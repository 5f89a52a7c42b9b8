package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// Dump is every row as if one command had just made it, from one snapshot, for
// who looks once at the end: events, transactions, outbox events and the
// operators' book in the order made, variants by event, keys by consumer, route
// and key, charges and payouts by consumer and reference, payments, memos and
// cases by id, refunds by Pix and then in the order made.
func (s *Store) Dump(ctx context.Context) (receiver.ChangeSet, error) {
	cs, err := s.look(ctx, "dump", slice{}, func(*pipeline) {})
	cs.Command = "Dump"
	return cs, err
}

// slice is the part of each table that is looked at; zero is all of it.
type slice struct {
	where string // with a space before it
	args  []any
}

// look reads a slice of every table, from one snapshot, and what more asks for.
func (s *Store) look(ctx context.Context, command string, part slice, more func(*pipeline)) (receiver.ChangeSet, error) {
	cs := receiver.ChangeSet{}
	if err := ctx.Err(); err != nil {
		return cs, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return cs, unavailable(ctx, command, err)
	}
	defer conn.Release()
	p := &pipeline{}
	p.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	part.inbox(p, &cs)
	part.money(p, &cs)
	part.ledger(p, &cs)
	part.work(p, &cs)
	more(p)
	p.exec(`COMMIT`)
	if err := conn.SendBatch(ctx, &p.Batch).Close(); err != nil {
		return cs, explain(ctx, command, reads, err, conn.Conn().IsClosed())
	}
	return cs, nil
}

// collect queues a statement whose rows are handed on one by one.
func collect[R any](
	p *pipeline, part slice, sql, order string, scan func(pgx.Rows) (R, error), keep func(row *R),
) {
	p.query(sql+part.where+" ORDER BY "+order, part.args, func(rows pgx.Rows) error {
		row, err := scan(rows)
		if err == nil {
			keep(&row)
		}
		return err
	})
}

func (part slice) inbox(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, part, `SELECT `+eventColumns+`, raw FROM inbox_event`, `id`, scanWhole, func(e *receiver.Event) {
		cs.Events = append(cs.Events, receiver.EventChange{After: e})
	})
	collect(p, part, `SELECT `+variantColumns+` FROM inbox_variant`, `event_id, number`, scanVariant, func(v *receiver.Variant) {
		cs.Variants = append(cs.Variants, *v)
	})
}

func (part slice) money(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, part, `SELECT `+requestKeyColumns+` FROM idempotency_key`, `consumer, route, key`, scanRequestKey, func(k *receiver.Key) {
		cs.Keys = append(cs.Keys, receiver.KeyChange{After: k})
	})
	collect(p, part, `SELECT `+chargeColumns+` FROM charge`, `consumer, reference`, scanCharge, func(c *receiver.Charge) {
		cs.Charges = append(cs.Charges, receiver.ChargeChange{After: c})
	})
	collect(p, part, `SELECT `+paymentColumns+` FROM payment`, `end_to_end_id`, scanPayment, func(x *receiver.Payment) {
		cs.Payments = append(cs.Payments, receiver.PaymentChange{After: x})
	})
	collect(p, part, `SELECT `+refundColumns+` FROM refund`, `end_to_end_id, number`, scanRefund, func(x *receiver.Refund) {
		cs.Refunds = append(cs.Refunds, receiver.RefundChange{After: x})
	})
	collect(p, part, `SELECT `+payoutColumns+` FROM payout`, `consumer, reference`, scanPayout, func(x *receiver.Payout) {
		cs.Payouts = append(cs.Payouts, receiver.PayoutChange{After: x})
	})
	collect(p, part, `SELECT `+memoColumns+` FROM memo`, `id`, scanMemo, func(m *receiver.Memo) {
		cs.Memos = append(cs.Memos, *m)
	})
	collect(p, part, `SELECT `+caseColumns+` FROM suspense_case`, `id`, scanCase, func(c *receiver.Case) {
		cs.Cases = append(cs.Cases, receiver.CaseChange{After: c})
	})
}

func (part slice) ledger(p *pipeline, cs *receiver.ChangeSet) {
	p.query(fmt.Sprintf(dumpTransactions, part.where), part.args, func(rows pgx.Rows) error {
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

const dumpTransactions = `SELECT id, reference, booked_at, account, cents, end_to_end_id, return_id, charge
FROM (SELECT id, reference, booked_at FROM ledger_transaction%s) AS t
JOIN ledger_entry ON transaction_id = id
ORDER BY id, position`

func (part slice) work(p *pipeline, cs *receiver.ChangeSet) {
	collect(p, part, `SELECT `+outboxColumns+` FROM outbox_event`, `id`, scanOutbox, func(o *receiver.OutboxEvent) {
		cs.Outbox = append(cs.Outbox, receiver.OutboxChange{After: o})
	})
	collect(p, part, `SELECT `+findingColumns+` FROM reconcile_finding`, findingOrder, scanFinding, func(f *receiver.Finding) {
		cs.Findings = append(cs.Findings, *f)
	})
	scan := func(rows pgx.Rows) (r receiver.OperatorRecord, err error) {
		return r, rows.Scan(&r.At, &r.Operator, &r.Action, &r.Subject, &r.Note)
	}
	collect(p, part, `SELECT `+recordColumns+` FROM operator_record`, `number`, scan, func(r *receiver.OperatorRecord) {
		cs.Operators = append(cs.Operators, *r)
	})
}
