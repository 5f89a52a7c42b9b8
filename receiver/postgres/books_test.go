package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// plant is what is wrong with every thousandth Pix, or with its refund: what the
// reconciliation has to find.
type plant struct {
	of    int // the Pix whose number leaves this, divided by a thousand
	name  string
	kind  pix.StatementKind
	class receiver.MatchClass // to be found; empty where nothing is
	// booked and listed say whether the ledger and the statement have the line.
	booked, listed bool
}

// plants are the differences of every class; the rest of the Pix agree.
func plants() []plant {
	const in, out = pix.KindPixIn, pix.KindRefundOut
	return []plant{
		{1, "credit missing in the ledger", in, receiver.MatchMissingInLedger, false, true},
		{2, "credit that never settled", in, receiver.MatchMissingAtPSP, true, false},
		{3, "credit of another amount", in, receiver.MatchDivergent, true, true},
		{4, "second Pix of a charge", in, receiver.MatchDuplicate, true, true},
		{5, "Pix without a charge", in, receiver.MatchNoCharge, true, true},
		{6, "refund missing in the ledger", out, receiver.MatchMissingInLedger, false, true},
		{7, "refund that never settled", out, receiver.MatchMissingAtPSP, true, false},
		{8, "refund of another amount", out, receiver.MatchDivergent, true, true},
		{9, "credit in flight", in, "", false, true},
		{10, "refund that agrees", out, "", true, true},
	}
}

// planted is what is wrong with Pix n, none where it agrees.
func planted(n int) (plant, bool) {
	if of := n % 1000; of < 1 || of > 10 {
		return plant{}, false
	}
	return plants()[n%1000-1], true
}

// What every Pix of the books is, and every refund.
const (
	bookCents   = 1000
	refundCents = 400
	off         = 7 // by which what differs does
)

// bookSpan is how far two Pix are apart.
const bookSpan = 40 * time.Millisecond

func bookedAt(n int) time.Time { return start().Add(time.Duration(n) * bookSpan) }
func bookReturn(n int) pix.ReturnID {
	return pix.ReturnID(fmt.Sprintf("D12345678202603021159%011d", n))
}
func bookRefund(n int) pix.RefundID  { return pix.RefundID(fmt.Sprintf("r%d", n)) }
func numberOf(id pix.EndToEndID) int { n, _ := strconv.Atoi(string(id[len(id)-11:])); return n }
func lineOf(n int) (l pix.StatementLine) {
	return pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: e2e(n), Cents: bookCents, SettledAt: bookedAt(n)}
}

// bookLines are the statement's lines about Pix n.
func bookLines(n int) []pix.StatementLine {
	p, odd := planted(n)
	if odd && p.kind == pix.KindPixIn && !p.listed {
		return nil
	}
	lines := []pix.StatementLine{lineOf(n)}
	if odd && p.kind == pix.KindRefundOut && p.listed {
		l := lineOf(n)
		l.Kind, l.ID, l.Cents = pix.KindRefundOut, string(bookReturn(n)), refundCents
		lines = append(lines, l)
	}
	return lines
}

// books are a PSP's statement of n Pix, made as it is asked for, and a database
// whose ledger differs from it where something is planted.
type books struct {
	size  int
	url   string
	pages atomic.Int64 // of the statement, handed out
}

// fill books everything in the database, in bulk: the reconciliation is what is
// looked at here, not the way to the ledger.
func (b *books) fill(t testing.TB) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	const chunk = 100_000
	for from := 1; from <= b.size; from += chunk {
		for _, sql := range []string{fillPayments, fillLedger, fillRefunds, fillRefundLedger, fillInbox, fillCases} {
			if _, err := conn.Exec(t.Context(), sql, from, min(from+chunk-1, b.size), start()); err != nil {
				t.Fatalf("%.40s: %v", sql, err)
			}
		}
	}
	const next = `SELECT setval('ledger_transaction_id', $1), setval('inbox_event_id', $1)`
	if _, err := conn.Exec(t.Context(), next, 3*b.size); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `VACUUM ANALYZE`); err != nil {
		t.Fatal(err)
	}
}

// fillNumbers are the numbers of a chunk, their ids and what their lines have in
// the ledger. Numbers 1 and 9 of a thousand are not booked.
const fillNumbers = `WITH n AS (
    SELECT i, i % 1000 AS of, 'E12345678202603021159' || lpad(i::text, 11, '0') AS e2e,
        'D12345678202603021159' || lpad(i::text, 11, '0') AS rtr, $3::timestamptz + i * interval '40 milliseconds' AS at,
        CASE WHEN i % 1000 = 3 THEN 1007 ELSE 1000 END AS cents,
        CASE WHEN i % 1000 IN (7, 8, 10) THEN CASE WHEN i % 1000 = 8 THEN 407 ELSE 400 END ELSE 0 END AS back
    FROM generate_series($1::bigint, $2::bigint) AS s (i)
    WHERE i % 1000 NOT IN (1, 9)
) `

const fillPayments = fillNumbers + `INSERT INTO payment (end_to_end_id, txid, pix_key, amount_cents, paid_at, consumer, charge, disposition,
    confirmed, in_statement, booked_at, held_revenue_cents, held_to_return_cents, held_unidentified_cents,
    held_divergent_cents, refunding_cents, refunded_cents, events, net_cents)
SELECT e2e, '', 'shop@ex', cents, at, '', '', CASE of WHEN 4 THEN 'second' WHEN 5 THEN 'unknown' ELSE 'exact' END, false, false, at,
    CASE WHEN of IN (4, 5) THEN 0 ELSE cents - back END, CASE WHEN of = 4 THEN cents ELSE 0 END,
    CASE WHEN of = 5 THEN cents ELSE 0 END, 0, 0, back, CASE WHEN back > 0 THEN 2 ELSE 1 END, cents
FROM n`

const fillLedger = fillNumbers + `, header AS (
    INSERT INTO ledger_transaction (id, reference, booked_at, entries) SELECT i * 2, 'pix:' || e2e, at, 2 FROM n
)
INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge)
SELECT i * 2, 1, 'psp:pix:liquidar', cents, e2e, '', '' FROM n UNION ALL
SELECT i * 2, 2, CASE of WHEN 4 THEN 'merchant:credito_a_devolver' WHEN 5 THEN 'suspense:nao_identificado' ELSE 'merchant:receita' END,
    -cents, e2e, '', '' FROM n`

const fillRefunds = fillNumbers + `INSERT INTO refund (consumer, reference, end_to_end_id, refund_id, rekeys, return_id, amount_cents, nature,
    origin, state, from_to_return_cents, from_unidentified_cents, from_divergent_cents, from_revenue_cents, excess, clash, problem,
    in_statement, requested_at, first_call_at, finished_at, attempts, due_at, version)
SELECT '', '', e2e, 'r' || i, 0, rtr, back, 'ORIGINAL', 'psp', 'returned', 0, 0, 0, back, false, false, '',
    false, at, NULL, at, 0, at, 0
FROM n WHERE back > 0`

const fillRefundLedger = fillNumbers + `, header AS (
    INSERT INTO ledger_transaction (id, reference, booked_at, entries)
    SELECT i * 2 + 1, 'dev:' || e2e || ':r' || i || ':fim', at, 2 FROM n WHERE back > 0
)
INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge)
SELECT i * 2 + 1, 1, 'merchant:devolucoes', back, e2e, '', '' FROM n WHERE back > 0 UNION ALL
SELECT i * 2 + 1, 2, 'psp:pix:liquidar', -back, e2e, rtr, '' FROM n WHERE back > 0`

// fillInbox has what is in flight: received, and leased for long.
const fillInbox = `INSERT INTO inbox_event (id, source, event_key, channel, about, end_to_end_id, txid, pix_key, amount_cents, paid_at,
    refund_id, return_id, nature, refund_status, confirmed, raw, received_at, state, quarantine, reason, attempts, due_at, version, holder)
SELECT i, 'psp', 'pix:' || e2e, 'callback', 'credit', e2e, '', 'shop@ex', 1000, at, '', '', '', '', false, '', at, 'RECEIVED', '', '', 1,
    at + interval '10 years', 1, 'w'
FROM (
    SELECT i, 'E12345678202603021159' || lpad(i::text, 11, '0') AS e2e, $3::timestamptz + i * interval '40 milliseconds' AS at
    FROM generate_series($1::bigint, $2::bigint) AS s (i) WHERE i % 1000 = 9
) AS n`

const fillCases = fillNumbers + `INSERT INTO suspense_case (id, end_to_end_id, account, amount_cents, reasons, state, opened_at, note)
SELECT 'nao_identificado:' || e2e, e2e, 'suspense:nao_identificado', cents, ARRAY['no charge of ours has this txid'], 'open', at, ''
FROM n WHERE of = 5`

// serve is the PSP: its statement, and the Pix and refunds that settled.
func (b *books) serve(t testing.TB) string {
	t.Helper()
	m := http.NewServeMux()
	m.HandleFunc("GET /extrato", b.statement)
	m.HandleFunc("GET /v2/pix/{id}", func(w http.ResponseWriter, req *http.Request) {
		n := numberOf(pix.EndToEndID(req.PathValue("id")))
		if len(bookLines(n)) == 0 {
			http.NotFound(w, req)
			return
		}
		b.answer(w, b.payment(n))
	})
	m.HandleFunc("GET /v2/pix/{id}/devolucao/{refund}", http.NotFound)
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return s.URL
}

func (b *books) payment(n int) pix.Payment {
	p := pix.Payment{EndToEndID: e2e(n), PixKey: ourKey, Amount: bookCents, PaidAt: bookedAt(n)}
	if lines := bookLines(n); len(lines) == 2 {
		p.Refunds = []pix.Refund{{
			ID: bookRefund(n), ReturnID: bookReturn(n), Amount: refundCents, Status: pix.RefundReturned, Nature: pix.NatureOriginal,
			RequestedAt: bookedAt(n), SettledAt: bookedAt(n),
		}}
	}
	return p
}

func (b *books) answer(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(raw)
}

// statement hands out the lines from the Pix on that the cursor names.
func (b *books) statement(w http.ResponseWriter, req *http.Request) {
	b.pages.Add(1)
	q := req.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	from := 1
	if c := q.Get("cursor"); c != "" {
		from, _ = strconv.Atoi(strings.TrimPrefix(c, "n"))
	}
	var page pix.StatementPage
	for n := from; n <= b.size; n++ {
		lines := bookLines(n)
		if len(page.Lines)+len(lines) > limit {
			page.Next = "n" + strconv.Itoa(n)
			break
		}
		page.Lines = append(page.Lines, lines...)
	}
	raw, err := page.MarshalJSON() // json.Marshal would look through it once more
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(raw)
}
