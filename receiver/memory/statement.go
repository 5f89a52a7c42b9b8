package memory

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// MatchStatement classes lines of the statement. Pix received, their refunds,
// payouts and what came back of them are compared; a line of another kind is OK.
func (s *Store) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	tx, err := s.begin(ctx, "MatchStatement")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]receiver.MatchOutcome, len(in))
	for i, line := range in {
		out[i] = tx.match(line)
	}
	return out, tx.commit()
}

// match classes one line, notes what is to be noted, and marks as seen what the
// line vouches for.
func (tx *Tx) match(line pix.StatementLine) receiver.MatchOutcome {
	var f receiver.LineFacts
	seen := func() {}
	switch line.Kind {
	case pix.KindPixIn:
		f, seen = tx.creditLine(line)
	case pix.KindRefundOut:
		f, seen = tx.refundLine(line)
	case pix.KindPixOut, pix.KindReturnIn:
		f, seen = tx.payoutLine(line)
	default:
		return receiver.MatchOutcome{Class: receiver.MatchOK}
	}
	class := tx.Rules().MatchLine(f)
	if found, is := receiver.FindingOf(f, class, tx.now); is {
		tx.s.findings.note(found)
	}
	if class.Agrees() {
		seen()
	}
	return receiver.MatchOutcome{Class: class, Ledger: f.Net}
}

// creditLine are the facts about a Pix received, and what marks it as seen.
func (tx *Tx) creditLine(line pix.StatementLine) (f receiver.LineFacts, seen func()) {
	state := tx.s.payments.byID[line.EndToEndID]
	if state == nil {
		return receiver.CreditLine(line, nil, 0, false), func() {}
	}
	p := state.payment
	f = receiver.CreditLine(line, p, state.net, state.inFlight > 0)
	if p != nil && !f.InFlight && tx.Rules().InstantDiffers(*p, line) {
		note := receiver.CaseNote{ID: receiver.DivergenceCase(line.EndToEndID), Reason: receiver.ReasonInstantDiffers}
		tx.openCase(note, line.EndToEndID, tx.now)
	}
	return f, func() {
		if !p.InStatement || !p.Confirmed {
			after := *p
			after.InStatement, after.Confirmed = true, true
			tx.putPayment(p, &after)
		}
	}
}

// refundLine are the facts about a refund's line, whose ID is the rtrId, and what
// marks it as seen. A call of our own that has no answer yet, for as much, may be
// what the line is of.
func (tx *Tx) refundLine(line pix.StatementLine) (f receiver.LineFacts, seen func()) {
	id, cents := pix.ReturnID(line.ID), pix.Amount(line.Cents)
	refunds := tx.s.payments.refundsOf(line.EndToEndID)
	same := refunds.returned(id)
	unanswered := refunds.first(func(x *receiver.Refund) bool {
		return x.Unanswered(cents)
	})
	inFlight := refunds != nil && refunds.inFlight > 0 || unanswered != nil
	return receiver.RefundLine(line, same, tx.NetOf(line.EndToEndID, id), inFlight), func() {
		if !same.InStatement {
			after := *same
			after.InStatement = true
			tx.putRefund(same, &after)
		}
	}
}

// UnseenPayments lists payments without a line of the statement. One whose
// credit the ledger has taken back is no more expected there. BookedBefore is
// included; no limit lists them all.
func (s *Store) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	tx, err := s.begin(ctx, "UnseenPayments")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	after := unseenEntry[pix.EndToEndID]{at: q.AfterBooked, id: q.AfterID}
	ids := s.payments.unseen.page(after, q.BookedBefore, q.Limit, func(id pix.EndToEndID) bool { return s.payments.byID[id].net != 0 })
	out := make([]receiver.Payment, len(ids))
	for i, id := range ids {
		out[i] = *s.payments.find(id)
	}
	return out, nil
}

// UnseenRefunds lists returned refunds without a line of the statement. One that
// the ledger has taken back is no more expected there. FinishedBefore is
// included; no limit lists them all.
func (s *Store) UnseenRefunds(ctx context.Context, q receiver.UnseenRefundQuery) ([]receiver.Refund, error) {
	tx, err := s.begin(ctx, "UnseenRefunds")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	// The cursor stands behind every refund with its rtrId, of whichever Pix.
	after := unseenEntry[refundLine]{at: q.AfterFinished, id: refundLine{returned: q.AfterID, e2e: behindAll}}
	lines := s.refunds.unseen.page(after, q.FinishedBefore, q.Limit, func(l refundLine) bool {
		return s.payments.netOf(l.e2e, l.returned) != 0
	})
	out := make([]receiver.Refund, len(lines))
	for i, l := range lines {
		out[i] = cloneRefund(s.payments.refundsOf(l.e2e).returned(l.returned))
	}
	return out, nil
}

// PostAdjustments brings Pix, and refunds, to what the statement says of them.
// A case may need it more than once: each is a transaction of its own.
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
		x, net := s.payments.refundsOf(a.EndToEndID).returned(a.ReturnID), tx.NetOf(a.EndToEndID, a.ReturnID)
		d, ok := tx.Rules().Adjust(*p, x, net, a)
		if !ok {
			continue
		}
		d.Transaction.Reference = s.ledger.unused(d.Transaction.Reference)
		before := *p
		out[i] = tx.item(func() error { return tx.writeRefund(d, a.EndToEndID, a.Now) }) == nil
		if out[i] && a.Reason == receiver.MatchMissingAtPSP {
			s.findings.note(receiver.PhantomFinding(before, x, net, a.Now))
		}
	}
	return out, tx.commit()
}
