package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// The operators' actions, as their book calls them.
const (
	actionRequeue = "requeue event"
	actionDrop    = "drop event"
	actionAttach  = "attach payment"
	actionClose   = "close case"
)

// droppedPrefix begins the reason of an event that an operator dropped. Such
// an event is closed: nothing but a repair from the statement books it.
const droppedPrefix = "dropped: "

// RequeueEvents wakes quarantined events, due at the decision's instant. An
// event that was dropped stays closed. What took effect is recorded.
func (s *Store) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "requeue events", actionRequeue, in, func(tx *tx, e *event, d receiver.Decision) bool {
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
	return s.decideEvents(ctx, "drop events", actionDrop, in, func(tx *tx, before *event, d receiver.Decision) bool {
		if before.State == receiver.EventProcessed || dropped(before) {
			return false
		}
		e := *before
		e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineBad
		e.Reason = droppedPrefix + d.Note
		tx.putEvent(e)
		return true
	})
}

func dropped(e *event) bool {
	return e.Quarantine == receiver.QuarantineBad && strings.HasPrefix(e.Reason, droppedPrefix)
}

func (s *Store) decideEvents(
	ctx context.Context, command, action string, in []receiver.Decision,
	carryOut func(*tx, *event, receiver.Decision) bool,
) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, command, func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockEvents(p, column(in, func(d receiver.Decision) int64 { return d.EventID }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, d := range in {
			e := tx.event(d.EventID)
			if e == nil || !carryOut(tx, e, d) {
				continue
			}
			out[i] = true
			tx.record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: e.Key, Note: d.Note})
		}
		return nil
	})
	return out, err
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
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.AttachOutcome, len(in))
	err := s.run(ctx, "attach payments", func(ctx context.Context, tx *tx) error {
		p := tx.begin()
		tx.lockCharges(p, column(in, func(a receiver.Attachment) receiver.ChargeRef { return a.Charge }))
		tx.lockPix(p, column(in, func(a receiver.Attachment) pix.EndToEndID { return a.EndToEndID }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, a := range in {
			out[i] = tx.attach(ctx, a)
		}
		return nil
	})
	return out, err
}

func (tx *tx) attach(ctx context.Context, a receiver.Attachment) receiver.AttachOutcome {
	p, c := tx.payment(a.EndToEndID), tx.charge(a.Charge)
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
	err := tx.item(ctx, func() error {
		d := tx.rules().Attach(*p, *c, a.Now)
		if d.Result != receiver.ApplyBooked {
			return errors.New(reasonNothingLeft)
		}
		if err := tx.put(d, a.Now); err != nil {
			return err
		}
		tx.noteCase(d.Close, a.Note)
		return nil
	})
	if err != nil {
		return receiver.AttachOutcome{Reason: err.Error()}
	}
	tx.record(receiver.OperatorRecord{
		At: a.Now, Operator: a.Operator, Action: actionAttach, Subject: string(a.EndToEndID), Note: a.Note,
	})
	return receiver.AttachOutcome{Attached: true}
}

// noteCase leaves the operator's word on a case that was closed on it.
func (tx *tx) noteCase(id, note string) {
	before := tx.cases.rows[id]
	if before == nil || note == "" {
		return
	}
	c := *before
	c.Note = note
	tx.cases.put(id, &c)
}
