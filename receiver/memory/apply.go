package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// ApplyEvents books claimed events. An item that the ledger refuses is undone
// and answers failed; its event stays claimed.
func (s *Store) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	tx, err := s.begin(ctx, "ApplyEvents")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.ApplyOutcome, len(in))
	for i := range in {
		before := s.claimed(in[i].EventID, in[i].Version)
		if before == nil {
			out[i] = receiver.ApplyOutcome{Result: receiver.ApplyLost}
			continue
		}
		out[i] = tx.applied(func() (receiver.ApplyOutcome, error) { return tx.apply(before, in[i]) })
	}
	return out, tx.commit()
}

// applied is what became of one item, failed if it was refused and undone.
func (tx *Tx) applied(fn func() (receiver.ApplyOutcome, error)) (out receiver.ApplyOutcome) {
	err := tx.item(func() (err error) {
		out, err = fn()
		return err
	})
	if err != nil {
		return receiver.ApplyOutcome{Result: receiver.ApplyFailed, Reason: err.Error()}
	}
	return out
}

func (tx *Tx) apply(before *receiver.Event, a receiver.Application) (receiver.ApplyOutcome, error) {
	e := *before
	if e.Credit == nil {
		return tx.settle(before, &e, receiver.CreditDecision{
			Result: receiver.ApplyAside, Reason: receiver.ReasonUnreadable, Quarantine: receiver.QuarantineBad,
		}), nil
	}
	if a.Confirmed != nil {
		if err := tx.confirm(&e, *a.Confirmed); err != nil {
			return receiver.ApplyOutcome{}, err
		}
	}
	d := tx.decide(*e.Credit, e.Confirmed, tx.s.payments.find(e.Credit.EndToEndID), a.Now)
	if d.Result == receiver.ApplyConfirm {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, nil
	}
	if err := tx.write(d, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(before, &e, d), nil
}

// confirm makes e say what the PSP says, and keeps what it said before where
// that is other content.
func (tx *Tx) confirm(e *receiver.Event, c receiver.Credit) error {
	if c.EndToEndID != e.Credit.EndToEndID {
		return fmt.Errorf("confirm event %d: the PSP's word is about %s", e.ID, c.EndToEndID)
	}
	if e.Credit.SameContent(c) {
		learnContent(e, c, true)
		return nil
	}
	earlier := own(e)
	e.Credit, e.Confirmed = &c, true
	tx.addVariant(e, earlier)
	return nil
}

// settle ends an event's work: processed, or aside.
func (tx *Tx) settle(before, e *receiver.Event, d receiver.CreditDecision) receiver.ApplyOutcome {
	e.State, e.Quarantine, e.Reason = receiver.EventProcessed, "", ""
	if d.Result == receiver.ApplyAside {
		e.State, e.Quarantine, e.Reason = receiver.EventQuarantined, d.Quarantine, d.Reason
	}
	tx.putEvent(before, e)
	return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}
}

// RepairCredits books what the statement holds and the ledger does not. An
// item's word is the PSP's own, whatever its Confirmed says.
func (s *Store) RepairCredits(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	tx, err := s.begin(ctx, "RepairCredits")
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
	if !readable(item) {
		return receiver.ApplyOutcome{}, fmt.Errorf("repair %s: %s", item.Key, receiver.ReasonUnreadable)
	}
	before := tx.s.events.find(item.Source, item.Key)
	e, err := tx.repairedEvent(before, item)
	if err != nil {
		return receiver.ApplyOutcome{}, err
	}
	known := tx.s.payments.find(e.Credit.EndToEndID)
	d := tx.decide(*e.Credit, true, known, at)
	if err := tx.write(d, at); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	if known == nil && d.Result == receiver.ApplyBooked {
		id := e.Credit.EndToEndID
		tx.openCase(receiver.CaseNote{ID: receiver.MissedCase(id), Reason: receiver.ReasonMissedCredit}, id, at)
	}
	return tx.settle(before, e, d), nil
}

// repairedEvent is the event of a repair, not yet put: the one there is, saying
// what the PSP says, or a new one.
func (tx *Tx) repairedEvent(before *receiver.Event, item *receiver.InboxItem) (*receiver.Event, error) {
	if before == nil {
		e := newEvent(item, tx.now)
		e.ID, e.Confirmed = tx.s.events.nextID(), true
		return e, nil
	}
	e := *before
	if e.Credit != nil {
		return &e, tx.confirm(&e, *item.Credit)
	}
	c := *item.Credit
	e.Credit, e.Confirmed = &c, true
	return &e, nil
}
