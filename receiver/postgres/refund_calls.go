package postgres

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
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]receiver.Refund, len(in))
	err := s.run(ctx, "record refunds", func(ctx context.Context, tx *tx) error {
		clear(out)
		if err := tx.readRecorded(ctx, in); err != nil {
			return err
		}
		for i, call := range in {
			before := tx.refund(call.Ref)
			if before == nil {
				continue
			}
			_ = tx.item(ctx, func() error { return tx.recordRefund(before, call) }) // refused: it stands as it was
			out[i] = *tx.refund(call.Ref)
		}
		return nil
	})
	return out, err
}

// readRecorded reads refunds to learn their Pix, which never changes, and then
// everything about these under locks.
func (tx *tx) readRecorded(ctx context.Context, in []receiver.RefundCall) error {
	p := tx.begin()
	tx.readRefunds(p, column(in, func(c receiver.RefundCall) receiver.RefundRef { return c.Ref }))
	if err := tx.send(ctx, p); err != nil {
		return err
	}
	var ids []pix.EndToEndID
	for _, call := range in {
		if x := tx.refund(call.Ref); x != nil {
			ids = append(ids, x.EndToEndID)
		}
	}
	p = tx.begin()
	clear(tx.ofPix) // read again, in the order made
	tx.lockPix(p, ids)
	return tx.send(ctx, p)
}

func (tx *tx) recordRefund(before *receiver.Refund, call receiver.RefundCall) error {
	x := *before
	switch {
	case x.State.Final() || call.ID != "" && call.ID != x.ID:
		return nil
	case x.Clash:
		return tx.rekey(x, call)
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
		x.Problem = text(call.Problem)
		return tx.endRefund(x, pix.RefundFailed, call)
	}
	tx.putRefund(x)
	return nil
}

// rekey gives a refund whose id is another's a new one: as if it had never been
// asked for. Nothing else counts for it, as nothing was learnt about itself.
func (tx *tx) rekey(x receiver.Refund, call receiver.RefundCall) error {
	if call.NewID == "" {
		return nil
	}
	x.ID, x.Clash, x.DueAt = call.NewID, false, call.Now
	x.Rekeys++
	x.Attempts, x.FirstCallAt = 0, time.Time{}
	tx.putRefund(x)
	return nil
}

// clashes says whether what a call was answered with is another's refund.
func (tx *tx) clashes(x *receiver.Refund, call receiver.RefundCall) bool {
	if call.Status == receiver.StatusClash {
		return true
	}
	other := tx.returned(x.EndToEndID, call.ReturnID)
	return other != nil && other != x
}

// endRefund books the end of x, a merchant's refund.
func (tx *tx) endRefund(x receiver.Refund, status pix.RefundStatus, call receiver.RefundCall) error {
	p := tx.payment(x.EndToEndID)
	if p == nil {
		return fmt.Errorf("end refund %s: %s is not booked", x.Intention(), x.EndToEndID)
	}
	return tx.putRefundDecision(tx.rules().FinishRefund(*p, x, status, call.Now), x.EndToEndID, call.Now)
}

// PutMemos notes blocked money. A released memo stays released, whatever comes
// late; until then a further word about it takes the place of the earlier.
func (s *Store) PutMemos(ctx context.Context, in []receiver.Memo) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "put memos", func(ctx context.Context, tx *tx) error {
		clear(out)
		ids := column(in, func(m receiver.Memo) string { return m.ID })
		tx.memos.missing(ids)
		p := tx.begin()
		p.query(lockMemos, []any{texts(ids, func(id string) string { return id })}, tx.readMemo)
		if err := tx.send(ctx, p); err != nil {
			return err
		}
		for i, m := range in {
			before := tx.memos.rows[m.ID]
			if before != nil && (before.Released || sameMemo(*before, m)) {
				continue
			}
			tx.memos.put(m.ID, &m)
			out[i] = true
		}
		return nil
	})
	return out, err
}

const lockMemos = `SELECT ` + memoColumns + ` FROM memo
WHERE id = ANY ($1)
ORDER BY id -- the lock order
FOR UPDATE`

// sameMemo says whether two memos tell the same; when they came is no matter.
func sameMemo(a, b receiver.Memo) bool {
	return a.EndToEndID == b.EndToEndID && a.Amount == b.Amount && a.Released == b.Released
}
