package broken

import (
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// allToSuspense never looks at the txid. No cent is lost, and no sale is paid.
func allToSuspense() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "all-to-suspense", Invariant: "I16",
		Doc: "books everything as unidentified and lets people sort it out",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			return reference(e, onEvents(e, isCredit, "BookSuspense", suspend))
		},
	}
}

func suspend(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error) {
	c, confirmed := told(ev, a)
	if !confirmed {
		return receiver.ApplyConfirm, nil
	}
	if _, known := tx.Payment(c.EndToEndID); known {
		return receiver.ApplyKnown, nil
	}
	d := tx.Rules().Credit(receiver.CreditFacts{Credit: c, Confirmed: true, At: tx.Now()})
	if d.Result != receiver.ApplyBooked {
		return d.Result, nil
	}
	return receiver.ApplyBooked, write(tx, d)
}
