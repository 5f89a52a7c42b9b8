package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

// ReservePayouts stores intentions to pay and takes their money aside. A known
// reference answers with the payout there is, whatever else is asked.
func (s *Store) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	tx, err := s.begin(ctx, "ReservePayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.ReservePayoutOutcome, len(in))
	for i := range in {
		out[i] = tx.reservePayout(in[i])
	}
	return out, tx.commit()
}

// reservePayout stores one intention, as far as its key lets it.
func (tx *Tx) reservePayout(n receiver.NewPayout) receiver.ReservePayoutOutcome {
	if n.Key == nil {
		return tx.takePayout(n)
	}
	known, row := tx.s.payouts.find(payoutRefOf(&n.Payout)), tx.s.keys.find(n.Key.Ref)
	key, next, work := n.Key.Begin(row, known != nil && !known.State.Final(), n.At)
	if !work {
		out := receiver.ReservePayoutOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Payout = clonePayout(known)
		}
		return out
	}
	n.Payout.Reference = shared(n.Payout.Reference, n.Key.Ref.Key)
	out := tx.takePayout(n)
	out.Key = key
	out, after := n.Conclude(out, next)
	tx.putKey(row, &after)
	return out
}

func (tx *Tx) takePayout(n receiver.NewPayout) receiver.ReservePayoutOutcome {
	if known := tx.s.payouts.find(payoutRefOf(&n.Payout)); known != nil {
		return receiver.ReservePayoutOutcome{Result: receiver.ReserveKnown, Payout: clonePayout(known)}
	}
	result, reason, d := tx.Rules().ReservePayout(n.Payout, tx.s.free(), n.At)
	if result != receiver.ReserveDone {
		return receiver.ReservePayoutOutcome{Result: result, Reason: reason}
	}
	if err := tx.item(func() error { return tx.writePayout(d, "", n.At) }); err != nil {
		return receiver.ReservePayoutOutcome{Result: receiver.ReserveRefused, Reason: err.Error()}
	}
	return receiver.ReservePayoutOutcome{Result: result, Payout: clonePayout(d.Payout)}
}

// FindPayouts reads payouts by reference.
func (s *Store) FindPayouts(ctx context.Context, in []receiver.PayoutRef) ([]*receiver.Payout, error) {
	tx, err := s.begin(ctx, "FindPayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]*receiver.Payout, len(in))
	for i, ref := range in {
		if x := s.payouts.find(ref); x != nil {
			c := clonePayout(x)
			out[i] = &c
		}
	}
	return out, nil
}

// ListPayouts lists payouts in the order (consumer, reference).
func (s *Store) ListPayouts(ctx context.Context, q receiver.PayoutQuery) ([]receiver.Payout, error) {
	tx, err := s.begin(ctx, "ListPayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.Payout
	after := receiver.Payout{Consumer: q.After.Consumer, Reference: q.After.Reference}
	for _, x := range s.payouts.ordered() {
		if q.Limit > 0 && len(out) == q.Limit {
			break
		}
		if comparePayouts(x, &after) > 0 && (x.Queued || !q.Queued) && (!x.State.Final() || !q.Open) {
			out = append(out, clonePayout(x))
		}
	}
	return out, nil
}

// ordered are all payouts in the order (consumer, reference).
func (t *payoutTable) ordered() []*receiver.Payout {
	rows := make([]*receiver.Payout, 0, len(t.byRef))
	for at := range maps.Values(t.byRef) {
		rows = append(rows, at.row)
	}
	slices.SortFunc(rows, comparePayouts)
	return rows
}

// LeasePayouts takes open payouts in the order (due, requested, consumer,
// reference).
func (s *Store) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	tx, err := s.begin(ctx, "LeasePayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	taken := s.payouts.due.take(in.Limit, func(x *receiver.Payout) bool { return !x.DueAt.After(in.Now) })
	out := make([]receiver.Payout, len(taken))
	for i, before := range taken {
		x := before.Leased(in)
		tx.putPayout(before, &x)
		out[i] = clonePayout(&x)
	}
	return out, tx.commit()
}

// RecordPayouts stores what calls taught. A call about a payout that is final
// changes nothing. An unknown reference answers a zero Payout, and an end that the
// ledger refuses the payout as it was.
func (s *Store) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	tx, err := s.begin(ctx, "RecordPayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.Payout, len(in))
	for i, call := range in {
		before := s.payouts.find(call.Ref)
		if before == nil {
			continue
		}
		d := tx.Rules().RecordPayout(*before, call)
		_ = tx.item(func() error { return tx.writePayout(d, before.EndToEndID, call.Now) }) // refused: it stands as it was
		out[i] = clonePayout(s.payouts.find(call.Ref))
	}
	return out, tx.commit()
}

// ResolvePayouts carries out operators' words on payouts in the conciliation
// queue. What took effect is recorded.
func (s *Store) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	tx, err := s.begin(ctx, "ResolvePayouts")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, res := range in {
		before := s.payouts.find(res.Ref)
		if before == nil {
			continue
		}
		err := tx.item(func() error {
			d, err := tx.Rules().ResolvePayout(*before, res)
			if err != nil {
				return err
			}
			return tx.writePayout(d, before.EndToEndID, res.Now)
		})
		if out[i] = err == nil; out[i] {
			tx.Record(receiver.OperatorRecord{At: res.Now, Operator: res.Operator, Action: res.Action, Subject: before.Subject(), Note: res.Note})
		}
	}
	return out, tx.commit()
}
