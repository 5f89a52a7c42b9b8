package postgres

import (
	"context"

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
	other := tx.returned(before.EndToEndID, call.ReturnID)
	if other == before {
		other = nil
	}
	call.Problem = text(call.Problem)
	d, err := tx.rules().RecordRefund(*before, tx.payment(before.EndToEndID), other, call)
	if err != nil {
		return err
	}
	return tx.putRefundDecision(d, before.EndToEndID, call.Now)
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
			if !m.News(before) {
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
