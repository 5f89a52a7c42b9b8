package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// RecordRefunds stores what calls taught. A call about a refund that is final,
// or about an id given up since, changes nothing. An unknown reference answers
// a zero Refund, and an end that the ledger refuses the refund as it was.
func (s *Store) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	tx, err := s.begin(ctx, "RecordRefunds")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.Refund, len(in))
	for i, call := range in {
		before := s.refunds.find(call.Ref)
		if before == nil {
			continue
		}
		_ = tx.item(func() error { return tx.recordRefund(before, call) }) // refused: it stands as it was
		out[i] = cloneRefund(s.refunds.find(call.Ref))
	}
	return out, tx.commit()
}

func (tx *Tx) recordRefund(before *receiver.Refund, call receiver.RefundCall) error {
	x := *before
	switch {
	case x.State.Final() || call.ID != "" && call.ID != x.ID:
		return nil
	case x.Clash:
		return tx.rekey(before, call)
	}
	stale := call.Version != x.Version // another has leased it since
	if !stale {
		x.DueAt = call.DueAt
	}
	switch {
	case tx.clashes(before, call):
		x.Clash, x.DueAt = true, call.Now
	case call.ReturnID != "" && (x.ReturnID == "" || x.ReturnID == call.ReturnID):
		x.ReturnID = call.ReturnID
		if call.Status.Final() {
			return tx.endRefund(x, call.Status, call)
		}
		x.State = receiver.RefundProcessing
	case call.Refused && x.ReturnID == "" && !stale:
		x.Problem = call.Problem
		return tx.endRefund(x, pix.RefundFailed, call)
	}
	tx.putRefund(before, &x)
	return nil
}

// rekey gives a refund whose id is another's a new one: as if it had never been
// asked for. Nothing else counts for it, as nothing was learnt about itself.
func (tx *Tx) rekey(before *receiver.Refund, call receiver.RefundCall) error {
	if call.NewID == "" {
		return nil
	}
	x := *before
	x.ID, x.Clash, x.DueAt = call.NewID, false, call.Now
	x.Rekeys++
	x.Attempts, x.FirstCallAt = 0, time.Time{}
	tx.putRefund(before, &x)
	return nil
}

// clashes says whether what a call was answered with is another's refund.
func (tx *Tx) clashes(x *receiver.Refund, call receiver.RefundCall) bool {
	if call.Status == receiver.StatusClash {
		return true
	}
	other := tx.s.payments.refundsOf(x.EndToEndID).returned(call.ReturnID)
	return other != nil && other != x
}

// endRefund books the end of x, a merchant's refund.
func (tx *Tx) endRefund(x receiver.Refund, status pix.RefundStatus, call receiver.RefundCall) error {
	p := tx.s.payments.find(x.EndToEndID)
	if p == nil {
		return fmt.Errorf("end refund %s: %s is not booked", x.Intention(), x.EndToEndID)
	}
	return tx.writeRefund(tx.Rules().FinishRefund(*p, x, status, call.Now), x.EndToEndID, call.Now)
}
