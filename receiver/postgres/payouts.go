package postgres

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// ReservePayouts stores intentions to pay and takes their money aside. A known
// reference answers with the payout there is, whatever else is asked.
func (s *Store) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.ReservePayoutOutcome, len(in))
	err := s.run(ctx, "reserve payouts", func(ctx context.Context, tx *tx) error {
		p := tx.begin()
		refs := column(in, func(n receiver.NewPayout) receiver.PayoutRef { return payoutRefOf(&n.Payout) })
		tx.lockRequestKeys(p, claimed(in, func(n receiver.NewPayout) *receiver.KeyRef { return claimOf(n.Key) }))
		p.query(readPayouts, payoutRefArrays(refs), tx.readPayout)
		tx.lockBalance(p)
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, n := range in {
			out[i] = tx.reservePayout(ctx, n)
		}
		return nil
	})
	return out, err
}

func payoutRefOf(x *receiver.Payout) receiver.PayoutRef {
	return receiver.PayoutRef{Consumer: x.Consumer, Reference: x.Reference}
}

const readPayouts = `SELECT ` + payoutColumns + ` FROM payout
WHERE (consumer, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))`

// reservePayout stores one intention, as far as its key lets it.
func (tx *tx) reservePayout(ctx context.Context, n receiver.NewPayout) receiver.ReservePayoutOutcome {
	if n.Key == nil {
		return tx.takePayout(ctx, n)
	}
	known := tx.payoutOf(payoutRefOf(&n.Payout))
	key, next, work := n.Key.Begin(tx.key(n.Key.Ref), known != nil && !known.State.Final(), n.At)
	if !work {
		out := receiver.ReservePayoutOutcome{Key: key}
		if key.Result == receiver.KeyExpired && known != nil {
			out.Payout = *known
		}
		return out
	}
	out := tx.takePayout(ctx, n)
	out.Key = key
	out, after := n.Conclude(out, next)
	tx.putKey(after)
	return out
}

func (tx *tx) takePayout(ctx context.Context, n receiver.NewPayout) receiver.ReservePayoutOutcome {
	if known := tx.payoutOf(payoutRefOf(&n.Payout)); known != nil {
		return receiver.ReservePayoutOutcome{Result: receiver.ReserveKnown, Payout: *known}
	}
	free := tx.balance.plus(tx.moved()).free() - tx.unspendable
	result, reason, d := tx.rules().ReservePayout(n.Payout, free, n.At)
	if result != receiver.ReserveDone {
		return receiver.ReservePayoutOutcome{Result: result, Reason: reason}
	}
	if err := tx.item(ctx, func() error { return tx.putPayoutDecision(d, "", n.At) }); err != nil {
		return receiver.ReservePayoutOutcome{Result: receiver.ReserveRefused, Reason: err.Error()}
	}
	return receiver.ReservePayoutOutcome{Result: result, Payout: *d.Payout}
}

// FindPayouts reads payouts by reference.
func (s *Store) FindPayouts(ctx context.Context, in []receiver.PayoutRef) ([]*receiver.Payout, error) {
	rows, err := all(ctx, s, "find payouts", reads, readPayouts, payoutRefArrays(in), scanPayout)
	if err != nil {
		return nil, err
	}
	found := map[receiver.PayoutRef]*receiver.Payout{}
	for i := range rows {
		found[payoutRefOf(&rows[i])] = &rows[i]
	}
	return column(in, func(ref receiver.PayoutRef) *receiver.Payout { return found[ref] }), nil
}

// ListPayouts lists payouts in the order (consumer, reference).
func (s *Store) ListPayouts(ctx context.Context, q receiver.PayoutQuery) ([]receiver.Payout, error) {
	var c conditions
	if q.After != (receiver.PayoutRef{}) {
		c.add("consumer >= ?", text(q.After.Consumer))
		c.args = append(c.args, text(q.After.Reference))
		c.words = append(c.words, "(consumer, reference) > ($1, $2)")
	}
	if q.Queued || q.Open {
		c.words = append(c.words, "state IN ('reserved', 'processing')") // as the index has it
	}
	if q.Queued {
		c.words = append(c.words, "queued")
	}
	sql, args := c.query(`SELECT `+payoutColumns+` FROM payout`, `consumer, reference`, q.Limit)
	return all(ctx, s, "list payouts", reads, sql, args, scanPayout)
}

// LeasePayouts takes open payouts in the order (due, requested, consumer,
// reference).
func (s *Store) LeasePayouts(ctx context.Context, in receiver.Lease) ([]receiver.Payout, error) {
	args := []any{in.Now, in.Limit, in.Now.Add(in.For)}
	taken, err := all(ctx, s, "lease payouts", writes, leasePayouts, args, func(rows pgx.Rows) (l leased[receiver.Payout], err error) {
		l.row, err = scanPayout(behind(rows, &l.due))
		return l, err
	})
	return inOrder(taken, func(a, b *receiver.Payout) int {
		return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}), err
}

// leasePayouts passes over what another transaction holds. It does what
// receiver.Payout.Leased does; a request may leave where it is sendable.
const leasePayouts = `WITH due AS (
    SELECT payout_key AS due_key, due_at AS was_due, state = 'reserved' AND NOT queued AS sendable FROM payout
    WHERE state IN ('reserved', 'processing') AND due_at <= $1
    ORDER BY due_at, requested_at, consumer, reference
    LIMIT $2
    FOR UPDATE SKIP LOCKED -- each payout goes to one
)
UPDATE payout
SET due_at = $3, version = version + 1, attempts = attempts + sendable::integer,
    first_call_at = CASE WHEN sendable THEN coalesce(first_call_at, $1) ELSE first_call_at END,
    prior_call_at = CASE WHEN sendable THEN last_call_at ELSE prior_call_at END,
    last_call_at = CASE WHEN sendable THEN $1 ELSE last_call_at END
FROM due
WHERE payout_key = due_key
RETURNING ` + payoutColumns + `, was_due`

// RecordPayouts stores what calls taught. A call about a payout that is final
// changes nothing. An unknown reference answers a zero Payout, and an end that the
// ledger refuses the payout as it was.
func (s *Store) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.Payout, len(in))
	err := s.run(ctx, "record payouts", func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockPayoutRefs(p, column(in, func(c receiver.PayoutCall) receiver.PayoutRef { return c.Ref }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, call := range in {
			before := tx.payoutOf(call.Ref)
			if before == nil {
				continue
			}
			call.Problem = text(call.Problem)
			d := tx.rules().RecordPayout(*before, call)
			_ = tx.item(ctx, func() error { return tx.putPayoutDecision(d, before.EndToEndID, call.Now) }) // refused: it stands as it was
			out[i] = *tx.payout(before.Key)
		}
		return nil
	})
	return out, err
}

// ResolvePayouts carries out operators' words on payouts in the conciliation
// queue. What took effect is recorded.
func (s *Store) ResolvePayouts(ctx context.Context, in []receiver.PayoutResolution) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "resolve payouts", func(ctx context.Context, tx *tx) error {
		clear(out)
		p := tx.begin()
		tx.lockPayoutRefs(p, column(in, func(r receiver.PayoutResolution) receiver.PayoutRef { return r.Ref }))
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, res := range in {
			out[i] = tx.resolvePayout(ctx, res)
		}
		return nil
	})
	return out, err
}

func (tx *tx) resolvePayout(ctx context.Context, res receiver.PayoutResolution) bool {
	before := tx.payoutOf(res.Ref)
	if before == nil {
		return false
	}
	err := tx.item(ctx, func() error {
		d, err := tx.rules().ResolvePayout(*before, res)
		if err != nil {
			return err
		}
		return tx.putPayoutDecision(d, before.EndToEndID, res.Now)
	})
	if err != nil {
		return false
	}
	tx.record(receiver.OperatorRecord{At: res.Now, Operator: res.Operator, Action: res.Action, Subject: before.Subject(), Note: res.Note})
	return true
}
