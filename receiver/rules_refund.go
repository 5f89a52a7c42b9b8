package receiver

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// RefundWindow is how long after its settlement a Pix can be refunded: an
// instant, not a count of local days (API Pix: 90 days).
const RefundWindow = 90 * 24 * time.Hour

// Reasons that stand on refunds, their events and their cases.
const (
	ReasonNotConfirmed  = "the PSP has not confirmed the Pix yet"
	ReasonOverCap       = "more than is left of the Pix"
	ReasonNoBalance     = "more than is free in the account"
	ReasonWindowOver    = "the Pix is older than 90 days"
	ReasonOtherRefund   = "the reference is that of another refund"
	ReasonNoCredit      = "the Pix it returns has not come"
	ReasonOwnCallOpen   = "our own call of this id has no answer yet"
	ReasonRefundUndone  = "the PSP says otherwise than it said before"
	ReasonRefunded      = "refunded"
	ReasonRefundPutBack = "the refund did not happen"
	ReasonMissedRefund  = "in the statement, not in the ledger"
	ReasonNotFinalYet   = "the PSP says that it is not final"
)

// ReserveResult is what became of an intention to refund.
type ReserveResult string

// The fates of an intention.
const (
	ReserveDone    ReserveResult = "reserved"
	ReserveKnown   ReserveResult = "known"   // the reference was used before
	ReserveEarly   ReserveResult = "early"   // the Pix is unknown or unconfirmed: later
	ReserveRefused ReserveResult = "refused" // never, as things stand
)

// RefundDecision is what to write about a refund. Rows that stay are nil.
type RefundDecision struct {
	Result      ApplyResult
	Reason      string
	Quarantine  QuarantineKind
	Payment     *Payment
	Refund      *Refund
	Clash       *Refund // our own refund whose id this one has taken
	Transaction *Transaction
	Notes       []CaseNote
	Outbox      *OutboxEvent
}

// Reserve decides whether a merchant's refund can be asked for, and takes its
// money aside. free is what the account has to spend.
func (r Rules) Reserve(p *Payment, want Refund, free pix.Amount, at time.Time) (ReserveResult, string, RefundDecision) {
	switch {
	case p == nil:
		return ReserveEarly, ReasonNoCredit, RefundDecision{}
	case !p.Confirmed:
		return ReserveEarly, ReasonNotConfirmed, RefundDecision{}
	case at.After(p.PaidAt.Add(RefundWindow)):
		return ReserveRefused, ReasonWindowOver, RefundDecision{}
	case want.Amount > p.Held.Total():
		return ReserveRefused, ReasonOverCap, RefundDecision{}
	case want.Amount > free:
		return ReserveRefused, ReasonNoBalance, RefundDecision{}
	}
	after := *p
	want.State, want.Origin, want.RequestedAt = RefundReserved, RefundByMerchant, at
	want.Source = after.Held.take(want.Amount)
	after.Refunding += want.Amount
	t := movement("dev:"+want.Intention()+":reserva", at, want, after.Charge)
	t.Entries = append(t.Entries, refundEntry(want, AccountInProcess, -want.Amount, after.Charge))
	return ReserveDone, "", RefundDecision{
		Payment: &after, Refund: &want, Transaction: t, Notes: notes(want, -1, ReasonRefunded),
	}
}

// movement is a transaction that takes a refund's money from where it sat.
func movement(reference string, at time.Time, r Refund, charge string) *Transaction {
	t := &Transaction{Reference: reference, BookedAt: at}
	for _, part := range r.Source {
		t.Entries = append(t.Entries, refundEntry(r, part.Account, part.Cents, charge))
	}
	return t
}

func refundEntry(r Refund, a Account, cents pix.Amount, charge string) Entry {
	e := Entry{Account: a, Cents: cents, EndToEndID: r.EndToEndID, Charge: charge}
	if a == AccountSettlement {
		e.ReturnID = r.ReturnID
	}
	return e
}

// notes are the changes of the open cases that stand for a refund's sources in
// suspense: less where it takes money (sign −1), more where it puts it back.
func notes(r Refund, sign pix.Amount, reason string) []CaseNote {
	var out []CaseNote
	for _, part := range r.Source {
		if part.Account.Suspense() {
			out = append(out, CaseNote{ID: caseOf(part.Account, r.EndToEndID), Account: part.Account, Amount: sign * part.Cents, Reason: reason})
		}
	}
	return out
}

// FinishRefund books the end of a merchant's refund: returned, or put back.
func (r Rules) FinishRefund(p Payment, x Refund, status pix.RefundStatus, at time.Time) RefundDecision {
	p.Refunding -= x.Amount
	p.Events++
	x.FinishedAt = at
	d := RefundDecision{Result: ApplyBooked, Payment: &p, Refund: &x}
	kind := OutboxRefundFailed
	reference := "dev:" + x.Intention() + ":fim"
	if status == pix.RefundReturned {
		kind = OutboxRefunded
		x.State = RefundReturned
		p.Refunded += x.Amount
		d.Transaction = &Transaction{Reference: reference, BookedAt: at, Entries: []Entry{
			refundEntry(x, AccountInProcess, x.Amount, p.Charge), refundEntry(x, AccountSettlement, -x.Amount, p.Charge),
		}}
	} else {
		x.State = RefundFailed
		x.Source = placed(x.Source, p.Disposition)
		p.Held.give(x.Source)
		d.Transaction = movement(reference, at, x, p.Charge)
		for i := range d.Transaction.Entries {
			d.Transaction.Entries[i].Cents *= -1
		}
		d.Transaction.Entries = append(d.Transaction.Entries, refundEntry(x, AccountInProcess, x.Amount, p.Charge))
		d.Notes = notes(x, +1, ReasonRefundPutBack)
	}
	d.Outbox = refundOutbox(p, x, kind, at)
	return d
}

// placed is where a failed refund's parts go back to: where they came from, but
// for what was unidentified and has found its charge since. That was to be
// returned before the charge was known, and is owed to the payer still.
func placed(source []Part, how Disposition) []Part {
	out := slices.Clone(source)
	for i := range out {
		if out[i].Account == AccountUnidentified && how != DispositionUnidentified {
			out[i].Account = AccountToReturn
		}
	}
	return out
}

func refundOutbox(p Payment, x Refund, kind string, at time.Time) *OutboxEvent {
	return &OutboxEvent{
		EndToEndID: p.EndToEndID, Number: p.Events, Kind: kind, Amount: x.Amount,
		Charge: p.Charge, Refund: x.ID, At: at, DueAt: at,
	}
}

// RefundFacts are what is known when an event about a refund is looked at.
type RefundFacts struct {
	Content RefundContent
	// Confirmed says that the PSP's own API vouches for Content, Settled that
	// the account statement does. Denied says that the API knows of no such
	// refund, as far as it can tell by now.
	Confirmed bool
	Settled   bool
	Denied    bool
	Payment   *Payment
	// Same is the refund of this Pix with this rtrId, Own the open one of ours
	// with this id; either may be nil.
	Same *Refund
	Own  *Refund
	At   time.Time
}

// Refund decides about one event of a refund.
//
// The id alone proves nothing: it is unique within its Pix only, and the bank's
// app may have used ours. A refund is ours when its rtrId is the one that our
// own call was answered with.
func (r Rules) Refund(f RefundFacts) RefundDecision {
	c := f.Content
	switch {
	case !c.Status.Final():
		// What is not final moves nothing; its end is an event of its own.
		return RefundDecision{Result: ApplyKnown}
	case f.Payment == nil:
		return RefundDecision{Result: ApplyWait, Reason: ReasonNoCredit}
	case f.Same != nil && f.Same.State.Final():
		return f.afterTheEnd()
	case f.Same == nil && f.Own != nil && f.Own.Attempts > 0 && !f.Settled:
		return RefundDecision{Result: ApplyWait, Reason: ReasonOwnCallOpen}
	case !f.Confirmed:
		return f.ask()
	case f.Same != nil:
		return r.FinishRefund(*f.Payment, *f.Same, c.Status, f.At)
	case c.Status == pix.RefundFailed:
		return RefundDecision{Result: ApplyKnown}
	}
	return r.byPSP(f)
}

// afterTheEnd answers for a refund that is final in our books. The same end
// again is known; another end is a contradiction, which a person looks at once
// the PSP's own API has said it too.
func (f RefundFacts) afterTheEnd() RefundDecision {
	ended := pix.RefundReturned
	if f.Same.State == RefundFailed {
		ended = pix.RefundFailed
	}
	switch {
	case f.Content.Status == ended || !f.Content.Status.Final():
		return RefundDecision{Result: ApplyKnown}
	case !f.Confirmed:
		return f.ask()
	}
	id := RefundCase(f.Content.EndToEndID, f.Content.ID)
	return RefundDecision{Result: ApplyKnown, Notes: []CaseNote{{ID: id, Reason: ReasonRefundUndone}}}
}

// ask wants the PSP's own word. Where that was no, the PSP may be behind: the
// event waits. A return of more than is left is no such case, whatever the PSP
// will say: a person has to know of it now.
func (f RefundFacts) ask() RefundDecision {
	switch {
	case !f.Denied:
		return RefundDecision{Result: ApplyConfirm}
	case f.Same != nil || f.Content.Status != pix.RefundReturned ||
		f.Content.Amount <= f.Payment.Held.Total() || f.Payment.Refunding > 0:
		return RefundDecision{Result: ApplyWait, Reason: ReasonUnknownAtPSP}
	}
	id := RefundCase(f.Content.EndToEndID, f.Content.ID)
	return RefundDecision{
		Result: ApplyAside, Reason: ReasonUnknownAtPSP, Quarantine: QuarantineWaiting,
		Notes: []CaseNote{{ID: id, Reason: ReasonOverCap}, {ID: id, Reason: ReasonUnknownAtPSP}},
	}
}

// byPSP books a refund that nobody here asked for: MED, or the bank's app.
func (r Rules) byPSP(f RefundFacts) RefundDecision {
	c, p := f.Content, *f.Payment
	x := Refund{
		EndToEndID: c.EndToEndID, ID: c.ID, ReturnID: c.ReturnID, Amount: c.Amount, Nature: c.Nature,
		Origin: RefundByPSP, State: RefundReturned, RequestedAt: f.At, FinishedAt: f.At,
	}
	d := RefundDecision{Result: ApplyBooked, Payment: &p, Refund: &x}
	reference := "dev:" + string(c.EndToEndID) + ":" + string(c.ID) + ":fim"
	if c.Amount > p.Held.Total() {
		if !f.Settled {
			return f.overCap()
		}
		x.Excess = true
		x.Source = []Part{{AccountDivergence, c.Amount}}
		p.Held.Divergent -= c.Amount
		reference = "dev:" + string(c.EndToEndID) + ":" + string(c.ID) + ":excesso"
		d.Notes = []CaseNote{{ID: RefundCase(c.EndToEndID, c.ID), Account: AccountDivergence, Amount: -c.Amount, Reason: ReasonOverCap}}
	} else {
		x.Source = p.Held.take(c.Amount)
		p.Refunded += c.Amount
		d.Notes = notes(x, -1, ReasonRefunded)
	}
	p.Events++
	d.Transaction = movement(reference, f.At, x, p.Charge)
	d.Transaction.Entries = append(d.Transaction.Entries, refundEntry(x, AccountSettlement, -x.Amount, p.Charge))
	d.Outbox = refundOutbox(p, x, OutboxRefunded, f.At)
	if f.Own != nil && f.Own.Attempts == 0 {
		clash := *f.Own
		clash.Clash = true
		d.Clash = &clash
	}
	return d
}

// overCap waits where a refund of our own, still open, may be the one that
// gives way; else it is set aside until the statement speaks.
func (f RefundFacts) overCap() RefundDecision {
	if f.Payment.Refunding > 0 {
		return RefundDecision{Result: ApplyWait, Reason: ReasonOverCap}
	}
	return RefundDecision{
		Result: ApplyAside, Reason: ReasonOverCap, Quarantine: QuarantineWaiting,
		Notes: []CaseNote{{ID: RefundCase(f.Content.EndToEndID, f.Content.ID), Reason: ReasonOverCap}},
	}
}
