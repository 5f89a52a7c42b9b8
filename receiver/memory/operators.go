package memory

import (
	"context"
	"errors"
	"strings"

	"github.com/pixlab/pixlab/receiver"
)

// The operators' actions, as their book calls them.
const (
	actionRequeue = "requeue event"
	actionDrop    = "drop event"
	actionAttach  = "attach payment"
	actionClose   = "close case"
)

// RequeueEvents wakes quarantined events, due at the decision's instant. An
// event that was dropped stays closed. What took effect is recorded.
func (s *Store) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "RequeueEvents", actionRequeue, in, func(tx *Tx, e *receiver.Event, d receiver.Decision) bool {
		if e.State != receiver.EventQuarantined || dropped(e) {
			return false
		}
		tx.wake(e, d.Now)
		return true
	})
}

// DropEvents closes events that are not processed, for good: quarantined as
// bad, with the note. What took effect is recorded.
func (s *Store) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "DropEvents", actionDrop, in, func(tx *Tx, before *receiver.Event, d receiver.Decision) bool {
		if before.State == receiver.EventProcessed || dropped(before) {
			return false
		}
		e := *before
		e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineBad
		e.Reason = droppedPrefix + d.Note
		tx.putEvent(before, &e)
		return true
	})
}

func dropped(e *receiver.Event) bool {
	return e.Quarantine == receiver.QuarantineBad && strings.HasPrefix(e.Reason, droppedPrefix)
}

func (s *Store) decideEvents(
	ctx context.Context, name, action string, in []receiver.Decision,
	carryOut func(*Tx, *receiver.Event, receiver.Decision) bool,
) ([]bool, error) {
	tx, err := s.begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, d := range in {
		e := s.events.byID(d.EventID)
		if e == nil || !carryOut(tx, e, d) {
			continue
		}
		out[i] = true
		tx.Record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: e.Key, Note: d.Note})
	}
	return out, tx.commit()
}

// Reasons why an operator's attachment is refused.
const (
	reasonNoPayment    = "no such payment"
	reasonNoCharge     = "no such charge"
	reasonPlaced       = "the payment is not unidentified"
	reasonCaseIsClosed = "the case is closed: its money went elsewhere"
	reasonNothingLeft  = "nothing is left of it: it was refunded"
)

// AttachPayments puts unidentified payments on charges. What took effect is
// recorded.
func (s *Store) AttachPayments(ctx context.Context, in []receiver.Attachment) ([]receiver.AttachOutcome, error) {
	tx, err := s.begin(ctx, "AttachPayments")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.AttachOutcome, len(in))
	for i, a := range in {
		out[i] = tx.attach(a)
	}
	return out, tx.commit()
}

func (tx *Tx) attach(a receiver.Attachment) receiver.AttachOutcome {
	p, c := tx.s.payments.find(a.EndToEndID), tx.s.charges.find(a.Charge)
	switch {
	case p == nil:
		return receiver.AttachOutcome{Reason: reasonNoPayment}
	case c == nil:
		return receiver.AttachOutcome{Reason: reasonNoCharge}
	case p.Disposition != receiver.DispositionUnidentified:
		return receiver.AttachOutcome{Reason: reasonPlaced}
	case !tx.attachable(p):
		return receiver.AttachOutcome{Reason: reasonCaseIsClosed}
	}
	err := tx.item(func() error {
		d := tx.Rules().Attach(*p, *c, a.Now)
		if d.Result != receiver.ApplyBooked {
			return errors.New(reasonNothingLeft)
		}
		if err := tx.write(d, a.Now); err != nil {
			return err
		}
		tx.noteCase(d.Close, a.Note)
		return nil
	})
	if err != nil {
		return receiver.AttachOutcome{Reason: err.Error()}
	}
	tx.Record(receiver.OperatorRecord{
		At: a.Now, Operator: a.Operator, Action: actionAttach, Subject: string(a.EndToEndID), Note: a.Note,
	})
	return receiver.AttachOutcome{Attached: true}
}

// noteCase leaves the operator's word on a case that was closed on it.
func (tx *Tx) noteCase(id, note string) {
	before := tx.s.cases.rows[id]
	if before == nil || note == "" {
		return
	}
	c := *before
	c.Note = note
	tx.putCase(before, &c)
}
