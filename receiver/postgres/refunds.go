package postgres

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ReserveRefunds stores intentions to refund and takes their money aside. A
// known reference answers with the refund there is, whatever else is asked.
func (s *Store) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.ReserveOutcome, len(in))
	err := s.run(ctx, "reserve refunds", func(ctx context.Context, tx *tx) error {
		refs := column(in, func(n receiver.NewRefund) receiver.RefundRef { return intentionOf(&n.Refund) })
		p := tx.begin()
		tx.lockRequestKeys(p, claimed(in, func(n receiver.NewRefund) *receiver.KeyRef { return claimOf(n.Key) }))
		tx.readRefunds(p, refs)
		tx.lockPix(p, column(in, func(n receiver.NewRefund) pix.EndToEndID { return n.Refund.EndToEndID }))
		tx.lockBalance(p)
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, n := range in {
			out[i] = tx.reserve(ctx, n)
		}
		return nil
	})
	return out, err
}

func intentionOf(x *receiver.Refund) receiver.RefundRef {
	return receiver.RefundRef{Consumer: x.Consumer, Reference: x.Reference}
}

// readRefunds reads the merchant's refunds by reference, without a lock.
func (tx *tx) readRefunds(p *pipeline, refs []receiver.RefundRef) {
	tx.refunds.missing(column(refs, intended))
	p.query(readRefunds, refundRefArrays(refs), tx.readRefund)
}

const readRefunds = `SELECT ` + refundColumns + ` FROM refund
WHERE (consumer, reference) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND origin = 'merchant'`

func refundRefArrays(refs []receiver.RefundRef) []any {
	return []any{
		texts(refs, func(r receiver.RefundRef) string { return r.Consumer }),
		texts(refs, func(r receiver.RefundRef) string { return r.Reference }),
	}
}

// reserve stores one intention, as far as its key lets it.
func (tx *tx) reserve(ctx context.Context, n receiver.NewRefund) receiver.ReserveOutcome {
	if n.Key == nil {
		return tx.reserveRefund(ctx, n)
	}
	known := tx.refund(intentionOf(&n.Refund))
	key, next, work := n.Key.Begin(tx.key(n.Key.Ref), known != nil && !known.State.Final(), n.At)
	if !work {
		out := receiver.ReserveOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Refund = *known
		}
		return out
	}
	out := tx.reserveRefund(ctx, n)
	out.Key = key
	out, after := n.Conclude(out, next)
	if after != nil {
		tx.putKey(*after)
	}
	return out
}

func (tx *tx) reserveRefund(ctx context.Context, n receiver.NewRefund) receiver.ReserveOutcome {
	if known := tx.refund(intentionOf(&n.Refund)); known != nil {
		return receiver.ReserveOutcome{Result: receiver.ReserveKnown, Refund: *known}
	}
	p := tx.payment(n.Refund.EndToEndID)
	free := tx.balance.plus(tx.moved()).free() - tx.unspendable
	result, reason, d := tx.rules().Reserve(p, n.Refund, free, n.At)
	if result != receiver.ReserveDone {
		return receiver.ReserveOutcome{Result: result, Reason: reason}
	}
	if err := tx.item(ctx, func() error { return tx.putRefundDecision(d, n.Refund.EndToEndID, n.At) }); err != nil {
		return receiver.ReserveOutcome{Result: receiver.ReserveRefused, Reason: err.Error()}
	}
	return receiver.ReserveOutcome{Result: result, Refund: *d.Refund}
}

// FindRefunds reads the merchant's refunds by reference.
func (s *Store) FindRefunds(ctx context.Context, in []receiver.RefundRef) ([]*receiver.Refund, error) {
	rows, err := all(ctx, s, "find refunds", reads, readRefunds, refundRefArrays(in), scanRefund)
	if err != nil {
		return nil, err
	}
	found := map[receiver.RefundRef]*receiver.Refund{}
	for i := range rows {
		found[intentionOf(&rows[i])] = &rows[i]
	}
	return column(in, func(ref receiver.RefundRef) *receiver.Refund { return found[ref] }), nil
}

// LeaseRefunds takes open refunds of the merchant's in the order (due,
// requested, consumer, reference).
func (s *Store) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	args := []any{in.Now, in.Limit, in.Now.Add(in.For)}
	taken, err := all(ctx, s, "lease refunds", writes, leaseRefunds, args, func(rows pgx.Rows) (l leased[receiver.Refund], err error) {
		l.row, err = scanRefund(behind(rows, &l.due))
		return l, err
	})
	return inOrder(taken, func(a, b *receiver.Refund) int {
		return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}), err
}

// leaseRefunds passes over what another transaction holds. It does what
// receiver.Refund.Leased does.
const leaseRefunds = `WITH due AS (
    SELECT number AS due_number, due_at AS was_due FROM refund
    WHERE origin = 'merchant' AND state IN ('reserved', 'processing') AND due_at <= $1
    ORDER BY due_at, requested_at, consumer, reference
    LIMIT $2
    FOR UPDATE SKIP LOCKED -- each refund goes to one
)
UPDATE refund
SET due_at = $3, version = version + 1, attempts = attempts + 1,
    first_call_at = CASE WHEN clash THEN first_call_at ELSE coalesce(first_call_at, $1) END,
    prior_call_at = CASE WHEN clash THEN prior_call_at ELSE last_call_at END,
    last_call_at = CASE WHEN clash THEN last_call_at ELSE $1 END
FROM due
WHERE number = due_number
RETURNING ` + refundColumns + `, was_due`
