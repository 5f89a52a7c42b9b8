package postgres

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// applyPayout applies an event about a payout. What only waits leaves the event
// claimed, as it was.
func (tx *tx) applyPayout(e *event, a receiver.Application) (receiver.ApplyOutcome, error) {
	c, confirmed := *e.Payout, e.Confirmed
	if a.Payout != nil {
		earlier, err := e.ConfirmPayout(*a.Payout)
		if err != nil {
			return receiver.ApplyOutcome{}, err
		}
		tx.addVariant(e, earlier)
		if c.Status.Final() && !a.Payout.Status.Final() {
			return receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNotFinalYet}, errWaits
		}
		c, confirmed = *a.Payout, true
	}
	d := tx.rules().Payout(receiver.PayoutFacts{
		Content: c, Confirmed: confirmed, Denied: a.Denied, Payout: tx.payout(c.Key), At: a.Now,
	})
	if d.Result == receiver.ApplyConfirm || d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.putPayoutDecision(d, c.EndToEndID, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(e, d.Result, d.Reason, d.Quarantine), nil
}

// repairPayout books what the statement holds of a payout and the ledger does not.
func (tx *tx) repairPayout(e *event, c receiver.PayoutContent, at time.Time) (receiver.ApplyOutcome, error) {
	d := tx.rules().Payout(receiver.PayoutFacts{
		Content: c, Confirmed: true, Settled: true, Payout: tx.payout(c.Key), At: at,
	})
	if err := tx.putPayoutDecision(d, c.EndToEndID, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if d.Result == receiver.ApplyBooked {
		tx.openCase(receiver.CaseNote{ID: receiver.PayoutCase(c.Key), Reason: receiver.ReasonMissedPayout}, c.EndToEndID, at)
	}
	return tx.settle(e, d.Result, d.Reason, d.Quarantine), nil
}

// putPayoutDecision is put for a decision about a payout, whose cases are about
// that endToEndId.
func (tx *tx) putPayoutDecision(d receiver.PayoutDecision, id pix.EndToEndID, at time.Time) error {
	for _, t := range d.Transactions {
		if err := tx.ledger.post(t); err != nil {
			return err
		}
	}
	if d.Payout != nil {
		tx.putPayout(*d.Payout)
	}
	for _, n := range d.Notes {
		tx.openCase(n, id, at)
	}
	for _, o := range d.Outbox {
		tx.told.add(o)
	}
	return nil
}

// lockLinesOfPayouts reads the payouts of lines under locks, and those whose
// endToEndId is not known and that may be what a line is of.
func (tx *tx) lockLinesOfPayouts(p *pipeline, ids []pix.EndToEndID) {
	if len(ids) > 0 {
		p.query(lockPayoutsByID, []any{texts(ids, func(id pix.EndToEndID) pix.EndToEndID { return id })}, tx.readPayout)
		p.query(readUnsent, nil, tx.readPayout)
	}
}

const lockPayoutsByID = `SELECT ` + payoutColumns + ` FROM payout
WHERE end_to_end_id = ANY ($1) AND end_to_end_id <> ''
ORDER BY payout_key -- the lock order
FOR UPDATE`

// readUnsent comes behind: what is answered meanwhile was open then.
const readUnsent = `SELECT ` + payoutColumns + ` FROM payout
WHERE state IN ('reserved', 'processing') AND state = 'reserved'
ORDER BY due_at, requested_at, consumer, reference`

// payoutLine are the facts about a payout's line, or a return's, and what marks it
// as seen.
func (m *matching) payoutLine(l pix.StatementLine) (f receiver.LineFacts, seen func()) {
	x := m.firstPayout(func(x *receiver.Payout) bool { return x.EndToEndID == l.EndToEndID })
	unsent := x == nil && m.firstPayout(func(x *receiver.Payout) bool { return x.Unsent(pix.Amount(l.Cents)) }) != nil
	return receiver.PayoutLine(l, x, m.flying[flight{aboutPayout, l.EndToEndID}] || unsent), func() {
		if after, news := x.Seen(l); news {
			m.putPayout(after)
		}
	}
}
