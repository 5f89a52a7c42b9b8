package memory

import (
	"errors"
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
		if err := tx.confirmRefund(&e, *a.Refund); err != nil {
			return receiver.ApplyOutcome{}, err
		}
		if c.Status.Final() && !a.Refund.Status.Final() {
			return receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNotFinalYet}, errWaits
		}
		c, confirmed = *a.Refund, true
	}
	f := tx.refundFacts(c, a.Now)
	f.Confirmed, f.Denied = confirmed, a.Denied
	d := tx.Rules().Refund(f)
	if d.Result == receiver.ApplyConfirm || d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.writeRefund(d, c.EndToEndID, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(before, &e, d.Result, d.Reason, d.Quarantine), nil
}

// confirmRefund is confirm of an event about a refund.
func (tx *Tx) confirmRefund(e *receiver.Event, c receiver.RefundContent) error {
	tx.s.shareRefund(&c)
	earlier, err := e.ConfirmRefund(c)
	tx.addVariant(e, earlier)
	return err
}

// refundFacts are what the tables know about a refund that an event tells of.
func (tx *Tx) refundFacts(c receiver.RefundContent, at time.Time) receiver.RefundFacts {
	refunds := tx.s.payments.refundsOf(c.EndToEndID)
	return receiver.RefundFacts{
		Content: c, Payment: tx.s.payments.find(c.EndToEndID),
		Same: refunds.returned(c.ReturnID), Own: refunds.own(c.ID), At: at,
	}
}

// writeRefund puts everything a decision about a refund says, in one; see write.
func (tx *Tx) writeRefund(d receiver.RefundDecision, id pix.EndToEndID, at time.Time) error {
	if d.Transaction != nil {
		if err := tx.s.ledger.post(*d.Transaction, &tx.s.payments); err != nil {
			return err
		}
	}
	if d.Payment != nil {
		tx.putPayment(tx.s.payments.find(id), d.Payment)
	}
	for _, x := range []*receiver.Refund{d.Refund, d.Clash} {
		if x != nil {
			tx.putRefund(tx.s.refundRow(x), x)
		}
	}
	for _, n := range d.Notes {
		tx.openCase(n, id, at)
	}
	if d.Outbox != nil {
		tx.tell(*d.Outbox)
	}
	return nil
}
