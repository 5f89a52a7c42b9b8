package memory

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// MatchStatement classes lines of the statement. Only Pix received are
// compared so far; a line of another kind is OK.
func (s *Store) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	tx, err := s.begin(ctx, "MatchStatement")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.MatchOutcome, len(in))
	for i, line := range in {
		out[i].Class = receiver.MatchOK
		if line.Kind == pix.KindPixIn {
			out[i] = tx.match(line)
		}
	}
	return out, tx.commit()
}

func (tx *Tx) match(line pix.StatementLine) receiver.MatchOutcome {
	f := receiver.MatchFacts{Line: line}
	if p := tx.s.payments.byID[line.EndToEndID]; p != nil {
		f.Payment, f.Net, f.InFlight = p.payment, p.net, p.inFlight > 0
	}
	class := tx.Rules().Match(f)
	if p := f.Payment; p != nil && class != receiver.MatchInFlight && class != receiver.MatchMissingInLedger &&
		!(p.InStatement && p.Confirmed) {
		after := *p
		after.InStatement, after.Confirmed = true, true
		tx.putPayment(p, &after)
	}
	return receiver.MatchOutcome{Class: class, Ledger: f.Net}
}

// UnseenPayments lists payments without a line of the statement. BookedBefore
// is included; no limit lists them all.
func (s *Store) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	tx, err := s.begin(ctx, "UnseenPayments")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	ids := s.payments.unseen.page(q)
	out := make([]receiver.Payment, len(ids))
	for i, id := range ids {
		out[i] = *s.payments.find(id)
	}
	return out, nil
}

// PostAdjustments brings Pix to what the statement says of them, once a case.
func (s *Store) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	tx, err := s.begin(ctx, "PostAdjustments")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, a := range in {
		p := s.payments.find(a.EndToEndID)
		if p == nil {
			continue
		}
		d, ok := tx.Rules().Adjust(*p, tx.Net(a.EndToEndID), a)
		if !ok {
			continue
		}
		out[i] = tx.item(func() error {
			return tx.write(receiver.CreditDecision{
				Payment: d.Payment, Transaction: d.Transaction, Open: d.Open, Outbox: d.Outbox,
			}, a.Now)
		}) == nil
	}
	return out, tx.commit()
}
