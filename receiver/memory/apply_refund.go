package memory

import (
	"errors"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// errWaits undoes what an item put on its way to an answer that changes nothing.
var errWaits = errors.New("it waits")

// applyRefund applies an event about a refund. What only waits leaves the event
// claimed, as it was.
func (tx *Tx) applyRefund(before *receiver.Event, a receiver.Application) (receiver.ApplyOutcome, error) {
	e := *before
	c, confirmed := *e.Refund, e.Confirmed
	if a.Refund != nil {
		if c.Status.Final() && !a.Refund.Status.Final() {
			return receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNotFinalYet}, nil
		}
		if err := tx.confirmRefund(&e, *a.Refund); err != nil {
			return receiver.ApplyOutcome{}, err
		}
		c, confirmed = *a.Refund, true
	}
	f := tx.refundFacts(c, a.Now)
	f.Confirmed = confirmed
	d := tx.Rules().Refund(f)
	if d.Result == receiver.ApplyConfirm || d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.writeRefund(d, c.EndToEndID, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(before, &e, d.Result, d.Reason, d.Quarantine), nil
}
