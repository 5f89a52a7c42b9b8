package memory

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// RequeueEvents wakes quarantined events, due at the decision's instant. An
// event that was dropped stays closed. What took effect is recorded.
func (s *Store) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "RequeueEvents", receiver.ActionRequeue, in, func(e *receiver.Event, d receiver.Decision) bool {
		return e.Requeue(d.Now)
	})
}

// DropEvents closes events that are not processed, for good: quarantined as
// bad, with the note. What took effect is recorded.
func (s *Store) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideEvents(ctx, "DropEvents", receiver.ActionDrop, in, func(e *receiver.Event, d receiver.Decision) bool {
		return e.Drop(d.Note)
	})
}

func (s *Store) decideEvents(
	ctx context.Context, name, action string, in []receiver.Decision,
	carryOut func(*receiver.Event, receiver.Decision) bool,
) ([]bool, error) {
	tx, err := s.begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, d := range in {
		before := s.events.byID(d.EventID)
		if before == nil {
			continue
		}
		e := *before
		if !carryOut(&e, d) {
			continue
		}
		tx.putEvent(before, &e)
		out[i] = true
		tx.Record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: e.Key, Note: d.Note})
	}
	return out, tx.commit()
}

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
	err := tx.item(func() error {
		d, err := tx.Rules().AttachByHand(p, c, p != nil && tx.attachable(p), a.Now)
		if err != nil {
			return err
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
		At: a.Now, Operator: a.Operator, Action: receiver.ActionAttach, Subject: string(a.EndToEndID), Note: a.Note,
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
