package memory

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ledger holds the transactions. It only grows, but for what a transaction
// takes back before it commits.
type ledger struct {
	rows       []receiver.Transaction
	forgotten  int64 // of the rows before the first, see slim
	references map[string]struct{}
	balances   map[receiver.Account]pix.Amount
}

func newLedger() ledger {
	return ledger{
		references: map[string]struct{}{},
		balances:   map[receiver.Account]pix.Amount{},
	}
}

func (l *ledger) used(reference string) bool {
	_, ok := l.references[reference]
	return ok
}

// post adds t, whose entries the ledger owns from now on.
func (l *ledger) post(t receiver.Transaction, payments *paymentTable) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if l.used(t.Reference) {
		return fmt.Errorf("transaction %s: the reference is used", t.Reference)
	}
	t.ID = l.forgotten + int64(len(l.rows)) + 1
	l.rows = append(l.rows, t)
	l.references[t.Reference] = struct{}{}
	l.sum(t, +1, payments)
	return nil
}

// unused is a reference that no transaction has: the one given, or, where that
// is used, the same numbered from 2.
func (l *ledger) unused(reference string) string {
	free := reference
	for n := 2; l.used(free); n++ {
		free = reference + ":" + strconv.Itoa(n)
	}
	return free
}

// cut takes back everything after the first n transactions.
func (l *ledger) cut(n int, payments *paymentTable) {
	for len(l.rows) > n {
		last := len(l.rows) - 1
		t := l.rows[last]
		l.sum(t, -1, payments)
		delete(l.references, t.Reference)
		l.rows[last] = receiver.Transaction{}
		l.rows = l.rows[:last]
	}
}

// slim forgets all transactions: they stand in the sums, and their references
// stay used.
func (l *ledger) slim() {
	l.forgotten += int64(len(l.rows))
	clear(l.rows)
	l.rows = l.rows[:0]
}

func (l *ledger) sum(t receiver.Transaction, sign pix.Amount, payments *paymentTable) {
	for _, e := range t.Entries {
		l.balances[e.Account] += sign * e.Cents
		if e.Account != receiver.AccountSettlement || e.EndToEndID == "" {
			continue
		}
		if p := payments.of(e.EndToEndID); e.ReturnID == "" {
			p.net += sign * e.Cents
		} else {
			*p.ofRefunds().net(e.ReturnID) += sign * e.Cents
		}
	}
}

func cloneTransaction(t receiver.Transaction) receiver.Transaction {
	t.Entries = slices.Clone(t.Entries)
	return t
}
