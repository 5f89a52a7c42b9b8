package memory

import "github.com/pixlab/pixlab/receiver"

// PostUnchecked adds a transaction to the ledger as it stands, balanced or not
// and under any reference: what a database without constraints of its own would
// do. Only receivers that are wrong on purpose have a use for it.
func (tx *Tx) PostUnchecked(t receiver.Transaction) {
	l := &tx.s.ledger
	t = cloneTransaction(t)
	t.ID = int64(len(l.rows)) + 1
	l.rows = append(l.rows, t)
	l.references[t.Reference] = struct{}{}
	l.sum(t, +1, &tx.s.payments)
}
