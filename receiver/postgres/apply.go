package postgres

import (
	"context"
	"errors"

	"github.com/pixlab/pixlab/receiver"
)

// errWaits takes back what an item put on its way to an answer that changes
// nothing.
var errWaits = errors.New("it waits")

// ApplyEvents books claimed events. An item that the ledger refuses is taken
// back and answers failed; its event stays claimed.
func (s *Store) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.ApplyOutcome, len(in))
	err := s.run(ctx, "apply events", func(ctx context.Context, tx *tx) error {
		if err := tx.readApplied(ctx, in); err != nil {
			return err
		}
		for i, a := range in {
			before := tx.claimed(a.EventID, a.Version)
			if before == nil {
				out[i] = receiver.ApplyOutcome{Result: receiver.ApplyLost}
				continue
			}
			tx.at = a.Now
			out[i] = tx.applied(ctx, func() (receiver.ApplyOutcome, error) { return tx.apply(before, a) })
		}
		return nil
	})
	return out, err
}

// readApplied reads the events that are still held, and everything about their
// Pix.
func (tx *tx) readApplied(ctx context.Context, in []receiver.Application) error {
	p := tx.begin()
	tx.lockEvents(p, column(in, func(a receiver.Application) int64 { return a.EventID }))
	if err := tx.send(ctx, p); err != nil {
		return err
	}
	var of pixSet
	for _, a := range in {
		e := tx.claimed(a.EventID, a.Version)
		if e == nil {
			continue
		}
		of.add(e.Content())
		if word := (receiver.Content{Credit: a.Confirmed, Refund: a.Refund, Payout: a.Payout}); word != (receiver.Content{}) {
			of.add(word)
			of.events = append(of.events, e.ID)
		}
		of.bookings++
	}
	return tx.readPix(ctx, of)
}

// claimed is the event that whoever holds the version may still work on; nil
// where the lease was lost or the event's work is done.
func (tx *tx) claimed(id, version int64) *event {
	e := tx.event(id)
	if e == nil || e.Version != version || e.State != receiver.EventReceived {
		return nil
	}
	return e
}

// applied is what became of one item, failed if it was refused. Refused or
// waiting, it is taken back.
func (tx *tx) applied(ctx context.Context, fn func() (receiver.ApplyOutcome, error)) (out receiver.ApplyOutcome) {
	err := tx.item(ctx, func() (err error) {
		out, err = fn()
		return err
	})
	if err != nil && !errors.Is(err, errWaits) {
		return receiver.ApplyOutcome{Result: receiver.ApplyFailed, Reason: err.Error()}
	}
	return out
}

func (tx *tx) apply(before *event, a receiver.Application) (receiver.ApplyOutcome, error) {
	e := *before
	switch {
	case e.Refund != nil:
		return tx.applyRefund(&e, a)
	case e.Payout != nil:
		return tx.applyPayout(&e, a)
	case e.Credit == nil:
		return tx.settle(&e, receiver.ApplyAside, receiver.ReasonUnreadable, receiver.QuarantineBad), nil
	}
	if a.Confirmed != nil {
		if err := tx.confirm(&e, *a.Confirmed); err != nil {
			return receiver.ApplyOutcome{}, err
		}
	}
	d := tx.decide(*e.Credit, e.Confirmed, tx.payment(e.Credit.EndToEndID), a.Now)
	if d.Result == receiver.ApplyConfirm {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, nil
	}
	if err := tx.put(d, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(&e, d.Result, d.Reason, d.Quarantine), nil
}

// applyRefund applies an event about a refund. What only waits leaves the event
// claimed, as it was.
func (tx *tx) applyRefund(e *event, a receiver.Application) (receiver.ApplyOutcome, error) {
	c, confirmed := *e.Refund, e.Confirmed
	if a.Refund != nil {
		if err := tx.confirmRefund(e, *a.Refund); err != nil {
			return receiver.ApplyOutcome{}, err
		}
		if c.Status.Final() && !a.Refund.Status.Final() {
			return receiver.ApplyOutcome{Result: receiver.ApplyWait, Reason: receiver.ReasonNotFinalYet}, errWaits
		}
		c, confirmed = *a.Refund, true
	}
	f := tx.refundFacts(c)
	f.Confirmed, f.Denied, f.At = confirmed, a.Denied, a.Now
	d := tx.rules().Refund(f)
	if d.Result == receiver.ApplyConfirm || d.Result == receiver.ApplyWait {
		return receiver.ApplyOutcome{Result: d.Result, Reason: d.Reason}, errWaits
	}
	if err := tx.putRefundDecision(d, c.EndToEndID, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(e, d.Result, d.Reason, d.Quarantine), nil
}

// refundFacts are what is known about a refund that an event tells of.
func (tx *tx) refundFacts(c receiver.RefundContent) receiver.RefundFacts {
	return receiver.RefundFacts{
		Content: c, Payment: tx.payment(c.EndToEndID),
		Same: tx.returned(c.EndToEndID, c.ReturnID), Own: tx.ownRefund(c.EndToEndID, c.ID),
	}
}

// settle ends an event's work: processed, or aside.
func (tx *tx) settle(e *event, result receiver.ApplyResult, reason string, kind receiver.QuarantineKind) receiver.ApplyOutcome {
	out := e.Settle(result, reason, kind)
	tx.putEvent(*e)
	return out
}
