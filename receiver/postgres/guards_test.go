package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// connect gives the test a connection beside the store.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(ctx) })
	return c
}

// book takes Pix n of 10.00 for order n into the ledger.
func book(t testing.TB, s *postgres.Store, n int) {
	t.Helper()
	ctx := t.Context()
	_, err := s.CreateCharges(ctx, []receiver.NewCharge{charge(n)})
	must(t, true, err)
	_, err = s.AppendInbox(ctx, []receiver.InboxItem{item(n, n)})
	must(t, true, err)
	events, err := s.ClaimEvents(ctx, lease(9))
	outs, err2 := s.ApplyEvents(ctx, applications(must(t, events, err)))
	for _, out := range must(t, outs, err2) {
		if out.Result != receiver.ApplyBooked {
			t.Fatalf("book Pix %d: got %+v", n, out)
		}
	}
}

// The database refuses, whoever writes.
func TestDatabaseRefuses(t *testing.T) {
	t.Parallel()
	s, url := openAt(t, postgres.Config{Rules: rules(), Now: start})
	book(t, s, 1)
	conn := connect(t, url)
	const header = `WITH h AS (INSERT INTO ledger_transaction (id, reference, booked_at, entries)
    VALUES (nextval('ledger_transaction_id'), 'x', '2026-01-01', 2) RETURNING id)
INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge) `
	for name, c := range map[string]struct{ sql, constraint string }{
		"a transaction that does not balance": {
			header + `SELECT id, n, 'a', n * 100, '', '', '' FROM h, generate_series(1, 2) n`, "ledger_entry_balances",
		},
		"a transaction with fewer entries than it says": {
			header + `SELECT id, 1, 'a', 100, '', '', '' FROM h`, "ledger_entry_balances",
		},
		"a transaction without entries": {
			`INSERT INTO ledger_transaction (id, reference, booked_at, entries) VALUES (999, 'x', '2026-01-01', 2)`,
			"ledger_transaction_complete",
		},
		"entries that come later": {
			`INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge)
SELECT 1, n + 10, 'a', CASE n WHEN 1 THEN 5 ELSE -5 END, '', '', '' FROM generate_series(1, 2) n`, "ledger_entry_balances",
		},
		"a reference used twice": {
			`INSERT INTO ledger_transaction (id, reference, booked_at, entries) SELECT 999, reference, booked_at, 2 FROM ledger_transaction`,
			"ledger_transaction_reference",
		},
		"an entry of zero":              {header + `SELECT id, n, 'a', 0, '', '', '' FROM h, generate_series(1, 2) n`, "ledger_entry_cents"},
		"a changed transaction":         {`UPDATE ledger_transaction SET booked_at = '2020-01-01'`, ""},
		"a changed entry":               {`UPDATE ledger_entry SET cents = cents + 1`, ""},
		"a deleted entry":               {`DELETE FROM ledger_entry`, ""},
		"a deleted transaction":         {`DELETE FROM ledger_transaction`, ""},
		"an emptied ledger":             {`TRUNCATE ledger_entry`, ""},
		"a changed operators' book":     {`TRUNCATE operator_record`, ""},
		"more set aside than is held":   {`UPDATE payment SET refunding_cents = 1500, held_revenue_cents = -500`, "payment_refund_cap"},
		"less than nothing in process":  {`UPDATE payment SET refunding_cents = -1`, "payment_refunds"},
		"a Pix of nothing":              {`UPDATE payment SET amount_cents = 0`, "payment_amount"},
		"an unknown state of an event":  {`UPDATE inbox_event SET state = 'DONE'`, "inbox_event_state"},
		"a quarantine without its kind": {`UPDATE inbox_event SET state = 'QUARANTINED'`, "inbox_event_quarantine"},
		"an event sent and ready":       {`UPDATE outbox_event SET sent = true`, "outbox_event_ready"},
		"an unknown state of a charge":  {`UPDATE charge SET state = 'paid'`, "charge_state"},
	} {
		_, err := conn.Exec(t.Context(), c.sql)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code[:2] != "23" || refused.ConstraintName != c.constraint {
			t.Errorf("%s: got %v, want it refused by %q", name, err, c.constraint)
		}
	}
}

// A reference that somebody used before refuses its item alone.
func TestOneRefusalLeavesItsBatch(t *testing.T) {
	t.Parallel()
	s, url := openAt(t, postgres.Config{Rules: rules(), Now: start})
	ctx := t.Context()
	conn := connect(t, url)
	_, err := conn.Exec(ctx, `WITH h AS (INSERT INTO ledger_transaction (id, reference, booked_at, entries)
    VALUES (nextval('ledger_transaction_id'), $1, '2026-01-01', 2) RETURNING id)
INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge)
SELECT id, n, 'a', CASE n WHEN 1 THEN 5 ELSE -5 END, '', '', '' FROM h, generate_series(1, 2) n`, receiver.CreditReference(e2e(2)))
	must(t, true, err)
	for n := 1; n <= 4; n++ {
		_, err := s.CreateCharges(ctx, []receiver.NewCharge{charge(n)})
		must(t, true, err)
		in := item(n, n)
		if n == 3 { // no charge is due that much, and no Pix is worth it
			in.Credit.Amount = -1000
		}
		_, err = s.AppendInbox(ctx, []receiver.InboxItem{in})
		must(t, true, err)
	}
	events, err := s.ClaimEvents(ctx, lease(9))
	outs, err2 := s.ApplyEvents(ctx, applications(must(t, events, err)))
	must(t, outs, err2)
	for i, want := range []string{"booked", "transaction pix:" + string(e2e(2)) + ": the reference is used", "payment_amount", "booked"} {
		if got := string(outs[i].Result) + " " + outs[i].Reason; !strings.Contains(got, want) {
			t.Errorf("Pix %d: got %q, want %q", i+1, got, want)
		}
	}
	cs, err := s.Dump(ctx)
	must(t, true, err)
	if len(cs.Payments) != 2 || len(cs.Outbox) != 2 || len(cs.Transactions) != 3 {
		t.Errorf("payments %d, outbox %d, transactions %d; want 2, 2, 3", len(cs.Payments), len(cs.Outbox), len(cs.Transactions))
	}
	for i, want := range []receiver.EventState{receiver.EventProcessed, receiver.EventReceived, receiver.EventReceived, receiver.EventProcessed} {
		if got := cs.Events[i].After.State; got != want {
			t.Errorf("event %d: got %s, want %s", i+1, got, want)
		}
	}
	checkBooks(t, conn)
}

// checkBooks compares what is kept in sums with what it is the sum of.
func checkBooks(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	for name, sql := range map[string]string{
		"net of each Pix": `SELECT count(*) FROM payment p WHERE net_cents <>
(SELECT coalesce(sum(cents), 0) FROM ledger_entry e WHERE e.end_to_end_id = p.end_to_end_id AND account = 'psp:pix:liquidar' AND return_id = '')`,
		"settlement": `SELECT (SELECT sum(settlement_cents) FROM account_balance) -
(SELECT coalesce(sum(cents), 0) FROM ledger_entry WHERE account = 'psp:pix:liquidar')`,
		"in process": `SELECT (SELECT sum(in_process_cents) FROM account_balance) -
(SELECT coalesce(sum(cents), 0) FROM ledger_entry WHERE account = 'devolucao:em_processamento')`,
		"in transit": `SELECT (SELECT sum(in_transit_cents) FROM account_balance) -
(SELECT coalesce(sum(cents), 0) FROM ledger_entry WHERE account = 'payout:em_transito')`,
		"payouts": `SELECT (SELECT coalesce(sum(amount_cents), 0) FROM payout WHERE state IN ('reserved', 'processing')) +
(SELECT coalesce(sum(cents), 0) FROM ledger_entry WHERE account = 'payout:em_transito')`,
		"blocked": `SELECT (SELECT sum(blocked_cents) FROM account_balance) -
(SELECT coalesce(sum(amount_cents), 0) FROM memo WHERE NOT released)`,
		"refunding": `SELECT count(*) FROM payment p WHERE refunding_cents <>
(SELECT coalesce(sum(amount_cents), 0) FROM refund r WHERE r.end_to_end_id = p.end_to_end_id AND state IN ('reserved', 'processing'))`,
		"all entries": `SELECT coalesce(sum(cents), 0) FROM ledger_entry`,
		"lines of the outbox": `SELECT count(*) FROM outbox_event o WHERE ready <> (NOT sent AND NOT dead AND NOT EXISTS
(SELECT FROM outbox_event b WHERE b.line = o.line AND b.endpoint = o.endpoint AND b.number < o.number
AND NOT b.sent AND NOT b.skipped))`,
		"numbers of the outbox": `SELECT count(*) FROM payment p WHERE events <>
(SELECT count(*) FROM outbox_event o WHERE o.line = p.end_to_end_id)`,
		"numbers of the outbox, of payouts": `SELECT count(*) FROM payout p WHERE events <>
(SELECT count(*) FROM outbox_event o WHERE o.line = 'payout:' || p.payout_key)`,
		"charges": `SELECT count(*) FROM charge c WHERE settled_cents <>
(SELECT coalesce(-sum(cents), 0) FROM ledger_entry e WHERE e.charge = c.reference AND account = 'merchant:receita')`,
	} {
		var off int64
		if err := conn.QueryRow(t.Context(), sql).Scan(&off); err != nil || off != 0 {
			t.Errorf("%s: off by %d, error %v", name, off, err)
		}
	}
}

// What no column takes is stored all the same.
func TestOddTextsAreStored(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Config{Rules: rules(), Now: start})
	ctx := t.Context()
	x := receiver.RefundContent{EndToEndID: e2e(1), ID: "R1", ReturnID: "D1", Amount: 5, Nature: "a\x00b", Status: pix.RefundStatus("\xff" + strings.Repeat("x", 5000))}
	in := receiver.InboxItem{Source: "psp", Key: x.Key(), Channel: receiver.ChannelCallback, Refund: &x, ReceivedAt: start()}
	for _, want := range []receiver.AppendResult{receiver.AppendNew, receiver.AppendKnown} {
		out, err := s.AppendInbox(ctx, []receiver.InboxItem{in, item(1, 1)})
		if must(t, out, err)[0].Result != want || out[1].Result != want {
			t.Errorf("got %+v, want %s twice", out, want)
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "bare", func(context.Context, string) error { return nil })
	ctx := t.Context()
	if _, err := postgres.Open(ctx, postgres.Config{URL: url}); err == nil || !strings.Contains(err.Error(), "run Migrate") {
		t.Errorf("open without schema: got %v", err)
	}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- postgres.Migrate(ctx, url) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	conn := connect(t, url)
	for name, c := range map[string]struct{ spoil, mend, want string }{
		"a newer schema": {
			`INSERT INTO schema_version VALUES (99, 'later', '')`, `DELETE FROM schema_version WHERE version = 99`, "run a newer program",
		},
		"another text": {
			`UPDATE schema_version SET digest = 'x' || digest WHERE version = 1`,
			`UPDATE schema_version SET digest = substr(digest, 2) WHERE version = 1`, "another text",
		},
	} {
		_, err := conn.Exec(ctx, c.spoil)
		must(t, true, err)
		if err := postgres.Migrate(ctx, url); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("migrate %s: got %v", name, err)
		}
		if _, err := postgres.Open(ctx, postgres.Config{URL: url}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("open %s: got %v", name, err)
		}
		_, err = conn.Exec(ctx, c.mend)
		must(t, true, err)
	}
	reopen(t, url, postgres.Config{})
}
