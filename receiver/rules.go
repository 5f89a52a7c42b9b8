package receiver

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Rules decide what a Pix means. They are pure: a store reads the rows under
// its locks, asks, and writes what it is told.
type Rules struct {
	// Keys are the Pix keys that are ours.
	Keys []pix.PixKey
	// Endpoints are the names of those that hear of every effect; none stands for
	// [DefaultEndpoint].
	Endpoints []string
}

// Ours says whether money under that key is ours; an absent key passes.
func (r Rules) Ours(key pix.PixKey) bool {
	return key == "" || slices.Contains(r.Keys, key)
}

// CreditFacts are what is known when a credit is about to be booked.
type CreditFacts struct {
	Credit Credit
	// Confirmed says that the PSP's own API vouches for Credit.
	Confirmed bool
	// Settled says that the account statement does: the money is here, whatever
	// key it came under.
	Settled bool
	// Charge is the charge with exactly the credit's txid; nil if there is none.
	Charge *Charge
	// Known is the payment as booked before; nil if it was not.
	Known *Payment
	At    time.Time
}

// CaseNote opens the case, or adds a reason and money to an open one.
type CaseNote struct {
	ID      string
	Account Account
	Amount  pix.Amount
	Reason  string
}

// CreditDecision is what to write. Rows that stay as they are are nil.
type CreditDecision struct {
	Result      ApplyResult
	Reason      string
	Quarantine  QuarantineKind
	Payment     *Payment
	Charge      *Charge
	Transaction *Transaction
	Open        *CaseNote
	Close       string // ID of a case that ends with this
	Outbox      *OutboxEvent
}

// Reasons that stand on events and cases.
const (
	ReasonForeignKey    = "the key is not ours"
	ReasonUnknownAtPSP  = "the PSP does not know it"
	ReasonUnidentified  = "no charge of ours has this txid"
	ReasonUnderpaid     = "less than is due"
	ReasonVariant       = "other content under the same key"
	ReasonMissedCredit  = "in the statement, not in the ledger"
	ReasonUnreadable    = "cannot be read"
	ReasonAmountDiffers = "the statement has another amount"
	ReasonPhantom       = "in the ledger, not in the statement"

	ReasonInstantDiffers = "the statement has another instant"
)

// Credit decides about one Pix received.
//
// What matches a payable charge of ours to the cent is booked at once; all
// else is booked only on the PSP's own word.
func (r Rules) Credit(f CreditFacts) CreditDecision {
	if f.Known != nil {
		return r.known(f)
	}
	if r.Ours(f.Credit.PixKey) && f.exact() {
		return f.book(DispositionExact)
	}
	if !f.Confirmed {
		return CreditDecision{Result: ApplyConfirm}
	}
	if !r.Ours(f.Credit.PixKey) && !f.Settled {
		return CreditDecision{Result: ApplyAside, Reason: ReasonForeignKey, Quarantine: QuarantineBad}
	}
	return f.book(f.disposition())
}

// known answers for a Pix that is booked: it may be confirmed by this, or leave
// suspense because its txid came with a later notice.
func (r Rules) known(f CreditFacts) CreditDecision {
	p := *f.Known
	p.Confirmed = p.Confirmed || f.Confirmed && f.Credit.Amount == p.Amount
	if p.Disposition == DispositionUnidentified && f.Charge != nil {
		p.TxID = f.Credit.TxID
		if d := r.Attach(p, *f.Charge, f.At); d.Result == ApplyBooked {
			return d
		}
	}
	d := CreditDecision{Result: ApplyKnown}
	if p != *f.Known {
		d.Payment = &p
	}
	return d
}

// exact says that the Pix is just what a payable charge of ours waits for.
func (f CreditFacts) exact() bool {
	if f.Charge == nil || !f.Charge.Payable(f.Credit.PaidAt) {
		return false
	}
	free := f.Charge.Kind == ChargeStatic && f.Charge.Due == 0
	return free || f.Charge.Due == f.Credit.Amount
}

func (f CreditFacts) disposition() Disposition {
	c := f.Charge
	switch {
	case c == nil:
		return DispositionUnidentified
	case c.Kind == ChargeStatic:
		return DispositionExact
	case c.Paid():
		return DispositionSecond
	case !c.Payable(f.Credit.PaidAt):
		return DispositionLate
	case f.Credit.Amount > c.Due:
		return DispositionOverpaid
	case f.Credit.Amount < c.Due:
		return DispositionUnderpaid
	}
	return DispositionExact
}

func (f CreditFacts) book(how Disposition) CreditDecision {
	p := Payment{
		EndToEndID: f.Credit.EndToEndID, TxID: f.Credit.TxID, PixKey: f.Credit.PixKey,
		Amount: f.Credit.Amount, PaidAt: f.Credit.PaidAt,
		Confirmed: f.Confirmed, BookedAt: f.At,
	}
	return place(p, p.Amount, f.Charge, how, AccountSettlement, CreditReference(p.EndToEndID), f.At)
}

// Attach moves unidentified money onto the charge it turned out to be for: the
// same rules as for fresh money, out of suspense instead of from the PSP. What a
// refund holds stays with the refund: the merchant wanted it to go back before
// the charge was known.
func (r Rules) Attach(p Payment, c Charge, at time.Time) CreditDecision {
	left := p.Held.Unidentified
	if left <= 0 && p.Refunding == 0 {
		return CreditDecision{Result: ApplyKnown} // returned since: nothing is left to move
	}
	if left <= 0 {
		p.Charge, p.Consumer, p.Disposition = c.Reference, c.Consumer, DispositionSecond
		return CreditDecision{Result: ApplyBooked, Payment: &p, Close: UnidentifiedCase(p.EndToEndID)}
	}
	f := CreditFacts{Charge: &c, Credit: Credit{Amount: left, PaidAt: p.PaidAt}}
	id := UnidentifiedCase(p.EndToEndID)
	p.Held.Unidentified = 0
	d := place(p, left, &c, f.disposition(), AccountUnidentified, CaseReference(id), at)
	d.Close = id
	d.Outbox.Kind = OutboxMatched
	return d
}

// place books money of p from an account to where the disposition sends it.
func place(p Payment, money pix.Amount, c *Charge, how Disposition, from Account, reference string, at time.Time) CreditDecision {
	d := CreditDecision{Result: ApplyBooked}
	p.Disposition = how
	p.Events++
	if c != nil {
		p.Charge, p.Consumer = c.Reference, c.Consumer
	}
	entry := func(a Account, cents pix.Amount) Entry {
		return Entry{Account: a, Cents: cents, EndToEndID: p.EndToEndID, Charge: p.Charge}
	}
	entries := []Entry{entry(from, money)}
	kind := OutboxCredited
	switch how {
	case DispositionExact:
		p.Held.Revenue += money
		entries = append(entries, entry(AccountRevenue, -money))
		d.Charge = settled(c, money, p.EndToEndID)
	case DispositionOverpaid:
		p.Held.Revenue += c.Due
		p.Held.ToReturn += money - c.Due
		entries = append(entries, entry(AccountRevenue, -c.Due), entry(AccountToReturn, c.Due-money))
		d.Charge = settled(c, c.Due, p.EndToEndID)
	case DispositionUnderpaid:
		p.Held.Divergent += money
		entries = append(entries, entry(AccountDivergence, -money))
		d.Open = &CaseNote{ID: DivergenceCase(p.EndToEndID), Account: AccountDivergence, Amount: money, Reason: ReasonUnderpaid}
		kind = OutboxDivergent
	case DispositionSecond, DispositionLate:
		p.Held.ToReturn += money
		entries = append(entries, entry(AccountToReturn, -money))
		kind = OutboxToReturn
	case DispositionUnidentified:
		p.Held.Unidentified += money
		entries = append(entries, entry(AccountUnidentified, -money))
		d.Open = &CaseNote{ID: UnidentifiedCase(p.EndToEndID), Account: AccountUnidentified, Amount: money, Reason: ReasonUnidentified}
		kind = OutboxUnidentified
	}
	d.Payment = &p
	d.Transaction = &Transaction{Reference: reference, BookedAt: at, Entries: entries}
	d.Outbox = &OutboxEvent{EndToEndID: p.EndToEndID, Number: p.Events, Kind: kind, Amount: money, Charge: p.Charge, At: at, DueAt: at}
	return d
}

// settled is the charge after cents of it reached revenue.
func settled(c *Charge, cents pix.Amount, by pix.EndToEndID) *Charge {
	after := *c
	after.Settled += cents
	if after.SettledBy == "" {
		after.SettledBy = by
	}
	return &after
}
