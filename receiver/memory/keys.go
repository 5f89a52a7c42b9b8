package memory

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// FindKeys reads keys by name.
func (s *Store) FindKeys(ctx context.Context, in []receiver.KeyRef) ([]*receiver.Key, error) {
	tx, err := s.begin(ctx, "FindKeys")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]*receiver.Key, len(in))
	for i, ref := range in {
		if k, ok := tx.Key(ref); ok {
			out[i] = &k
		}
	}
	return out, nil
}

// ReleaseKeys lets go of keys that their requests still hold.
func (s *Store) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	tx, err := s.begin(ctx, "ReleaseKeys")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, hold := range in {
		row := s.keys.find(hold.Ref)
		if !hold.Holds(row) {
			continue
		}
		after := hold.Release(*row)
		tx.putKey(row, &after)
		out[i] = true
	}
	return out, tx.commit()
}

// PurgeKeys throws away answers in the order (at, consumer, route, key).
func (s *Store) PurgeKeys(ctx context.Context, in receiver.KeyPurge) (int, error) {
	tx, err := s.begin(ctx, "PurgeKeys")
	if err != nil {
		return 0, err
	}
	defer tx.end()
	settled := func(ref *receiver.KeyRef) bool { return !s.unsettled(s.keys.find(*ref)) }
	old := s.keys.kept.page(unseenEntry[*receiver.KeyRef]{id: &receiver.KeyRef{}}, in.Before, in.Limit, settled)
	for _, ref := range old {
		row := s.keys.find(*ref)
		if row.Reference == "" {
			tx.putKey(row, nil)
			continue
		}
		after := row.Purged(in.Now)
		tx.putKey(row, &after)
	}
	return len(old), tx.commit()
}

// unsettled says whether the intention that a key led to has no known end.
func (s *Store) unsettled(k *receiver.Key) bool {
	switch k.Route {
	case receiver.RouteCharges:
		c := s.charges.find(receiver.ChargeRef{Consumer: k.Consumer, Reference: k.Reference})
		return c != nil && c.State == receiver.ChargeIntended
	case receiver.RouteRefunds:
		x := s.refunds.find(receiver.RefundRef{Consumer: k.Consumer, Reference: k.Reference})
		return x != nil && !x.State.Final()
	case receiver.RoutePayouts:
		x := s.payouts.find(receiver.PayoutRef{Consumer: k.Consumer, Reference: k.Reference})
		return x != nil && !x.State.Final()
	}
	return false
}
