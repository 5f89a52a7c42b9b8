package postgres

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// tx is one transaction: the rows that a command has read, under locks where it
// may change them, and those that it put. Nothing reaches the database before
// [tx.write].
type tx struct {
	s       *Store
	conn    *pgxpool.Conn
	careful bool  // each item is written at once, behind a savepoint
	open    bool  // BEGIN was sent
	broken  error // the attempt is over: nothing else counts

	// at is the instant of what the command does by the way: a case about a
	// variant, an event that wakes.
	at time.Time

	events   table[int64, event]
	byKey    map[eventKey]int64
	reserved map[int64]bool // new events, whose place is held already
	places   []keyed        // the same, in the order of their keys
	unused   []int64        // those of them that were not put after all
	// aboutRefunds are the events read about refunds of a Pix, by id.
	aboutRefunds map[pix.EndToEndID][]int64

	keys     table[receiver.KeyRef, receiver.Key]
	charges  table[receiver.ChargeRef, receiver.Charge]
	byTxID   map[pix.TxID]receiver.ChargeRef
	payments table[pix.EndToEndID, receiver.Payment]
	refunds  table[refundKey, receiver.Refund]
	ofPix    map[pix.EndToEndID][]refundKey // in the order made
	payouts  table[string, receiver.Payout] // by key
	cases    table[string, receiver.Case]
	memos    table[string, receiver.Memo]
	outbox   table[int64, receiver.OutboxEvent]

	// payoutCases are the cases about payouts that were looked for by their ids.
	payoutCases map[string]bool

	variants variants
	ledger   ledger
	told     list[receiver.OutboxEvent]
	records  list[receiver.OperatorRecord]
	findings list[receiver.Finding]

	spends  bool // row 0 of account_balance is held, and ours to add to
	balance balance
	// unspendable is what Pix hold that were not confirmed when balance was read.
	unspendable pix.Amount
}

func newTx(s *Store, conn *pgxpool.Conn, careful bool) *tx {
	return &tx{
		s: s, conn: conn, careful: careful,
		events: newTable[int64, event](), byKey: map[eventKey]int64{}, reserved: map[int64]bool{},
		aboutRefunds: map[pix.EndToEndID][]int64{},
		keys:         newTable[receiver.KeyRef, receiver.Key](),
		charges:      newTable[receiver.ChargeRef, receiver.Charge](), byTxID: map[pix.TxID]receiver.ChargeRef{},
		payments: newTable[pix.EndToEndID, receiver.Payment](),
		refunds:  newTable[refundKey, receiver.Refund](), ofPix: map[pix.EndToEndID][]refundKey{},
		payouts: newTable[string, receiver.Payout](), payoutCases: map[string]bool{},
		cases: newTable[string, receiver.Case](), memos: newTable[string, receiver.Memo](),
		outbox:   newTable[int64, receiver.OutboxEvent](),
		variants: newVariants(), ledger: newLedger(),
	}
}

func (tx *tx) rules() receiver.Rules { return tx.s.cfg.Rules }

// mark is how far each log and list had come.
type mark struct {
	events, keys, charges, payments, refunds, payouts, cases, memos, outbox int
	variants, transactions, told, records, findings                         int
}

func (tx *tx) mark() mark {
	return mark{
		events: len(tx.events.log), keys: len(tx.keys.log), charges: len(tx.charges.log), payments: len(tx.payments.log),
		refunds: len(tx.refunds.log), payouts: len(tx.payouts.log), cases: len(tx.cases.log), memos: len(tx.memos.log), outbox: len(tx.outbox.log),
		variants: len(tx.variants.rows), transactions: len(tx.ledger.rows), told: len(tx.told.rows), records: len(tx.records.rows),
		findings: len(tx.findings.rows),
	}
}

// undo takes back everything put since m.
func (tx *tx) undo(m mark) {
	tx.events.undo(m.events)
	tx.keys.undo(m.keys)
	tx.charges.undo(m.charges)
	tx.payments.undo(m.payments)
	tx.undoRefunds(m.refunds)
	tx.payouts.undo(m.payouts)
	tx.cases.undo(m.cases)
	tx.memos.undo(m.memos)
	tx.outbox.undo(m.outbox)
	tx.variants.cut(m.variants)
	tx.ledger.cut(m.transactions)
	tx.told.cut(m.told)
	tx.records.cut(m.records)
	tx.findings.cut(m.findings)
}

// anyPending says whether something was put.
func (tx *tx) anyPending() bool { return tx.mark() != mark{} }

// write queues everything that the database does not have yet, in the lock
// order.
func (tx *tx) write(p *pipeline) {
	tx.writeKeys(p)
	tx.writeEvents(p)
	tx.writeCharges(p)
	tx.writePayments(p)
	tx.writeRefunds(p)
	tx.writePayouts(p)
	tx.writeCases(p)
	tx.writeMemos(p)
	tx.writeLedger(p)
	tx.writeOutbox(p)
	tx.writeSends(p)
	tx.writeVariants(p)
	tx.writeRecords(p)
	tx.writeFindings(p)
}

// want breaks the transaction where a decision looks for a row that the command
// never asked for: it must not be taken for one that is not there.
func (tx *tx) want(known bool, what string, key any) {
	if !known && tx.broken == nil {
		tx.broken = fmt.Errorf("%s %v was not read", what, key)
	}
}
