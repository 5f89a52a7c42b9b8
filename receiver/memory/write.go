package memory

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// decide asks the rules about one credit. known is the payment as booked, nil
// if it was not.
func (tx *Tx) decide(c receiver.Credit, confirmed bool, known *receiver.Payment, at time.Time) receiver.CreditDecision {
	return tx.decideOn(receiver.CreditFacts{Credit: c, Confirmed: confirmed, Known: known, At: at})
}

// decideOn asks the rules about facts, once the charge is found.
func (tx *Tx) decideOn(f receiver.CreditFacts) receiver.CreditDecision {
	c, known := f.Credit, f.Known
	if c.TxID != "" {
		f.Charge = tx.s.charges.findTxID(c.TxID)
	}
	if known != nil && !tx.attachable(known) {
		// It has its place, or an operator gave its money one.
		f.Charge = nil
	}
	return tx.Rules().Credit(f)
}

// write puts everything a decision says, in one. It is refused as a whole: the
// caller undoes what was put.
func (tx *Tx) write(d receiver.CreditDecision, at time.Time) error {
	if d.Transaction != nil {
		if err := tx.s.ledger.post(*d.Transaction, &tx.s.payments); err != nil {
			return err
		}
	}
	if d.Payment != nil {
		before := tx.s.payments.find(d.Payment.EndToEndID)
		tx.putPayment(before, d.Payment)
		if before == nil {
			tx.wakeRefunds(d.Payment.EndToEndID)
		}
	}
	if d.Charge != nil {
		if tx.s.cfg.Slim && d.Charge.Paid() {
			d.Charge.BRCode = ""
		}
		tx.putCharge(tx.s.charges.find(refOf(d.Charge)), d.Charge)
	}
	if d.Open != nil {
		tx.openCase(*d.Open, d.Payment.EndToEndID, at)
	}
	if d.Close != "" {
		tx.closeCase(d.Close, "", at)
	}
	if d.Outbox != nil {
		tx.tell(*d.Outbox)
	}
	return nil
}

// wakeRefunds brings back the events that waited for a Pix to be booked before
// its refunds.
func (tx *Tx) wakeRefunds(id pix.EndToEndID) {
	if r := tx.s.payments.refundsOf(id); r != nil {
		for _, event := range slices.Clone(r.waiting) {
			tx.wake(tx.s.events.byID(event), tx.now)
		}
	}
}
