package postgres

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// decide asks the rules about one credit. known is the payment as booked, nil
// if it was not.
func (tx *tx) decide(c receiver.Credit, confirmed bool, known *receiver.Payment, at time.Time) receiver.CreditDecision {
	return tx.decideOn(receiver.CreditFacts{Credit: c, Confirmed: confirmed, Known: known, At: at})
}

// decideOn asks the rules about facts, once the charge is found.
func (tx *tx) decideOn(f receiver.CreditFacts) receiver.CreditDecision {
	if id := f.Credit.TxID; id != "" && (f.Known == nil || tx.attachable(f.Known)) {
		// Else it has its place, or an operator gave its money one.
		f.Charge = tx.chargeOf(id)
	}
	return tx.rules().Credit(f)
}

// attachable says whether p is money in suspense that a charge may still take.
func (tx *tx) attachable(p *receiver.Payment) bool {
	return p.Disposition == receiver.DispositionUnidentified &&
		tx.isOpen(receiver.UnidentifiedCase(p.EndToEndID), p.EndToEndID)
}

// put puts everything that a decision says, in one. An error refuses it as a
// whole: the caller takes back what was put.
func (tx *tx) put(d receiver.CreditDecision, at time.Time) error {
	if d.Transaction != nil {
		if err := tx.ledger.post(*d.Transaction); err != nil {
			return err
		}
	}
	if d.Payment != nil {
		fresh := tx.payment(d.Payment.EndToEndID) == nil
		tx.putPayment(*d.Payment)
		if fresh {
			tx.wakeRefunds(d.Payment.EndToEndID, at)
		}
	}
	if d.Charge != nil {
		tx.putCharge(*d.Charge)
	}
	if d.Open != nil {
		tx.openCase(*d.Open, d.Payment.EndToEndID, at)
	}
	if d.Close != "" {
		tx.closeCase(d.Close, d.Payment.EndToEndID, "", at)
	}
	if d.Outbox != nil {
		tx.told.add(*d.Outbox)
	}
	return nil
}

// wakeRefunds brings back the events that waited for a Pix to be booked before
// its refunds.
func (tx *tx) wakeRefunds(id pix.EndToEndID, at time.Time) {
	for _, event := range tx.aboutRefunds[id] {
		if e := tx.event(event); e.Waits() {
			tx.wake(e, at)
		}
	}
}

// putRefundDecision is put for a decision about a refund.
func (tx *tx) putRefundDecision(d receiver.RefundDecision, id pix.EndToEndID, at time.Time) error {
	if d.Transaction != nil {
		if err := tx.ledger.post(*d.Transaction); err != nil {
			return err
		}
	}
	if d.Payment != nil {
		tx.putPayment(*d.Payment)
	}
	for _, x := range []*receiver.Refund{d.Refund, d.Clash} {
		if x != nil {
			tx.putRefund(*x)
		}
	}
	for _, n := range d.Notes {
		tx.openCase(n, id, at)
	}
	if d.Outbox != nil {
		tx.told.add(*d.Outbox)
	}
	return nil
}

// wake brings a quarantined event back to work.
func (tx *tx) wake(before *event, at time.Time) {
	e := *before
	e.Wake(at)
	tx.putEvent(e)
}
