package broken

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

func credit(p pix.Payment) receiver.Credit {
	return receiver.Credit{EndToEndID: p.EndToEndID, TxID: p.TxID, PixKey: p.PixKey, Amount: p.Amount, PaidAt: p.PaidAt}
}

// decide is what the rules make of a credit, as if nothing were booked for it.
func decide(tx *memory.Tx, c receiver.Credit, confirmed bool) receiver.CreditDecision {
	f := receiver.CreditFacts{Credit: c, Confirmed: confirmed, At: tx.Now()}
	if charge, ok := tx.ChargeByTxID(c.TxID); ok {
		f.Charge = &charge
	}
	return tx.Rules().Credit(f)
}

// book writes what the rules decide about a credit, under a ledger reference
// of the caller's. It looks for no payment that may be there already.
func book(tx *memory.Tx, c receiver.Credit, confirmed bool, reference string) error {
	d := decide(tx, c, confirmed)
	if d.Result != receiver.ApplyBooked {
		return fmt.Errorf("not booked: %s", d.Result)
	}
	d.Transaction.Reference = reference
	return write(tx, d)
}

// write carries a decision out.
func write(tx *memory.Tx, d receiver.CreditDecision) error {
	if err := tx.Post(*d.Transaction); err != nil {
		return err
	}
	tx.PutPayment(*d.Payment)
	if d.Charge != nil {
		if err := tx.PutCharge(*d.Charge); err != nil {
			return err
		}
	}
	if d.Open != nil {
		tx.OpenCase(*d.Open, d.Payment.EndToEndID, tx.Now())
	}
	if d.Outbox != nil {
		tx.AddOutbox(*d.Outbox)
	}
	return nil
}
