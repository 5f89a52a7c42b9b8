package memory

import (
	"context"
	"fmt"

	"github.com/pixlab/pixlab/pix"
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
		tx.Record(receiver.OperatorRecord{At: cl.Now, Operator: cl.Operator, Action: actionClose, Subject: cl.CaseID, Note: cl.Note})
	}
	return out, tx.commit()
}

func (tx *Tx) close(c *receiver.Case, cl receiver.CaseClosing) error {
	tx.closeCase(c.ID, cl.Note, cl.Now)
	if c.Amount == 0 {
		return nil
	}
	p := tx.s.payments.find(c.EndToEndID)
	charge := ""
	if p != nil {
		charge = p.Charge
	}
	if err := tx.release(c, cl, charge); err != nil {
		return err
	}
	if p != nil {
		after := *p
		holding(&after.Held, c.Account, -c.Amount)
		holding(&after.Held, cl.To, c.Amount)
		tx.putPayment(p, &after)
	}
	if charge != "" && cl.To == receiver.AccountRevenue {
		tx.settleCharge(p, c.Amount)
	}
	return nil
}

// release posts what a case holds from suspense to the account named. A case
// that got money after it was closed is closed again, under another reference.
func (tx *Tx) release(c *receiver.Case, cl receiver.CaseClosing, charge string) error {
	if cl.To != receiver.AccountRevenue && cl.To != receiver.AccountToReturn {
		return fmt.Errorf("close case %s: money in suspense cannot go to %q", c.ID, cl.To)
	}
	entry := func(a receiver.Account, cents pix.Amount) receiver.Entry {
		return receiver.Entry{Account: a, Cents: cents, EndToEndID: c.EndToEndID, Charge: charge}
	}
	return tx.s.ledger.post(receiver.Transaction{
		Reference: tx.s.ledger.unused(receiver.CaseReference(c.ID)), BookedAt: cl.Now,
		Entries: []receiver.Entry{entry(c.Account, c.Amount), entry(cl.To, -c.Amount)},
	}, &tx.s.payments)
}

// holding adds cents to what a Pix holds on an account that a case deals with.
func holding(h *receiver.Holdings, a receiver.Account, cents pix.Amount) {
	switch a {
	case receiver.AccountRevenue:
		h.Revenue += cents
	case receiver.AccountToReturn:
		h.ToReturn += cents
	case receiver.AccountUnidentified:
		h.Unidentified += cents
	case receiver.AccountDivergence:
		h.Divergent += cents
	}
}

// settleCharge counts what reached receita for the charge of p.
func (tx *Tx) settleCharge(p *receiver.Payment, cents pix.Amount) {
	before := tx.s.charges.find(receiver.ChargeRef{Consumer: p.Consumer, Reference: p.Charge})
	if before == nil {
		return
	}
	after := *before
	after.Settled += cents
	if after.SettledBy == "" && after.Settled >= after.Due {
		after.SettledBy = p.EndToEndID
	}
	tx.putCharge(before, &after)
}
