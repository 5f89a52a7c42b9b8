package postgres

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// line is one line of the account statement: a Pix's credit, or the refund with
// that rtrId.
type line struct {
	e2e      pix.EndToEndID
	returned pix.ReturnID
}

// ledger is what a transaction knows of the ledger and adds to it.
type ledger struct {
	list[receiver.Transaction]
	numbers []int64             // ids taken from the sequence and not used yet
	used    map[string]bool     // references read, and those posted here
	nets    map[line]pix.Amount // on the settlement account
}

func newLedger() ledger {
	return ledger{used: map[string]bool{}, nets: map[line]pix.Amount{}}
}

// post adds a transaction. A reference that was used before this command is
// known only if it was read; otherwise the database refuses it.
func (l *ledger) post(t receiver.Transaction) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if l.used[t.Reference] {
		return referenceUsed(t.Reference)
	}
	l.used[t.Reference] = true
	l.add(t)
	l.sum(t, +1)
	return nil
}

func referenceUsed(reference string) error {
	return fmt.Errorf("transaction %s: the reference is used", reference)
}

// unused is a reference that no transaction has: the one given, or, where that
// is used, the same numbered from 2. They must have been read.
func (l *ledger) unused(reference string) string {
	free := reference
	for n := 2; l.used[free]; n++ {
		free = reference + ":" + strconv.Itoa(n)
	}
	return free
}

// cut takes back every transaction after the first n.
func (l *ledger) cut(n int) {
	for _, t := range l.rows[n:] {
		l.sum(t, -1)
		delete(l.used, t.Reference)
	}
	l.list.cut(n)
}

func (l *ledger) sum(t receiver.Transaction, sign pix.Amount) {
	for _, e := range t.Entries {
		if e.Account == receiver.AccountSettlement && e.EndToEndID != "" {
			l.nets[line{e.EndToEndID, e.ReturnID}] += sign * e.Cents
		}
	}
}

// readReferences reads which references, and further ones made of them, are
// used. It comes behind the locks of whoever else might use them.
func (tx *tx) readReferences(p *pipeline, references []string) {
	args := []any{texts(references, func(r string) string { return r })}
	p.query(readReferences, args, func(rows pgx.Rows) error {
		var r string
		err := rows.Scan(&r)
		tx.ledger.used[r] = true
		return err
	})
}

// ';' is the byte after ':', so that the range holds all numbered ones.
const readReferences = `SELECT t.reference
FROM unnest($1::text[]) AS r (reference)
JOIN ledger_transaction AS t ON t.reference = r.reference
UNION
SELECT t.reference
FROM unnest($1::text[]) AS r (reference)
JOIN ledger_transaction AS t
    ON t.reference >= r.reference COLLATE "C" || ':' AND t.reference < r.reference COLLATE "C" || ';'`

// readRefundNets reads the nets of refunds' lines.
func (tx *tx) readRefundNets(p *pipeline, lines []line) {
	if len(lines) == 0 {
		return
	}
	args := []any{
		texts(lines, func(l line) pix.EndToEndID { return l.e2e }),
		texts(lines, func(l line) pix.ReturnID { return l.returned }),
	}
	p.query(readRefundNets, args, func(rows pgx.Rows) error {
		var l line
		var net pix.Amount
		err := rows.Scan(&l.e2e, &l.returned, &net)
		tx.ledger.nets[l] = net
		return err
	})
}

const readRefundNets = `SELECT e.end_to_end_id, e.return_id, sum(e.cents)::bigint
FROM ledger_entry AS e
WHERE (e.end_to_end_id, e.return_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
    AND e.account = 'psp:pix:liquidar' AND e.return_id <> ''
GROUP BY e.end_to_end_id, e.return_id`

// takeNumbers takes ids for n transactions. Those left over are lost, which
// does no harm.
func (tx *tx) takeNumbers(p *pipeline, n int) {
	if n > 0 {
		p.query(takeNumbers, []any{n}, func(rows pgx.Rows) error {
			var id int64
			err := rows.Scan(&id)
			tx.ledger.numbers = append(tx.ledger.numbers, id)
			return err
		})
	}
}

const takeNumbers = `SELECT nextval('ledger_transaction_id') FROM generate_series(1, $1)`

// number sees to it that there are ids for what is to be written.
func (tx *tx) number(ctx context.Context) error {
	short := len(tx.ledger.rows) - tx.ledger.written - len(tx.ledger.numbers)
	if short <= 0 {
		return nil
	}
	p := tx.begin()
	tx.takeNumbers(p, short)
	return tx.send(ctx, p)
}

// writeLedger writes transactions, whole: the header and the entries of all in
// one statement, as the ledger's triggers want it.
func (tx *tx) writeLedger(p *pipeline) {
	rows := tx.ledger.pending()
	if len(rows) == 0 {
		return
	}
	type entry struct {
		receiver.Entry
		id       int64
		position int16
	}
	ids := tx.ledger.numbers[:len(rows)]
	tx.ledger.numbers = tx.ledger.numbers[len(rows):]
	var entries []entry
	for n, t := range rows {
		for i, e := range t.Entries {
			entries = append(entries, entry{e, ids[n], int16(i + 1)})
		}
	}
	p.exec(
		insertLedger, ids,
		texts(rows, func(t receiver.Transaction) string { return t.Reference }),
		column(rows, func(t receiver.Transaction) time.Time { return t.BookedAt }),
		column(rows, func(t receiver.Transaction) int16 { return int16(len(t.Entries)) }),
		column(entries, func(e entry) int64 { return e.id }),
		column(entries, func(e entry) int16 { return e.position }),
		texts(entries, func(e entry) receiver.Account { return e.Account }),
		cents(entries, func(e entry) pix.Amount { return e.Cents }),
		texts(entries, func(e entry) pix.EndToEndID { return e.EndToEndID }),
		texts(entries, func(e entry) pix.ReturnID { return e.ReturnID }),
		texts(entries, func(e entry) string { return e.Charge }),
	)
}

// insertLedger has no ON CONFLICT: a reference that is used refuses its item.
const insertLedger = `WITH header AS (
    INSERT INTO ledger_transaction (id, reference, booked_at, entries)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::smallint[])
)
INSERT INTO ledger_entry (transaction_id, position, account, cents, end_to_end_id, return_id, charge)
SELECT * FROM unnest($5::bigint[], $6::smallint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[])`

// balance is what the account has, or by how much that changes.
type balance struct{ settlement, inProcess, inTransit, blocked pix.Amount }

// free is what can be spent: what has settled, less what is blocked and what
// refunds and payouts hold, which stands as a credit. What is not confirmed is left out by
// whoever reads it.
func (b balance) free() pix.Amount { return b.settlement + b.inProcess + b.inTransit - b.blocked }

func (b balance) plus(o balance) balance {
	return balance{b.settlement + o.settlement, b.inProcess + o.inProcess, b.inTransit + o.inTransit, b.blocked + o.blocked}
}

// moved is by how much the transaction changes the balance.
func (tx *tx) moved() balance {
	var b balance
	for _, t := range tx.ledger.rows {
		for _, e := range t.Entries {
			switch e.Account {
			case receiver.AccountSettlement:
				b.settlement += e.Cents
			case receiver.AccountInProcess:
				b.inProcess += e.Cents
			case receiver.AccountInTransit:
				b.inTransit += e.Cents
			}
		}
	}
	b.blocked = tx.blocked()
	return b
}

// lockBalance takes the spenders' lock and then reads what the account has.
func (tx *tx) lockBalance(p *pipeline) {
	tx.spends = true
	p.exec(lockSpenders)
	p.query(readBalance, nil, func(rows pgx.Rows) error {
		b := &tx.balance
		return rows.Scan(&b.settlement, &b.inProcess, &b.inTransit, &b.blocked, &tx.unspendable)
	})
}

// One spender at a time; who books does not wait for it.
const lockSpenders = `SELECT FROM account_balance WHERE stripe = 0 FOR UPDATE`

// readBalance takes the sums and what is not confirmed (Payment.Unspendable)
// from one snapshot: a Pix booked meanwhile is in both or in neither.
const readBalance = `SELECT sum(settlement_cents)::bigint, sum(in_process_cents)::bigint, sum(in_transit_cents)::bigint, sum(blocked_cents)::bigint, (
    SELECT coalesce(sum(greatest(0,
        held_revenue_cents + held_to_return_cents + held_unidentified_cents + held_divergent_cents)), 0)::bigint
    FROM payment WHERE NOT confirmed)
FROM account_balance`

// stripes is how many rows of account_balance there are beside the spenders'.
const stripes = 32

// writeBalance adds what the transaction moved, last of all: the row is locked
// for the length of the commit only.
func (tx *tx) writeBalance(p *pipeline) {
	b := tx.moved()
	if b == (balance{}) {
		return
	}
	stripe := 0
	if !tx.spends {
		stripe = 1 + tx.stripe()
	}
	p.exec(addToBalance, stripe, int64(b.settlement), int64(b.inProcess), int64(b.inTransit), int64(b.blocked))
}

const addToBalance = `UPDATE account_balance
SET settlement_cents = settlement_cents + $2, in_process_cents = in_process_cents + $3,
    in_transit_cents = in_transit_cents + $4, blocked_cents = blocked_cents + $5
WHERE stripe = $1`

// stripe spreads bookings over the rows by the first Pix they are about.
func (tx *tx) stripe() int {
	h := fnv.New32a()
	if len(tx.ledger.rows) > 0 {
		h.Write([]byte(tx.ledger.rows[0].Reference))
	}
	return int(h.Sum32() % stripes)
}
