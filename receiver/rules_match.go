package receiver

import (
	"time"

	"github.com/pixlab/pixlab/pix"
)

// LineFacts are what the books have about one line of the statement, whatever
// moved: each kind of line has a function here that makes them.
type LineFacts struct {
	Line pix.StatementLine
	// Net is what [AccountSettlement] has for the line; money out is below zero.
	Net pix.Amount
	// InFlight says that something of ours may still book the line: the inbox, or a
	// call without an answer.
	InFlight bool
	// Ended says that the books have what the line is of, and its end.
	Ended bool
	// Disposition is how a Pix received met its charge, empty on other lines.
	Disposition Disposition
}

// CreditLine are the facts about a Pix received; p is nil while it is not booked.
func CreditLine(line pix.StatementLine, p *Payment, net pix.Amount, inFlight bool) LineFacts {
	f := LineFacts{Line: line, Net: net, InFlight: inFlight, Ended: p != nil}
	if p != nil {
		f.Disposition = p.Disposition
	}
	return f
}

// RefundLine are the facts about a refund's line, whose ID is the rtrId. same is
// the refund with that rtrId, nil if there is none; inFlight says that the inbox,
// or a call of our own about this Pix, is still at work.
//
// A refund whose end is in our books is not booked a second time, whatever end
// that is: what differs is adjusted. One that counts as failed and stands in the
// statement has left nothing on its line.
func RefundLine(line pix.StatementLine, same *Refund, net pix.Amount, inFlight bool) LineFacts {
	ended := same != nil && same.State.Final()
	return LineFacts{Line: line, Net: net, Ended: ended, InFlight: !ended && (inFlight || same != nil)}
}

// MatchLine classes one line of the statement, by precedence.
func (r Rules) MatchLine(f LineFacts) MatchClass {
	switch {
	case f.InFlight:
		return MatchInFlight
	case !f.Ended:
		return MatchMissingInLedger
	case f.Net != pix.Amount(f.Line.Signed()):
		return MatchDivergent
	case f.Disposition == DispositionSecond:
		return MatchDuplicate
	case f.Disposition == DispositionUnidentified:
		return MatchNoCharge
	}
	return MatchOK
}

// Agrees says whether ledger and statement have the same money for a line of
// that class.
func (c MatchClass) Agrees() bool {
	return c == MatchOK || c == MatchDuplicate || c == MatchNoCharge
}

// MatchClasses are the classes of a line that is not in flight, by precedence.
func MatchClasses() []MatchClass {
	return []MatchClass{
		MatchMissingInLedger, MatchMissingAtPSP, MatchDivergent, MatchDuplicate, MatchNoCharge, MatchOK,
	}
}

// instantTolerance is by how much the statement may date a Pix otherwise than
// the PSP's own notice did.
const instantTolerance = time.Second

// InstantDiffers says whether the statement dates a Pix otherwise than it was
// booked: a PSP that writes local time with a Z is hours off, and may put it on
// another day.
func (r Rules) InstantDiffers(p Payment, line pix.StatementLine) bool {
	d := p.PaidAt.Sub(line.SettledAt)
	return d > instantTolerance || d < -instantTolerance
}

// Adjust brings a line's net to what the statement says, against suspense. x is
// the refund whose line it is, nil on the credit's own. False when there is
// nothing to adjust.
//
// What a refund was is not edited: the case says what came of it.
func (r Rules) Adjust(p Payment, x *Refund, net pix.Amount, a Adjustment) (RefundDecision, bool) {
	diff := a.Want - net
	if diff == 0 || a.ReturnID != "" && x == nil {
		return RefundDecision{}, false
	}
	d := RefundDecision{Result: ApplyBooked}
	id := DivergenceCase(p.EndToEndID)
	if x != nil {
		id = RefundCase(p.EndToEndID, x.ID)
		if !x.InStatement && a.Want != 0 {
			seen := *x
			seen.InStatement = true
			d.Refund = &seen
		}
	}
	entry := func(acc Account, cents pix.Amount) Entry {
		e := Entry{Account: acc, Cents: cents, EndToEndID: p.EndToEndID, Charge: p.Charge}
		if acc == AccountSettlement {
			e.ReturnID = a.ReturnID
		}
		return e
	}
	reason := ReasonAmountDiffers
	if a.Reason == MatchMissingAtPSP {
		reason = ReasonPhantom
	}
	p.Events++
	p.Held.Divergent += diff
	if a.ReturnID == "" && a.Want > 0 {
		p.Confirmed, p.InStatement = true, true
	}
	d.Payment = &p
	d.Transaction = &Transaction{
		Reference: AdjustReference(id), BookedAt: a.Now,
		Entries: []Entry{entry(AccountSettlement, diff), entry(AccountDivergence, -diff)},
	}
	d.Notes = []CaseNote{{ID: id, Account: AccountDivergence, Amount: diff, Reason: reason}}
	d.Outbox = &OutboxEvent{EndToEndID: p.EndToEndID, Number: p.Events, Kind: OutboxAdjusted, Amount: diff, Charge: p.Charge, At: a.Now, DueAt: a.Now}
	return d, true
}
