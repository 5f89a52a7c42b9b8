package receiver

import (
	"fmt"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Reasons that stand on payouts, their events and their cases.
const (
	ReasonOtherPayout   = "the reference is that of another payout"
	ReasonNoPayout      = "no payout of ours has this key"
	ReasonPayoutDiffers = "the PSP says another amount or payee than was asked for"
	ReasonPayoutUndone  = "the PSP says otherwise than it said before"
	ReasonPayoutAfter   = "it counts as failed, and is in the statement"
	ReasonOverReturned  = "more came back than went out"
	ReasonMissedPayout  = "in the statement, not in the ledger"
)

// PayoutDecision is what to write about a payout.
type PayoutDecision struct {
	Result       ApplyResult
	Reason       string
	Quarantine   QuarantineKind
	Payout       *Payout
	Transactions []Transaction
	Notes        []CaseNote
	Outbox       []OutboxEvent
}

// ReservePayout decides whether a payout can be asked for, and takes its money
// aside. free is what the account has to spend.
func (r Rules) ReservePayout(want Payout, free pix.Amount, at time.Time) (ReserveResult, string, PayoutDecision) {
	if want.Amount > free {
		return ReserveRefused, ReasonNoBalance, PayoutDecision{}
	}
	want.State, want.RequestedAt = PayoutReserved, at
	t := Transaction{Reference: want.reference("reserva"), BookedAt: at, Entries: []Entry{
		{Account: AccountPaidOut, Cents: want.Amount}, {Account: AccountInTransit, Cents: -want.Amount},
	}}
	return ReserveDone, "", PayoutDecision{Payout: &want, Transactions: []Transaction{t}}
}

// RecordPayout decides about what a call taught of x. A call about a payout that
// is final changes nothing.
func (r Rules) RecordPayout(x Payout, call PayoutCall) PayoutDecision {
	if x.State.Final() {
		return PayoutDecision{}
	}
	stale := call.Version != x.Version // another has leased it since
	switch {
	case call.LookedUp && (stale || x.EndToEndID != ""):
		return PayoutDecision{}
	case call.LookedUp: // the call itself comes next, under the same lease
		x.EndToEndID = call.EndToEndID
		return PayoutDecision{Payout: &x}
	}
	if !stale {
		x.DueAt = call.DueAt
		if call.Answered {
			x.LastCallAt = x.PriorCallAt
		}
		if call.RefusedAt.After(x.RefusedAt) {
			x.RefusedAt, x.Problem = call.RefusedAt, call.Problem
		}
	}
	switch {
	case call.Status.Final():
		return r.finishPayout(x, call.EndToEndID, call.Status, call.Problem, call.Now)
	case call.Status != "":
		x.EndToEndID, x.State, x.Queued = call.EndToEndID, PayoutProcessing, false
	case call.Refused && !stale && x.State == PayoutReserved:
		return r.finishPayout(x, x.EndToEndID, pix.PayoutRejected, call.Problem, call.Now)
	case call.Queue && !stale:
		x.Queued = x.State == PayoutReserved
	}
	return PayoutDecision{Payout: &x}
}

// finishPayout books the end of a payout: confirmed, or put back.
func (r Rules) finishPayout(x Payout, id pix.EndToEndID, status pix.PayoutStatus, problem string, at time.Time) PayoutDecision {
	x.EndToEndID, x.FinishedAt, x.Queued = id, at, false
	t := Transaction{Reference: x.reference("fim"), BookedAt: at, Entries: []Entry{
		{Account: AccountInTransit, Cents: x.Amount, EndToEndID: id}, {Account: AccountSettlement, Cents: -x.Amount, EndToEndID: id},
	}}
	kind := OutboxPayoutConfirmed
	x.State = PayoutConfirmed
	if status != pix.PayoutConfirmed {
		kind = OutboxPayoutFailed
		x.State, x.Problem = PayoutFailed, problem
		t.Entries[1].Account = AccountPaidOut
	}
	told := x.tell(kind, x.Amount, at)
	return PayoutDecision{Result: ApplyBooked, Payout: &x, Transactions: []Transaction{t}, Outbox: []OutboxEvent{told}}
}

// PayoutFacts are what is known when an event about a payout is looked at.
type PayoutFacts struct {
	Content PayoutContent
	// Confirmed says that the PSP's own API vouches for Content, Settled that the
	// account statement does, Denied that the API does not know it.
	Confirmed bool
	Settled   bool
	Denied    bool
	Payout    *Payout // of that key; nil if there is none
	At        time.Time
}

// Payout decides about one event of a payout, or of a return. Whatever it says,
// it is a reason to ask and no more, unless it says what is booked already.
func (r Rules) Payout(f PayoutFacts) PayoutDecision {
	c, x := f.Content, f.Payout
	switch {
	case c.ReturnID == "" && !c.Status.Final(), x != nil && x.tells(c):
		return PayoutDecision{Result: ApplyKnown}
	case !f.Confirmed && f.Denied:
		return PayoutDecision{Result: ApplyWait, Reason: ReasonUnknownAtPSP}
	case !f.Confirmed:
		return PayoutDecision{Result: ApplyConfirm}
	case x == nil:
		return PayoutDecision{Result: ApplyAside, Reason: ReasonNoPayout, Quarantine: QuarantineWaiting, Notes: f.note(ReasonNoPayout)}
	case c.PixKey != x.PixKey || c.ReturnID == "" && c.Amount != x.Amount:
		return PayoutDecision{Result: ApplyKnown, Notes: f.note(ReasonPayoutDiffers)}
	case c.ReturnID != "":
		return r.comeBack(f)
	case x.State.Final():
		return f.afterTheEnd()
	}
	return r.finishPayout(*x, c.EndToEndID, c.Status, "", f.At)
}

// tells says whether content tells nothing that the books do not have.
func (p *Payout) tells(c PayoutContent) bool {
	switch {
	case c.ReturnID != "":
		return p.HasReturn(c.ReturnID)
	case p.State == PayoutConfirmed:
		return c.Status == pix.PayoutConfirmed && c.EndToEndID == p.EndToEndID && c.Amount == p.Amount
	}
	return p.State == PayoutFailed && c.Status == pix.PayoutRejected
}

func (f PayoutFacts) note(reason string) []CaseNote {
	return []CaseNote{{ID: PayoutCase(f.Content.Key), Reason: reason}}
}

// comeBack books a return, and before it the payout's end where that is not
// known yet: what comes back has gone out.
func (r Rules) comeBack(f PayoutFacts) PayoutDecision {
	c, x := f.Content, *f.Payout
	d := PayoutDecision{Result: ApplyBooked}
	switch {
	case x.State == PayoutFailed || c.Amount > x.Amount-x.Returned():
		reason := ReasonOverReturned
		if x.State == PayoutFailed {
			reason = ReasonPayoutUndone
		}
		return PayoutDecision{Result: ApplyKnown, Notes: f.note(reason)}
	case !x.State.Final():
		d = r.finishPayout(x, c.EndToEndID, pix.PayoutConfirmed, "", f.At)
		x = *d.Payout
	}
	x.Returns = append(slices.Clone(x.Returns), PayoutReturn{ReturnID: c.ReturnID, Amount: c.Amount})
	d.Payout, d.Outbox = &x, append(d.Outbox, x.tell(OutboxPayoutReturned, c.Amount, f.At))
	d.Transactions = append(d.Transactions, Transaction{Reference: x.reference("ret:" + string(c.ReturnID)), BookedAt: f.At, Entries: []Entry{
		{Account: AccountSettlement, Cents: c.Amount, EndToEndID: c.EndToEndID, ReturnID: c.ReturnID},
		{Account: AccountUndecided, Cents: -c.Amount, EndToEndID: c.EndToEndID},
	}})
	return d
}

// afterTheEnd answers for a payout that ended otherwise in our books: a person
// looks at it. What stands in the statement went all the same, and is booked
// against suspense; the payout stays what it counts as.
func (f PayoutFacts) afterTheEnd() PayoutDecision {
	c, x := f.Content, *f.Payout
	d := PayoutDecision{Result: ApplyKnown, Notes: f.note(ReasonPayoutUndone)}
	if x.State != PayoutFailed || c.Status != pix.PayoutConfirmed || !f.Settled || x.InStatement {
		return d
	}
	x.EndToEndID, x.InStatement = c.EndToEndID, true
	d.Result, d.Payout = ApplyBooked, &x
	d.Outbox = []OutboxEvent{x.tell(OutboxPayoutAdjusted, -x.Amount, f.At)}
	d.Notes = []CaseNote{{ID: PayoutCase(c.Key), Account: AccountDivergence, Amount: -x.Amount, Reason: ReasonPayoutAfter}}
	d.Transactions = []Transaction{{Reference: AdjustReference(PayoutCase(c.Key)), BookedAt: f.At, Entries: []Entry{
		{Account: AccountDivergence, Cents: x.Amount, EndToEndID: c.EndToEndID},
		{Account: AccountSettlement, Cents: -x.Amount, EndToEndID: c.EndToEndID},
	}}}
	return d
}

// PayoutLine are the facts about a payout's line, or about that of a return, whose
// ID is the return's. x is the payout with the line's endToEndId, nil if there is
// none; inFlight says that the inbox still works on it, or that a payout of ours
// over as much has no answer yet.
func PayoutLine(line pix.StatementLine, x *Payout, inFlight bool) LineFacts {
	net := pix.Amount(0)
	switch {
	case x == nil:
	case line.Kind == pix.KindReturnIn:
		if i := slices.IndexFunc(x.Returns, func(b PayoutReturn) bool { return string(b.ReturnID) == line.ID }); i >= 0 {
			net = x.Returns[i].Amount
		}
	case x.State == PayoutConfirmed || x.State == PayoutFailed && x.InStatement:
		net = -x.Amount
	}
	booked := net != 0
	return LineFacts{
		Line: line, Net: net, Ended: booked,
		InFlight: !booked && (inFlight || x != nil && !x.State.Final()),
	}
}

// Seen is the payout once a line of the statement was seen, and whether that is
// news.
func (p Payout) Seen(line pix.StatementLine) (after Payout, news bool) {
	if line.Kind != pix.KindReturnIn {
		news = !p.InStatement
		p.InStatement = true
		return p, news
	}
	p.Returns = slices.Clone(p.Returns)
	for i := range p.Returns {
		if r := &p.Returns[i]; string(r.ReturnID) == line.ID {
			news = !r.InStatement
			r.InStatement = true
		}
	}
	return p, news
}

// The ways in which an operator ends a payout's wait in the conciliation queue.
const (
	// ResolveRetry sends it again, under the same key: the operator knows that the
	// PSP still remembers that key, or that it has nothing.
	ResolveRetry = "retry payout"
	// ResolveFailed puts the money back: the operator knows from the PSP that it
	// was never made, and will not be.
	ResolveFailed = "fail payout"
)

// ResolvePayout decides about an operator's word on a payout in the conciliation
// queue. The error is the refusal's reason.
func (r Rules) ResolvePayout(x Payout, res PayoutResolution) (PayoutDecision, error) {
	switch {
	case !x.Queued:
		return PayoutDecision{}, fmt.Errorf("payout %s is not in the conciliation queue", x.Reference)
	case res.Note == "":
		return PayoutDecision{}, fmt.Errorf("payout %s: want a reason", x.Reference)
	case res.Action == ResolveFailed:
		return r.finishPayout(x, x.EndToEndID, pix.PayoutRejected, res.Note, res.Now), nil
	case res.Action == ResolveRetry:
		x.Queued, x.Attempts, x.DueAt = false, 0, res.Now
		return PayoutDecision{Payout: &x}, nil
	}
	return PayoutDecision{}, fmt.Errorf("payout %s: %q is unknown; known are %q, %q", x.Reference, res.Action, ResolveRetry, ResolveFailed)
}
