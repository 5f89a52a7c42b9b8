package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Tx is one transaction: rows are read as it left them itself, and what it put
// is undone unless it commits. Rows handed out and taken in are copies.
//
// It keeps the table's own rules (unique keys, the ledger's) and no other: what
// the receiver may do with money is the caller's affair.
type Tx struct {
	s    *Store
	name string
	now  time.Time // the store's clock at the start
	open bool
	base mark
}

// mark is how far each journal and each list that only grows had come.
type mark struct {
	events, keys, charges           int
	payments, refunds, payouts      int
	memos, cases, outbox            int
	variants, transactions, records int
	findings                        int
}

// begin starts the transaction of a command. The caller must call end.
func (s *Store) begin(ctx context.Context, name string) (*Tx, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := s.cfg.Now()
	s.mu.Lock()
	s.tx.name, s.tx.now, s.tx.open = name, now, true
	s.tx.base = s.tx.mark()
	return &s.tx, nil
}

// end undoes the transaction unless it was committed, and lets go of the store.
func (tx *Tx) end() {
	if tx.open {
		tx.undo(tx.base)
		tx.open = false
	}
	tx.s.mu.Unlock()
}

// commit makes what was put stand and tells the observer. It never fails; the
// error is there for return statements.
func (tx *Tx) commit() error {
	s := tx.s
	if s.cfg.Observe != nil && tx.mark() != tx.base {
		s.cfg.Observe(tx.changeSet())
	}
	if s.cfg.Slim {
		s.ledger.slim()
		s.slimOutbox()
	}
	s.events.log.reset()
	s.keys.log.reset()
	s.charges.log.reset()
	s.payments.log.reset()
	s.refunds.log.reset()
	s.payouts.log.reset()
	s.memos.log.reset()
	s.cases.log.reset()
	s.outbox.log.reset()
	tx.open = false
	return nil
}

// changeSet fills the store's one change set from the journals.
func (tx *Tx) changeSet() *receiver.ChangeSet {
	s, cs := tx.s, &tx.s.changes
	s.events.log.fold()
	s.keys.log.fold()
	s.charges.log.fold()
	s.payments.log.fold()
	s.refunds.log.fold()
	s.payouts.log.fold()
	s.memos.log.fold()
	s.cases.log.fold()
	s.outbox.log.fold()
	cs.Command = tx.name
	cs.Events, cs.Keys = cs.Events[:0], cs.Keys[:0]
	cs.Charges, cs.Payments = cs.Charges[:0], cs.Payments[:0]
	cs.Refunds, cs.Payouts, cs.Memos = cs.Refunds[:0], cs.Payouts[:0], cs.Memos[:0]
	cs.Cases, cs.Outbox = cs.Cases[:0], cs.Outbox[:0]
	for _, c := range s.events.log {
		cs.Events = append(cs.Events, receiver.EventChange(c))
	}
	for _, c := range s.keys.log {
		cs.Keys = append(cs.Keys, receiver.KeyChange(c))
	}
	for _, c := range s.charges.log {
		cs.Charges = append(cs.Charges, receiver.ChargeChange(c))
	}
	for _, c := range s.payments.log {
		cs.Payments = append(cs.Payments, receiver.PaymentChange(c))
	}
	for _, c := range s.refunds.log {
		cs.Refunds = append(cs.Refunds, receiver.RefundChange(c))
	}
	for _, c := range s.payouts.log {
		cs.Payouts = append(cs.Payouts, receiver.PayoutChange(c))
	}
	for _, c := range s.memos.log {
		cs.Memos = append(cs.Memos, *c.After)
	}
	for _, c := range s.cases.log {
		cs.Cases = append(cs.Cases, receiver.CaseChange(c))
	}
	for _, c := range s.outbox.log {
		cs.Outbox = append(cs.Outbox, receiver.OutboxChange(c))
	}
	cs.Variants = slices.Clip(s.variants.rows[tx.base.variants:])
	cs.Transactions = slices.Clip(s.ledger.rows[tx.base.transactions:])
	cs.Findings = slices.Clip(s.findings.rows[tx.base.findings:])
	cs.Operators = slices.Clip(s.records[tx.base.records:])
	return cs
}

func (tx *Tx) mark() mark {
	s := tx.s
	return mark{
		events: len(s.events.log), keys: len(s.keys.log), charges: len(s.charges.log), payments: len(s.payments.log),
		refunds: len(s.refunds.log), payouts: len(s.payouts.log), memos: len(s.memos.log), cases: len(s.cases.log), outbox: len(s.outbox.log),
		variants: len(s.variants.rows), transactions: len(s.ledger.rows), records: len(s.records),
		findings: len(s.findings.rows),
	}
}

// undo takes back everything put since m.
func (tx *Tx) undo(m mark) {
	s := tx.s
	s.outbox.log.undo(m.outbox, s.swapOutbox)
	s.cases.log.undo(m.cases, s.swapCase)
	s.memos.log.undo(m.memos, s.swapMemo)
	s.payouts.log.undo(m.payouts, s.swapPayout)
	s.refunds.log.undo(m.refunds, s.swapRefund)
	s.payments.log.undo(m.payments, s.swapPayment)
	s.charges.log.undo(m.charges, s.swapCharge)
	s.keys.log.undo(m.keys, s.swapKey)
	s.events.log.undo(m.events, s.swapEvent)
	s.ledger.cut(m.transactions, &s.payments)
	s.variants.cut(m.variants)
	s.findings.cut(m.findings)
	clear(s.records[m.records:])
	s.records = s.records[:m.records]
}

// item runs fn as one item of a batch: what it put is undone if it is refused.
func (tx *Tx) item(fn func() error) error {
	m := tx.mark()
	err := fn()
	if err != nil {
		tx.undo(m)
	}
	return err
}

// Now is the store's clock as it stood when the transaction began.
func (tx *Tx) Now() time.Time { return tx.now }

// Rules are the store's rules.
func (tx *Tx) Rules() receiver.Rules { return tx.s.cfg.Rules }

// Event reads an event by its id.
func (tx *Tx) Event(id int64) (receiver.Event, bool) {
	if e := tx.s.events.byID(id); e != nil {
		return cloneEvent(e), true
	}
	return receiver.Event{}, false
}

// EventByKey reads the event of a source and key.
func (tx *Tx) EventByKey(source, key string) (receiver.Event, bool) {
	if e := tx.s.events.find(source, key); e != nil {
		return cloneEvent(e), true
	}
	return receiver.Event{}, false
}

// PutEvent stores an event: a new one where the id is zero, otherwise in the
// place of the one that has the id, whose source and key it must keep. It
// returns the id.
func (tx *Tx) PutEvent(e receiver.Event) (int64, error) {
	before := tx.s.events.byID(e.ID)
	row := cloneEvent(&e)
	switch {
	case before == nil && e.ID != 0:
		return 0, fmt.Errorf("put event %d: there is none", e.ID)
	case before == nil && tx.s.events.find(e.Source, e.Key) != nil:
		return 0, fmt.Errorf("put event: %s %s is there already", e.Source, e.Key)
	case before == nil:
		row.ID = tx.s.events.nextID()
	case before.Source != e.Source || before.Key != e.Key:
		return 0, fmt.Errorf("put event %d: its key is %s %s", e.ID, before.Source, before.Key)
	}
	tx.putEvent(before, &row)
	return row.ID, nil
}

// AddVariant keeps other content of an event.
func (tx *Tx) AddVariant(v receiver.Variant) { tx.s.variants.add(v) }

// Variants reads the other contents of an event, oldest first.
func (tx *Tx) Variants(eventID int64) []receiver.Variant {
	return tx.s.variants.of(eventID)
}

// Charge reads a charge by its reference.
func (tx *Tx) Charge(ref receiver.ChargeRef) (receiver.Charge, bool) {
	if c := tx.s.charges.find(ref); c != nil {
		return *c, true
	}
	return receiver.Charge{}, false
}

// ChargeByTxID reads the charge with exactly that txid.
func (tx *Tx) ChargeByTxID(id pix.TxID) (receiver.Charge, bool) {
	if c := tx.s.charges.findTxID(id); c != nil {
		return *c, true
	}
	return receiver.Charge{}, false
}

// PutCharge stores a charge in the place of the one with its consumer and
// reference, if any. A txid that another charge has is refused.
func (tx *Tx) PutCharge(c receiver.Charge) error {
	before := tx.s.charges.find(receiver.ChargeRef{Consumer: c.Consumer, Reference: c.Reference})
	if other := tx.s.charges.findTxID(c.TxID); other != nil && other != before {
		return fmt.Errorf("put charge %s: txid %s is that of charge %s", c.Reference, c.TxID, other.Reference)
	}
	tx.putCharge(before, &c)
	return nil
}

// Payment reads a booked Pix.
func (tx *Tx) Payment(id pix.EndToEndID) (receiver.Payment, bool) {
	if p := tx.s.payments.find(id); p != nil {
		return *p, true
	}
	return receiver.Payment{}, false
}

// PutPayment stores a payment in the place of the one with its id, if any. It
// moves no money: that is Post's.
func (tx *Tx) PutPayment(p receiver.Payment) {
	tx.putPayment(tx.s.payments.find(p.EndToEndID), &p)
}

// Post adds a transaction to the ledger and gives it its id. It refuses one
// that does not balance, and a reference used before.
func (tx *Tx) Post(t receiver.Transaction) error {
	return tx.s.ledger.post(cloneTransaction(t), &tx.s.payments)
}

// Case reads a case.
func (tx *Tx) Case(id string) (receiver.Case, bool) {
	if c := tx.s.cases.rows[id]; c != nil {
		return cloneCase(c), true
	}
	return receiver.Case{}, false
}

// OpenCase opens the case about a Pix or adds the note's reason and money to
// the one there is. A closed case opens again when it gets money.
func (tx *Tx) OpenCase(n receiver.CaseNote, id pix.EndToEndID, at time.Time) {
	tx.openCase(n, id, at)
}

// CloseCase closes an open case; what it holds in suspense is the caller's to
// move.
func (tx *Tx) CloseCase(id, note string, at time.Time) { tx.closeCase(id, note, at) }

// Outbox reads an outbox event.
func (tx *Tx) Outbox(id int64) (receiver.OutboxEvent, bool) {
	if o := tx.s.outbox.byID(id); o != nil {
		return *o, true
	}
	return receiver.OutboxEvent{}, false
}

// AddOutbox stores a new outbox event, for each endpoint unless it names one,
// and returns the first id that it gave. The number within the payment is the
// caller's, see Payment.Events.
func (tx *Tx) AddOutbox(o receiver.OutboxEvent) int64 { return tx.tell(o) }

// PutOutbox stores an outbox event in the place of the one with its id.
func (tx *Tx) PutOutbox(o receiver.OutboxEvent) error {
	before := tx.s.outbox.byID(o.ID)
	if before == nil || before.Line() != o.Line() || before.Endpoint != o.Endpoint {
		return fmt.Errorf("put outbox event %d: there is none of %s", o.ID, o.Line())
	}
	tx.putOutbox(before, &o)
	return nil
}

// Record adds a line to the operators' book.
func (tx *Tx) Record(r receiver.OperatorRecord) { tx.s.records = append(tx.s.records, r) }
