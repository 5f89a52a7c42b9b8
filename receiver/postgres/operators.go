package postgres

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// RequeueEvents wakes quarantined events, due at the decision's instant. An
// event that was dropped stays closed. What took effect is recorded.
func (s *Store) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "requeue events", receiver.ActionRequeue, in, func(e *event, d receiver.Decision) bool {
		return e.Requeue(d.Now)
	})
}

// DropEvents closes events that are not processed, for good: quarantined as
// bad, with the note. What took effect is recorded.
func (s *Store) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "drop events", receiver.ActionDrop, in, func(e *event, d receiver.Decision) bool {
		return e.Drop(d.Note)
	})
}

func (s *Store) decideEvents(
	ctx context.Context, command, action string, in []receiver.Decision,
	carryOut func(*event, receiver.Decision) bool,
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
			before := tx.event(d.EventID)
			if before == nil {
				continue
			}
			e := *before
			if !carryOut(&e, d) {
				continue
			}
			tx.putEvent(e)
			out[i] = true
			tx.record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: e.Key, Note: d.Note})
		}
		return nil
	})
	return out, err
}

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
	err := tx.item(ctx, func() error {
		d, err := tx.rules().AttachByHand(p, c, p != nil && tx.attachable(p), a.Now)
		if err != nil {
			return err
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
		At: a.Now, Operator: a.Operator, Action: receiver.ActionAttach, Subject: string(a.EndToEndID), Note: a.Note,
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
