package memory

import (
	"context"

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
	other := tx.s.payments.refundsOf(before.EndToEndID).returned(call.ReturnID)
	if other == before {
		other = nil
	}
	d, err := tx.Rules().RecordRefund(*before, tx.s.payments.find(before.EndToEndID), other, call)
	if err != nil {
		return err
	}
	return tx.writeRefund(d, before.EndToEndID, call.Now)
}
