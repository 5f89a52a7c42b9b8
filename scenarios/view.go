package scenarios

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// View is the state of the store and of the PSP's truth, kept up change by
// change, so that a check at every commit costs what changed and not what is.
type View struct {
	// Pix is what there is about each Pix.
	Pix    map[pix.EndToEndID]*PixView
	Events numbered[receiver.Event]
	// Unreadable are the events that speak of no Pix.
	Unreadable map[int64]*receiver.Event
	Charges    map[receiver.ChargeRef]*receiver.Charge
	// ByRefund are the events by the state of a refund that they speak of.
	ByRefund map[refundState]*receiver.Event
	Cases    map[string]*receiver.Case
	Outbox   outboxView
	Variants []receiver.Variant
	// Balance is the sum of entries by account.
	Balance map[receiver.Account]pix.Amount
	// Unspendable is what Pix hold that nobody has vouched for yet.
	Unspendable pix.Amount
	// Returned is what the settlement account has for the line of a refund.
	Returned map[returnLine]pix.Amount
	// Revenue is what reached revenue, by charge.
	Revenue map[string]pix.Amount
	// References are those of all transactions, Repeated says how often those came
	// that came more than once.
	References map[string]struct{}
	Repeated   map[string]int

	// Answers are the first answers given under idempotency keys.
	Answers answers
	// MadeCharges are the txids of charges that the PSP was asked to make and that
	// are not the plan's.
	MadeCharges map[pix.TxID]bool
	// Payouts are the payouts by key, ByPayout the events about them by inbox key,
	// InTransit what the ledger has set aside for each.
	Payouts   map[string]*receiver.Payout
	ByPayout  map[string]*receiver.Event
	InTransit map[string]pix.Amount
	// TruthPayouts are the payouts at the PSP as they stand, TruthByKey their ids by
	// key, in order.
	TruthPayouts map[pix.EndToEndID]fakepsp.PayoutRow
	TruthByKey   map[string][]pix.EndToEndID

	// Memos are the blocks under MED that the receiver was told of.
	Memos map[string]receiver.Memo

	// endpoints are the names of those that hear of every effect.
	endpoints []string

	// TruthRefunds are the refunds that came to their end at the PSP, in order.
	TruthRefunds []TrueRefund
	// Said are amounts that the PSP told of with a valid signature although
	// they were not so: what an unconfirmed booking may rest on for a while.
	Said map[pix.EndToEndID][]pix.Amount
}

// PixView is what there is about one Pix.
type PixView struct {
	// Event speaks of its credit, nil if none does; Payment is nil until booked.
	Event   *receiver.Event
	Payment *receiver.Payment
	// Refunds are its refunds, in the order in which they came.
	Refunds []*receiver.Refund
	// Money is what the ledger has, Truth what settled at the PSP.
	Money PixMoney
	Truth TruePix
}

// TruePix is what the checks want to know of a Pix that settled at the PSP. It
// is zero while nothing settled.
type TruePix struct {
	Settled bool
	TxID    pix.TxID
	Amount  pix.Amount
	PaidAt  time.Time
}

// TrueRefund is what they want to know of a refund that ended there.
type TrueRefund struct {
	EndToEndID pix.EndToEndID
	ID         pix.RefundID
	ReturnID   pix.ReturnID
	Amount     pix.Amount
	Nature     string
	Status     pix.RefundStatus
}

// PixMoney is the ledger's account of one Pix.
type PixMoney struct {
	// Net is its net on the settlement account.
	Net pix.Amount
	// Credited is the part of Net that is the credit's own line: refunds are not
	// in it.
	Credited pix.Amount
	// Credits are the credits booked for it: adjustments are none.
	Credits []pix.Amount
	// Suspense is what it has in suspense, by account.
	Suspense map[receiver.Account]pix.Amount
}

func newView() *View {
	return &View{
		Pix: map[pix.EndToEndID]*PixView{}, Unreadable: map[int64]*receiver.Event{}, ByRefund: map[refundState]*receiver.Event{},
		Charges: map[receiver.ChargeRef]*receiver.Charge{},
		Cases:   map[string]*receiver.Case{}, Balance: map[receiver.Account]pix.Amount{},
		Revenue: map[string]pix.Amount{}, References: map[string]struct{}{}, Repeated: map[string]int{},
		Returned: map[returnLine]pix.Amount{}, Memos: map[string]receiver.Memo{},
		Answers: newAnswers(), MadeCharges: map[pix.TxID]bool{},
		Payouts: map[string]*receiver.Payout{}, ByPayout: map[string]*receiver.Event{}, InTransit: map[string]pix.Amount{},
		TruthPayouts: map[pix.EndToEndID]fakepsp.PayoutRow{}, TruthByKey: map[string][]pix.EndToEndID{},
		Said: map[pix.EndToEndID][]pix.Amount{}, Outbox: newOutboxView(),
	}
}

// of is what there is about a Pix, made when there is something.
func (v *View) of(id pix.EndToEndID) *PixView {
	p := v.Pix[id]
	if p == nil {
		p = &PixView{}
		v.Pix[id] = p
	}
	return p
}

// at is what there is about a Pix, all zero if nothing is. It is only read.
func (v *View) at(id pix.EndToEndID) PixView {
	if p := v.Pix[id]; p != nil {
		return *p
	}
	return PixView{}
}

// numbered are rows by their ids, which the store counts from 1.
type numbered[T any] []*T

// at is the row of an id, nil if there is none.
func (l numbered[T]) at(id int64) *T {
	if id < 1 || id > int64(len(l)) {
		return nil
	}
	return l[id-1]
}

func (l *numbered[T]) put(id int64, row *T) {
	for int64(len(*l)) < id {
		*l = append(*l, nil)
	}
	(*l)[id-1] = row
}

// all are the rows there are, in the order of their ids.
func (l numbered[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, row := range l {
			if row != nil && !yield(row) {
				return
			}
		}
	}
}

// apply brings the view up to a commit. It keeps the rows of the change set,
// which are copies.
func (v *View) apply(cs *receiver.ChangeSet) {
	for _, c := range cs.Events {
		v.Events.put(c.After.ID, c.After)
		switch {
		case c.After.Credit != nil:
			v.of(c.After.Credit.EndToEndID).Event = c.After
		case c.After.Refund != nil:
			v.ByRefund[refundState{c.After.Refund.EndToEndID, c.After.Refund.ID, c.After.Refund.Status}] = c.After
		case c.After.Payout != nil:
			v.ByPayout[c.After.Key] = c.After
		default:
			v.Unreadable[c.After.ID] = c.After
		}
	}
	for _, c := range cs.Keys {
		v.Answers.follow(c)
	}
	for _, c := range cs.Charges {
		v.Charges[receiver.ChargeRef{Consumer: c.After.Consumer, Reference: c.After.Reference}] = c.After
	}
	for _, c := range cs.Payments {
		v.putPayment(c)
	}
	for _, c := range cs.Refunds {
		v.putRefund(c)
	}
	for _, c := range cs.Payouts {
		v.Payouts[c.After.Key] = c.After
	}
	for _, m := range cs.Memos {
		v.Memos[m.ID] = m
	}
	for _, c := range cs.Cases {
		v.Cases[c.After.ID] = c.After
	}
	for _, c := range cs.Outbox {
		v.Outbox.put(c.After)
	}
	v.Variants = append(v.Variants, cs.Variants...)
	for _, t := range cs.Transactions {
		v.post(t)
	}
}

// returnLine names a refund's line of the statement.
type returnLine struct {
	pix pix.EndToEndID
	id  pix.ReturnID
}

// refundState names one state of one refund.
type refundState struct {
	pix    pix.EndToEndID
	id     pix.RefundID
	status pix.RefundStatus
}

func (v *View) putPayment(c receiver.PaymentChange) {
	v.Unspendable += c.After.Unspendable()
	if c.Before != nil {
		v.Unspendable -= c.Before.Unspendable()
	}
	v.of(c.After.EndToEndID).Payment = c.After
}

// putRefund replaces a refund's row, or adds it.
func (v *View) putRefund(c receiver.RefundChange) {
	p := v.of(c.After.EndToEndID)
	for i, r := range p.Refunds {
		same := r.Origin == c.After.Origin && r.Intention() == c.After.Intention() &&
			(r.Origin == receiver.RefundByMerchant || r.ReturnID == c.After.ReturnID)
		if same {
			p.Refunds[i] = c.After
			return
		}
	}
	p.Refunds = append(p.Refunds, c.After)
}

func (v *View) post(t receiver.Transaction) {
	if _, known := v.References[t.Reference]; known {
		v.Repeated[t.Reference] = max(v.Repeated[t.Reference], 1) + 1
	}
	v.References[t.Reference] = struct{}{}
	adjusts := strings.HasPrefix(t.Reference, receiver.AdjustReference(""))
	payout, _, _ := strings.Cut(strings.TrimPrefix(t.Reference, "pay:"), ":")
	for _, e := range t.Entries {
		v.Balance[e.Account] += e.Cents
		if e.Account == receiver.AccountInTransit {
			v.InTransit[payout] += e.Cents
		}
		if e.Account == receiver.AccountRevenue {
			v.Revenue[e.Charge] -= e.Cents
		}
		if e.EndToEndID == "" {
			continue
		}
		m := &v.of(e.EndToEndID).Money
		switch {
		case e.Account == receiver.AccountSettlement:
			m.Net += e.Cents
			if e.ReturnID == "" {
				m.Credited += e.Cents
			} else {
				v.Returned[returnLine{e.EndToEndID, e.ReturnID}] += e.Cents
			}
			if e.Cents > 0 && !adjusts && e.ReturnID == "" {
				m.Credits = append(m.Credits, e.Cents)
			}
		case e.Account.Suspense():
			if m.Suspense == nil {
				m.Suspense = map[receiver.Account]pix.Amount{}
			}
			m.Suspense[e.Account] -= e.Cents
		}
	}
}

// sorted are a map's keys in order, so that no finding depends on map order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
