package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// MatchStatement classes lines of the statement. Pix received, their refunds,
// payouts and what came back of them are compared; a line of another kind is OK.
func (s *Store) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]receiver.MatchOutcome, len(in))
	err = s.run(ctx, "match statement", func(ctx context.Context, tx *tx) error {
		tx.at = now
		flying, err := tx.readMatched(ctx, in)
		if err != nil {
			return err
		}
		for i, l := range in {
			switch l.Kind {
			case pix.KindPixIn:
				out[i] = tx.match(l, flying[flight{aboutCredit, l.EndToEndID}])
			case pix.KindRefundOut:
				out[i] = tx.matchRefund(l, flying[flight{aboutRefund, l.EndToEndID}])
			case pix.KindPixOut, pix.KindReturnIn:
				out[i] = tx.matchPayout(l, flying[flight{aboutPayout, l.EndToEndID}])
			default:
				out[i] = receiver.MatchOutcome{Class: receiver.MatchOK}
			}
		}
		return nil
	})
	return out, err
}

// flight is what the inbox may still be working on.
type flight struct {
	about string
	e2e   pix.EndToEndID
}

// readMatched reads what lines are compared with, payments under locks, and
// what is in flight. That comes first: what is done by then is booked by the
// time the payments are read.
func (tx *tx) readMatched(ctx context.Context, in []pix.StatementLine) (map[flight]bool, error) {
	var ids, payouts []pix.EndToEndID
	var refunds []line
	for _, l := range in {
		switch l.Kind {
		case pix.KindRefundOut:
			refunds = append(refunds, line{l.EndToEndID, pix.ReturnID(l.ID)})
			fallthrough
		case pix.KindPixIn:
			ids = append(ids, l.EndToEndID)
		case pix.KindPixOut, pix.KindReturnIn:
			payouts = append(payouts, l.EndToEndID)
		}
	}
	flying := map[flight]bool{}
	p := tx.begin()
	args := []any{texts(slices.Concat(ids, payouts), func(id pix.EndToEndID) pix.EndToEndID { return id }), texts(ids, receiver.CreditKey)}
	p.query(readFlights, args, func(rows pgx.Rows) error {
		var f flight
		err := rows.Scan(&f.about, &f.e2e)
		flying[f] = true
		return err
	})
	tx.lockPix(p, ids)
	tx.lockLinesOfPayouts(p, payouts)
	tx.readRefundNets(p, refunds)
	return flying, tx.send(ctx, p)
}

// Each part has an index of its own: credits that of their keys, refunds and
// payouts that of what is in flight.
const readFlights = `SELECT about, end_to_end_id FROM inbox_event
WHERE event_key = ANY ($2) AND about = 'credit' AND state = 'RECEIVED'
UNION
SELECT about, end_to_end_id FROM inbox_event
WHERE end_to_end_id = ANY ($1) AND about IN ('refund', 'payout') AND state = 'RECEIVED'`

func (tx *tx) match(l pix.StatementLine, inFlight bool) receiver.MatchOutcome {
	f := receiver.MatchFacts{
		Line: l, Payment: tx.payment(l.EndToEndID), Net: tx.ledger.nets[line{l.EndToEndID, ""}], InFlight: inFlight,
	}
	class := tx.rules().Match(f)
	if f.Payment != nil && class != receiver.MatchInFlight && tx.rules().InstantDiffers(*f.Payment, l) {
		note := receiver.CaseNote{ID: receiver.DivergenceCase(l.EndToEndID), Reason: receiver.ReasonInstantDiffers}
		tx.openCase(note, l.EndToEndID, tx.at)
	}
	switch class {
	case receiver.MatchOK, receiver.MatchDuplicate, receiver.MatchNoCharge:
		if after := *f.Payment; !after.InStatement || !after.Confirmed {
			after.InStatement, after.Confirmed = true, true
			tx.putPayment(after)
		}
	}
	return receiver.MatchOutcome{Class: class, Ledger: f.Net}
}

// matchRefund classes a refund's line, whose ID is the rtrId. The net of one is
// below zero. A call of our own that has no answer yet, for as much, may be what
// the line is of.
func (tx *tx) matchRefund(l pix.StatementLine, inFlight bool) receiver.MatchOutcome {
	id, amount := pix.ReturnID(l.ID), pix.Amount(l.Cents)
	same := tx.returned(l.EndToEndID, id)
	unanswered := tx.firstRefund(l.EndToEndID, func(x *receiver.Refund) bool {
		return x.Unanswered(amount)
	})
	net := tx.ledger.nets[line{l.EndToEndID, id}]
	class := tx.rules().MatchRefund(l, same, net, inFlight || unanswered != nil)
	if class == receiver.MatchOK && same != nil && !same.InStatement {
		after := *same
		after.InStatement = true
		tx.putRefund(after)
	}
	return receiver.MatchOutcome{Class: class, Ledger: net}
}

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
			p := tx.payment(a.EndToEndID)
			if p == nil {
				continue
			}
			d, ok := tx.rules().Adjust(*p, tx.returned(a.EndToEndID, a.ReturnID), tx.ledger.nets[line{a.EndToEndID, a.ReturnID}], a)
			if !ok {
				continue
			}
			d.Transaction.Reference = tx.ledger.unused(d.Transaction.Reference)
			out[i] = tx.item(ctx, func() error { return tx.putRefundDecision(d, a.EndToEndID, a.Now) }) == nil
		}
		return nil
	})
	return out, err
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
