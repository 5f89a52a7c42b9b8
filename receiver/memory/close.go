package memory

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// CloseCases closes open cases. What a case holds in suspense goes to receita
// or to credito_a_devolver; no other account can take it.
func (s *Store) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	tx, err := s.begin(ctx, "CloseCases")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, cl := range in {
		c := s.cases.rows[cl.CaseID]
		if c == nil || c.State != receiver.CaseOpen {
			continue
		}
		if tx.item(func() error { return tx.close(c, cl) }) != nil {
			continue
		}
		out[i] = true
		tx.Record(receiver.OperatorRecord{At: cl.Now, Operator: cl.Operator, Action: receiver.ActionClose, Subject: cl.CaseID, Note: cl.Note})
	}
	return out, tx.commit()
}

func (tx *Tx) close(c *receiver.Case, cl receiver.CaseClosing) error {
	tx.closeCase(c.ID, cl.Note, cl.Now)
	p := tx.s.payments.find(c.EndToEndID)
	var charge *receiver.Charge
	if p != nil {
		charge = tx.s.charges.find(receiver.ChargeRef{Consumer: p.Consumer, Reference: p.Charge})
	}
	d, err := tx.Rules().Release(*c, p, charge, cl)
	if err != nil {
		return err
	}
	if d.Transaction != nil {
		d.Transaction.Reference = tx.s.ledger.unused(d.Transaction.Reference)
	}
	return tx.write(d, cl.Now)
}
