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

func (tx *Tx) create(n receiver.NewCharge) receiver.CreateOutcome {
	t, ref := &tx.s.charges, refOf(&n.Charge)
	existing := t.find(ref)
	if existing == nil {
		existing = t.findTxID(n.Charge.TxID)
	}
	if existing != nil {
		return receiver.CreateOutcome{Charge: *existing}
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
func (s *Store) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.Charge, error) {
	tx, err := s.begin(ctx, "RecordCalls")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.Charge, len(in))
	for i, call := range in {
		before := s.charges.find(call.Ref)
		if before == nil {
			continue
		}
		if s.cfg.Slim && before.Paid() {
			call.BRCode = ""
		}
		out[i] = before.After(call)
		if out[i] != *before {
			after := out[i]
			tx.putCharge(before, &after)
		}
	}
	return out, tx.commit()
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
