package broken

import (
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// suspenseWithoutCase puts money aside and tells nobody: the account is there,
// the list to work through is not.
func suspenseWithoutCase() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "suspense-without-case", Invariant: "I13",
		Doc: "books what it cannot place to suspense and opens no case",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			return reference(e, onEvents(e, isCredit, "BookSilently", bookSilently))
		},
	}
}

func bookSilently(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error) {
	c, confirmed := told(ev, a)
	if _, known := tx.Payment(c.EndToEndID); known {
		return "", nil
	}
	f := receiver.CreditFacts{Credit: c, Confirmed: confirmed, At: tx.Now()}
	if charge, ok := tx.ChargeByTxID(c.TxID); ok {
		f.Charge = &charge
	}
	d := tx.Rules().Credit(f)
	if d.Result != receiver.ApplyBooked || d.Open == nil {
		return "", nil
	}
	d.Open = nil
	return receiver.ApplyBooked, write(tx, d)
}
