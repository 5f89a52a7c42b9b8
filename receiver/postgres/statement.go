package postgres

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// UnseenPayments lists payments without a line of the statement. One whose
// credit the ledger has taken back is no more expected there. BookedBefore is
// included; no limit lists them all.
func (s *Store) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	args := []any{q.BookedBefore, q.AfterBooked, text(q.AfterID), limit(q.Limit)}
	return all(ctx, s, "list unseen payments", reads, unseenPayments, args, scanPayment)
}

const unseenPayments = `SELECT ` + paymentColumns + ` FROM payment
WHERE NOT in_statement AND net_cents <> 0
    AND booked_at <= $1 AND (booked_at, end_to_end_id) > ($2, $3)
ORDER BY booked_at, end_to_end_id
LIMIT $4`

// UnseenRefunds lists returned refunds without a line of the statement. One that
// the ledger has taken back is no more expected there. FinishedBefore is
// included; no limit lists them all.
func (s *Store) UnseenRefunds(ctx context.Context, q receiver.UnseenRefundQuery) ([]receiver.Refund, error) {
	args := []any{q.FinishedBefore, q.AfterFinished, text(q.AfterID), limit(q.Limit)}
	return all(ctx, s, "list unseen refunds", reads, unseenRefunds, args, scanRefund)
}

// unseenRefunds sums the ledger's lines of those few that it finds.
const unseenRefunds = `SELECT ` + refundColumns + ` FROM refund AS r
WHERE state = 'returned' AND NOT in_statement
    AND finished_at <= $1 AND (finished_at, return_id) > ($2, $3)
    AND (
        SELECT sum(e.cents) FROM ledger_entry AS e
        WHERE e.end_to_end_id = r.end_to_end_id AND e.return_id = r.return_id
            AND e.account = 'psp:pix:liquidar' AND e.return_id <> '') <> 0
ORDER BY finished_at, return_id, end_to_end_id
LIMIT $4`

// limit is a LIMIT, none where there is none.
func limit(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// PostAdjustments brings Pix, and refunds, to what the statement says of them.
// A case may need it more than once: each is a transaction of its own.
func (s *Store) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	out := make([]bool, len(in))
	err := s.run(ctx, "post adjustments", func(ctx context.Context, tx *tx) error {
		clear(out)
		if err := tx.readAdjusted(ctx, in); err != nil {
			return err
		}
		for i, a := range in {
			out[i] = tx.adjust(ctx, a)
		}
		return nil
	})
	return out, err
}

// adjust posts one adjustment, and notes what it takes back.
func (tx *tx) adjust(ctx context.Context, a receiver.Adjustment) bool {
	p := tx.payment(a.EndToEndID)
	if p == nil {
		return false
	}
	x, net := tx.returned(a.EndToEndID, a.ReturnID), tx.ledger.nets[line{a.EndToEndID, a.ReturnID}]
	d, ok := tx.rules().Adjust(*p, x, net, a)
	if !ok {
		return false
	}
	d.Transaction.Reference = tx.ledger.unused(d.Transaction.Reference)
	before := *p
	return tx.item(ctx, func() error {
		if err := tx.putRefundDecision(d, a.EndToEndID, a.Now); err != nil {
			return err
		}
		if a.Reason == receiver.MatchMissingAtPSP {
			tx.findings.add(receiver.PhantomFinding(before, x, net, a.Now))
		}
		return nil
	}) == nil
}

// readAdjusted reads everything about some Pix, the nets of the lines, and then
// the references that their adjustments have used: a refund's is made of its id,
// which its row tells. A Pix's lock is that of all its adjustments.
func (tx *tx) readAdjusted(ctx context.Context, in []receiver.Adjustment) error {
	var lines []line
	for _, a := range in {
		if a.ReturnID != "" {
			lines = append(lines, line{a.EndToEndID, a.ReturnID})
		}
	}
	p := tx.begin()
	tx.lockPix(p, column(in, func(a receiver.Adjustment) pix.EndToEndID { return a.EndToEndID }))
	tx.readRefundNets(p, lines)
	if err := tx.send(ctx, p); err != nil {
		return err
	}
	var references []string
	for _, a := range in {
		// The rules name the reference, whatever the money.
		x := tx.returned(a.EndToEndID, a.ReturnID)
		if d, ok := tx.rules().Adjust(receiver.Payment{EndToEndID: a.EndToEndID}, x, a.Want+1, a); ok {
			references = append(references, d.Transaction.Reference)
		}
	}
	p = tx.begin()
	tx.readReferences(p, references)
	return tx.send(ctx, p)
}
