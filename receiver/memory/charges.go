package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// CreateCharges stores intentions. A known reference, or a txid that another
// charge has, answers with the charge there is. Under a new txid, payments
// booked as unidentified are attached in the order (paid, id), and events that
// wait in quarantine wake.
func (s *Store) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	tx, err := s.begin(ctx, "CreateCharges")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.CreateOutcome, len(in))
	for i, n := range in {
		out[i] = tx.create(n)
	}
	return out, tx.commit()
}

// create stores one intention, as far as its key lets it.
func (tx *Tx) create(n receiver.NewCharge) receiver.CreateOutcome {
	if n.Key == nil {
		return tx.createCharge(n)
	}
	known, row := tx.knownCharge(&n.Charge), tx.s.keys.find(n.Key.Ref)
	key, next, work := n.Key.Begin(row, known != nil && known.State == receiver.ChargeIntended, n.At)
	if !work {
		out := receiver.CreateOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Charge = *known
		}
		return out
	}
	n.Charge.Reference = shared(n.Charge.Reference, n.Key.Ref.Key)
	out := tx.createCharge(n)
	out.Key = key
	out, next = n.Conclude(out, next)
	tx.putKey(row, &next)
	return out
}

// knownCharge is the charge that a new one's reference or txid names, nil if
// there is none.
func (tx *Tx) knownCharge(c *receiver.Charge) *receiver.Charge {
	if known := tx.s.charges.find(refOf(c)); known != nil {
		return known
	}
	return tx.s.charges.findTxID(c.TxID)
}

func (tx *Tx) createCharge(n receiver.NewCharge) receiver.CreateOutcome {
	t, ref := &tx.s.charges, refOf(&n.Charge)
	if known := tx.knownCharge(&n.Charge); known != nil {
		return receiver.CreateOutcome{Charge: *known}
	}
	tx.putCharge(nil, &n.Charge)
	if n.Charge.TxID != "" {
		tx.attachWaiting(ref, n.Charge.TxID, n.At)
		for _, id := range slices.Clone(tx.s.events.waiting[n.Charge.TxID]) {
			tx.wake(tx.s.events.byID(id), tx.now)
		}
	}
	return receiver.CreateOutcome{Charge: *t.find(ref), Created: true}
}

// attachWaiting puts the unidentified payments of a txid on its charge. One
// whose case an operator closed is left: its money went elsewhere.
func (tx *Tx) attachWaiting(ref receiver.ChargeRef, id pix.TxID, at time.Time) {
	waiting := slices.Clone(tx.s.payments.unidentified[id])
	slices.SortFunc(waiting, func(a, b *receiver.Payment) int {
		return cmp.Or(a.PaidAt.Compare(b.PaidAt), cmp.Compare(a.EndToEndID, b.EndToEndID))
	})
	for _, p := range waiting {
		if !tx.attachable(p) {
			continue
		}
		// A refusal leaves this payment where it is: in suspense, with its case.
		_ = tx.item(func() error {
			return tx.write(tx.Rules().Attach(*p, *tx.s.charges.find(ref), at), at)
		})
	}
}

// attachable says whether p is money in suspense that a charge may still take.
func (tx *Tx) attachable(p *receiver.Payment) bool {
	return p.Disposition == receiver.DispositionUnidentified &&
		tx.s.cases.isOpen(receiver.UnidentifiedCase(p.EndToEndID))
}

// FindCharges reads charges by reference.
func (s *Store) FindCharges(ctx context.Context, in []receiver.ChargeRef) ([]*receiver.Charge, error) {
	tx, err := s.begin(ctx, "FindCharges")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]*receiver.Charge, len(in))
	for i, ref := range in {
		if c, ok := tx.Charge(ref); ok {
			out[i] = &c
		}
	}
	return out, nil
}

// RecordCalls stores what calls taught. Each call recorded while a charge is
// intended counts as an attempt. An unknown reference answers a zero Charge.
func (s *Store) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	tx, err := s.begin(ctx, "RecordCalls")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.CallOutcome, len(in))
	for i, call := range in {
		if before := s.charges.find(call.Ref); before != nil {
			out[i] = tx.recordCall(*before, call)
		}
	}
	return out, tx.commit()
}

func (tx *Tx) recordCall(before receiver.Charge, call receiver.ChargeCall) receiver.CallOutcome {
	row := tx.keyOf(call.Key)
	if call.Key != nil && !call.Key.Holds(row) {
		return receiver.CallOutcome{Charge: before, Key: call.Key.Lost(row)}
	}
	if tx.s.cfg.Slim && before.Paid() {
		call.BRCode = ""
	}
	after := before.After(call)
	if after != before {
		stored := after
		tx.putCharge(tx.s.charges.find(call.Ref), &stored)
	}
	out, key := call.Conclude(after, row)
	if key != nil {
		tx.putKey(row, key)
	}
	return out
}

// keyOf is the row of a key that a request holds, nil if there is none.
func (tx *Tx) keyOf(hold *receiver.KeyHold) *receiver.Key {
	if hold == nil {
		return nil
	}
	return tx.s.keys.find(hold.Ref)
}

// LeaseCharges takes intended charges in the order (due, consumer, reference).
func (s *Store) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	tx, err := s.begin(ctx, "LeaseCharges")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	taken := s.charges.due.take(in.Limit, func(c *receiver.Charge) bool { return !c.DueAt.After(in.Now) })
	out := make([]receiver.Charge, len(taken))
	for i, before := range taken {
		c := *before
		c.DueAt = in.Now.Add(in.For)
		c.Version++
		out[i] = c
		tx.putCharge(before, &c)
	}
	return out, tx.commit()
}
