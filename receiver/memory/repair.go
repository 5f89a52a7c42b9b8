package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// RepairEvents books what the statement holds and the ledger does not. An
// item's word is the PSP's own, whatever its Confirmed says. A refund whose Pix
// is not booked waits: nothing is stored of it.
func (s *Store) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	tx, err := s.begin(ctx, "RepairEvents")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.ApplyOutcome, len(in))
	for i := range in {
		out[i] = tx.applied(func() (receiver.ApplyOutcome, error) { return tx.repair(&in[i].Item, in[i].Now) })
	}
	return out, tx.commit()
}

func (tx *Tx) repair(item *receiver.InboxItem, at time.Time) (receiver.ApplyOutcome, error) {
	if !item.Readable() {
		return receiver.ApplyOutcome{}, fmt.Errorf("repair %s: %s", item.Key, receiver.ReasonUnreadable)
	}
	before := tx.s.events.find(item.Source, item.Key)
	e, err := tx.repairedEvent(before, item)
	switch {
	case err != nil:
		return receiver.ApplyOutcome{}, err
	case e.Refund != nil:
		return tx.repairRefund(before, e, *item.Refund, at)
	case e.Payout != nil:
		return tx.repairPayout(before, e, *item.Payout, at)
	}
	return tx.repairCredit(before, e, at)
}

func (tx *Tx) repairCredit(before, e *receiver.Event, at time.Time) (receiver.ApplyOutcome, error) {
	known := tx.s.payments.find(e.Credit.EndToEndID)
	d := tx.decideOn(receiver.CreditFacts{Credit: *e.Credit, Confirmed: true, Settled: true, Known: known, At: at})
	if err := tx.write(d, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if known == nil && d.Result == receiver.ApplyBooked {
		id := e.Credit.EndToEndID
		tx.openCase(receiver.CaseNote{ID: receiver.MissedCase(id), Reason: receiver.ReasonMissedCredit}, id, at)
	}
	return tx.settle(before, e, d.Result, d.Reason, d.Quarantine), nil
}

func (tx *Tx) repairRefund(
	before, e *receiver.Event, c receiver.RefundContent, at time.Time,
) (receiver.ApplyOutcome, error) {
	f := tx.refundFacts(c, at)
	f.Confirmed, f.Settled = true, true
	d := tx.Rules().Refund(f)
	if d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.writeRefund(d, c.EndToEndID, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if d.Result == receiver.ApplyBooked {
		id := receiver.RefundCase(c.EndToEndID, c.ID)
		tx.openCase(receiver.CaseNote{ID: id, Reason: receiver.ReasonMissedRefund}, c.EndToEndID, at)
	}
	return tx.settle(before, e, d.Result, d.Reason, d.Quarantine), nil
}

// repairedEvent is the event of a repair, not yet put: the one there is, saying
// what the PSP says, or a new one.
func (tx *Tx) repairedEvent(before *receiver.Event, item *receiver.InboxItem) (*receiver.Event, error) {
	if before == nil {
		e := tx.s.newEvent(item, tx.now)
		e.ID, e.Confirmed = tx.s.events.nextID(), true
		return e, nil
	}
	e := *before
	earlier, err := e.Repair(item)
	tx.addVariant(&e, earlier)
	return &e, err
}
