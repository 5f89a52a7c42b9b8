package memory

import (
	"context"
	"errors"

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

// applied is what became of one item, failed if it was refused. Refused or
// waiting, it is undone.
func (tx *Tx) applied(fn func() (receiver.ApplyOutcome, error)) (out receiver.ApplyOutcome) {
	err := tx.item(func() (err error) {
		out, err = fn()
		return err
	})
	if err != nil && !errors.Is(err, errWaits) {
		return receiver.ApplyOutcome{Result: receiver.ApplyFailed, Reason: err.Error()}
	}
	return out
}

func (tx *Tx) apply(before *receiver.Event, a receiver.Application) (receiver.ApplyOutcome, error) {
	e := *before
	switch {
	case e.Refund != nil:
		return tx.applyRefund(before, a)
	case e.Payout != nil:
		return tx.applyPayout(before, a)
	case e.Credit == nil:
		return tx.settle(before, &e, receiver.ApplyAside, receiver.ReasonUnreadable, receiver.QuarantineBad), nil
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
	if d.Transaction != nil {
		d.Transaction.Reference = shared(d.Transaction.Reference, e.Key)
	}
	if err := tx.write(d, a.Now); err != nil {
		return receiver.ApplyOutcome{}, err
	}
	return tx.settle(before, &e, d.Result, d.Reason, d.Quarantine), nil
}

// confirm makes e say what the PSP says, and keeps what it said before where
// that is other content.
func (tx *Tx) confirm(e *receiver.Event, c receiver.Credit) error {
	earlier, err := e.Confirm(c)
	tx.addVariant(e, earlier)
	return err
}

// settle ends an event's work: processed, or aside.
func (tx *Tx) settle(
	before, e *receiver.Event, result receiver.ApplyResult, reason string, kind receiver.QuarantineKind,
) receiver.ApplyOutcome {
	out := e.Settle(result, reason, kind)
	tx.putEvent(before, e)
	return out
}
