package memory

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// applyPayout applies an event about a payout. What only waits leaves the event
// claimed, as it was.
func (tx *Tx) applyPayout(before *receiver.Event, a receiver.Application) (receiver.ApplyOutcome, error) {
	e := *before
	c, confirmed := *e.Payout, e.Confirmed
	if a.Payout != nil {
		earlier, err := e.ConfirmPayout(*a.Payout)
		if err != nil {
			return receiver.ApplyOutcome{}, err
		}
		tx.addVariant(&e, earlier)
		if c.Status.Final() && !a.Payout.Status.Final() {
			return receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNotFinalYet}, errWaits
		}
		c, confirmed = *a.Payout, true
	}
	d := tx.Rules().Payout(receiver.PayoutFacts{
		Content: c, Confirmed: confirmed, Denied: a.Denied, Payout: tx.s.payouts.findKey(c.Key), At: a.Now,
	})
	if d.Result == receiver.ApplyConfirm || d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.writePayout(d, c.EndToEndID, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(before, &e, d.Result, d.Reason, d.Quarantine), nil
}

// repairPayout books what the statement holds of a payout and the ledger does not.
func (tx *Tx) repairPayout(before, e *receiver.Event, c receiver.PayoutContent, at time.Time) (receiver.ApplyOutcome, error) {
	d := tx.Rules().Payout(receiver.PayoutFacts{
		Content: c, Confirmed: true, Settled: true, Payout: tx.s.payouts.findKey(c.Key), At: at,
	})
	if err := tx.writePayout(d, c.EndToEndID, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if d.Result == receiver.ApplyBooked {
		tx.openCase(receiver.CaseNote{ID: receiver.PayoutCase(c.Key), Reason: receiver.ReasonMissedPayout}, c.EndToEndID, at)
	}
	return tx.settle(before, e, d.Result, d.Reason, d.Quarantine), nil
}

// writePayout puts everything a decision about a payout says, in one; see write.
// Its cases are about that endToEndId.
func (tx *Tx) writePayout(d receiver.PayoutDecision, id pix.EndToEndID, at time.Time) error {
	for _, t := range d.Transactions {
		if err := tx.s.ledger.post(t, &tx.s.payments); err != nil {
			return err
		}
	}
	if d.Payout != nil {
		tx.putPayout(tx.s.payouts.find(payoutRefOf(d.Payout)), d.Payout)
	}
	for _, n := range d.Notes {
		tx.openCase(n, id, at)
	}
	for _, o := range d.Outbox {
		tx.tell(o)
	}
	return nil
}

// payoutLine are the facts about a payout's line, or a return's, and what marks it
// as seen.
func (tx *Tx) payoutLine(line pix.StatementLine) (f receiver.LineFacts, seen func()) {
	x, inFlight := tx.s.payouts.findID(line.EndToEndID), false
	if p := tx.s.payments.byID[line.EndToEndID]; p != nil {
		inFlight = p.payoutsInFlight > 0
	}
	inFlight = inFlight || x == nil && tx.s.payouts.unsent(pix.Amount(line.Cents))
	return receiver.PayoutLine(line, x, inFlight), func() {
		if after, news := x.Seen(line); news {
			tx.putPayout(x, &after)
		}
	}
}
