package receiver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// The operators' actions, as their book calls them.
const (
	ActionRequeue = "requeue event"
	ActionDrop    = "drop event"
	ActionAttach  = "attach payment"
	ActionClose   = "close case"
	ActionReplay  = "replay outbox event"
	ActionSkip    = "skip outbox event"
	ActionWindow  = "reconcile a window"
)

// Reasons why an operator's attachment is refused.
const (
	ReasonNoPayment    = "no such payment"
	ReasonNoCharge     = "no such charge"
	ReasonPlaced       = "the payment is not unidentified"
	ReasonCaseIsClosed = "the case is closed: its money went elsewhere"
	ReasonNothingLeft  = "nothing is left of it: it was refunded"
)

// AttachByHand decides about an operator's word that a Pix belongs to a charge;
// either may be nil. caseOpen says that the case about the Pix is open. The
// error is the refusal's reason.
func (r Rules) AttachByHand(p *Payment, c *Charge, caseOpen bool, at time.Time) (CreditDecision, error) {
	switch {
	case p == nil:
		return CreditDecision{}, errors.New(ReasonNoPayment)
	case c == nil:
		return CreditDecision{}, errors.New(ReasonNoCharge)
	case p.Disposition != DispositionUnidentified:
		return CreditDecision{}, errors.New(ReasonPlaced)
	case !caseOpen:
		return CreditDecision{}, errors.New(ReasonCaseIsClosed)
	}
	d := r.Attach(*p, *c, at)
	if d.Result != ApplyBooked {
		return CreditDecision{}, errors.New(ReasonNothingLeft)
	}
	return d, nil
}

// Release decides where the money goes that a case holds, when it is closed: to
// receita or to credito_a_devolver, as no other account can take it. p is the
// case's Pix and charge the one that it is on; either may be nil. A case that got
// money after it was closed is closed again: whoever posts the transaction
// numbers its reference.
func (r Rules) Release(c Case, p *Payment, charge *Charge, cl CaseClosing) (CreditDecision, error) {
	if c.Amount == 0 {
		return CreditDecision{}, nil
	}
	if cl.To != AccountRevenue && cl.To != AccountToReturn {
		return CreditDecision{}, fmt.Errorf("close case %s: money in suspense cannot go to %q", c.ID, cl.To)
	}
	var d CreditDecision
	reference := ""
	if p != nil {
		after := *p
		*after.Held.on(c.Account) -= c.Amount
		*after.Held.on(cl.To) += c.Amount
		d.Payment = &after
		if c.Amount > 0 { // what is missing is a loss of the merchant's, and leaves the charge as paid as it is
			reference = p.Charge
		}
	}
	if p != nil && reference != "" && charge != nil && cl.To == AccountRevenue {
		d.Charge = charge.paidByHand(c.Amount, p.EndToEndID)
	}
	entry := func(a Account, cents pix.Amount) Entry {
		return Entry{Account: a, Cents: cents, EndToEndID: c.EndToEndID, Charge: reference}
	}
	d.Transaction = &Transaction{
		Reference: CaseReference(c.ID), BookedAt: cl.Now,
		Entries: []Entry{entry(c.Account, c.Amount), entry(cl.To, -c.Amount)},
	}
	return d, nil
}

// paidByHand counts what an operator let reach revenue for the charge.
func (c Charge) paidByHand(cents pix.Amount, by pix.EndToEndID) *Charge {
	c.Settled += cents
	if c.SettledBy == "" && c.Settled >= c.Due {
		c.SettledBy = by
	}
	return &c
}

// Noted is a case about a Pix after a note: c opened, or added to, or, where c is
// nil, a new one. A closed case opens again when it gets money. It is nil where
// the note changes nothing.
func (c *Case) Noted(n CaseNote, id pix.EndToEndID, at time.Time) *Case {
	if c == nil {
		return &Case{
			ID: n.ID, EndToEndID: id, Account: n.Account, Amount: n.Amount,
			Reasons: []string{n.Reason}, State: CaseOpen, OpenedAt: at,
		}
	}
	known := slices.Contains(c.Reasons, n.Reason)
	if known && n.Amount == 0 {
		return nil
	}
	after := *c
	if !known {
		after.Reasons = append(slices.Clip(after.Reasons), n.Reason)
	}
	if n.Amount != 0 {
		after.Account = n.Account
		if c.State == CaseClosed { // what it held went elsewhere
			after.State, after.OpenedAt, after.ClosedAt, after.Note, after.Amount = CaseOpen, at, time.Time{}, "", 0
		}
		after.Amount += n.Amount
	}
	return &after
}

// Closed is an open case after its closing.
func (c Case) Closed(note string, at time.Time) *Case {
	c.State, c.ClosedAt, c.Note = CaseClosed, at, note
	return &c
}
