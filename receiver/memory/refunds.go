package memory

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ReserveRefunds stores intentions to refund and takes their money aside. A
// known reference answers with the refund there is, whatever else is asked.
func (s *Store) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	tx, err := s.begin(ctx, "ReserveRefunds")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.ReserveOutcome, len(in))
	for i := range in {
		out[i] = tx.reserve(in[i])
	}
	return out, tx.commit()
}

// reserve stores one intention, as far as its key lets it.
func (tx *Tx) reserve(n receiver.NewRefund) receiver.ReserveOutcome {
	if n.Key == nil {
		return tx.reserveRefund(n)
	}
	known, row := tx.s.refunds.find(refundRefOf(&n.Refund)), tx.s.keys.find(n.Key.Ref)
	key, next, work := n.Key.Begin(row, known != nil && !known.State.Final(), n.At)
	if !work {
		out := receiver.ReserveOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Refund = cloneRefund(known)
		}
		return out
	}
	n.Refund.Reference = shared(n.Refund.Reference, n.Key.Ref.Key)
	out := tx.reserveRefund(n)
	out.Key = key
	out, after := n.Conclude(out, next)
	if after != nil {
		tx.putKey(row, after)
	}
	return out
}

func (tx *Tx) reserveRefund(n receiver.NewRefund) receiver.ReserveOutcome {
	if known := tx.s.refunds.find(refundRefOf(&n.Refund)); known != nil {
		return receiver.ReserveOutcome{Result: receiver.ReserveKnown, Refund: cloneRefund(known)}
	}
	p := tx.s.payments.find(n.Refund.EndToEndID)
	result, reason, d := tx.Rules().Reserve(p, n.Refund, tx.s.free(), n.At)
	if result != receiver.ReserveDone {
		return receiver.ReserveOutcome{Result: result, Reason: reason}
	}
	if err := tx.item(func() error { return tx.writeRefund(d, n.Refund.EndToEndID, n.At) }); err != nil {
		return receiver.ReserveOutcome{Result: receiver.ReserveRefused, Reason: err.Error()}
	}
	return receiver.ReserveOutcome{Result: result, Refund: cloneRefund(d.Refund)}
}

// free is what the account has to spend: what has settled, less what is blocked,
// what is not confirmed, and what refunds and payouts hold, which stands as a credit.
func (s *Store) free() pix.Amount {
	booked := s.ledger.balances[receiver.AccountSettlement] + s.ledger.balances[receiver.AccountInProcess] +
		s.ledger.balances[receiver.AccountInTransit]
	return booked - s.memos.blocked - s.payments.unspendable
}

// FindRefunds reads the merchant's refunds by reference.
func (s *Store) FindRefunds(ctx context.Context, in []receiver.RefundRef) ([]*receiver.Refund, error) {
	tx, err := s.begin(ctx, "FindRefunds")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]*receiver.Refund, len(in))
	for i, ref := range in {
		if x, ok := tx.Refund(ref); ok {
			out[i] = &x
		}
	}
	return out, nil
}

// LeaseRefunds takes open refunds of the merchant's in the order (due,
// requested, consumer, reference).
func (s *Store) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	tx, err := s.begin(ctx, "LeaseRefunds")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	taken := s.refunds.due.take(in.Limit, func(x *receiver.Refund) bool { return !x.DueAt.After(in.Now) })
	out := make([]receiver.Refund, len(taken))
	for i, before := range taken {
		x := before.Leased(in)
		tx.putRefund(before, &x)
		out[i] = cloneRefund(&x)
	}
	return out, tx.commit()
}
