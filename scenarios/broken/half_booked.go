package broken

import (
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// halfBooked keeps its books in the application, on a database that lets
// everything in: what the payer paid too much is nobody's line.
func halfBooked() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "half-booked", Invariant: "I6",
		Doc: "books what was due of a Pix that paid more, and forgets the other line",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			return reference(e, onEvents(e, isCredit, "BookHalf", bookHalf))
		},
	}
}

func bookHalf(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error) {
	c, confirmed := told(ev, a)
	if _, known := tx.Payment(c.EndToEndID); known {
		return "", nil
	}
	f := receiver.CreditFacts{Credit: c, Confirmed: confirmed, At: tx.Now()}
	if charge, ok := tx.ChargeByTxID(c.TxID); ok {
		f.Charge = &charge
	}
	d := tx.Rules().Credit(f)
	if d.Result != receiver.ApplyBooked || d.Payment.Disposition != receiver.DispositionOverpaid {
		return "", nil
	}
	t := *d.Transaction
	t.Entries = t.Entries[:len(t.Entries)-1]
	tx.PostUnchecked(t)
	tx.PutPayment(*d.Payment)
	if d.Charge != nil {
		if err := tx.PutCharge(*d.Charge); err != nil {
			return "", err
		}
	}
	if d.Outbox != nil {
		tx.AddOutbox(*d.Outbox)
	}
	return receiver.ApplyBooked, nil
}
