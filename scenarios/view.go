package scenarios

import (
	"cmp"
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
	Events map[int64]*receiver.Event
	// ByPix are the events by the Pix they speak of, Unreadable the others.
	ByPix      map[pix.EndToEndID]*receiver.Event
	Unreadable map[int64]*receiver.Event
	Charges    map[receiver.ChargeRef]*receiver.Charge
	ByTxID     map[pix.TxID]*receiver.Charge
	Payments   map[pix.EndToEndID]*receiver.Payment
	// ByRefund are the events by the state of a refund that they speak of.
	ByRefund map[refundState]*receiver.Event
	// Refunds are the refunds by Pix, in the order in which they came.
	Refunds  map[pix.EndToEndID][]*receiver.Refund
	Cases    map[string]*receiver.Case
	Outbox   map[int64]*receiver.OutboxEvent
	Variants []receiver.Variant
	// Balance is the sum of entries by account.
	Balance map[receiver.Account]pix.Amount
	// Money is what the ledger has by Pix.
	Money map[pix.EndToEndID]*PixMoney
	// Returned is what the settlement account has for the line of a refund.
	Returned map[returnLine]pix.Amount
	// Revenue is what reached revenue, by charge.
	Revenue    map[string]pix.Amount
	References map[string]int

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

	// TruthRefunds are the refunds that settled at the PSP, in order.
	TruthRefunds []fakepsp.RefundRow
	// Truth is what settled at the PSP.
	Truth map[pix.EndToEndID]TruePix
	// Said are amounts that the PSP told of with a valid signature although
	// they were not so: what an unconfirmed booking may rest on for a while.
	Said map[pix.EndToEndID][]pix.Amount
}

// TruePix is what the checks want to know of a Pix that settled at the PSP.
type TruePix struct {
	TxID   pix.TxID
	Amount pix.Amount
	PaidAt time.Time
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
		Events: map[int64]*receiver.Event{}, ByPix: map[pix.EndToEndID]*receiver.Event{}, Unreadable: map[int64]*receiver.Event{},
		ByRefund: map[refundState]*receiver.Event{}, Refunds: map[pix.EndToEndID][]*receiver.Refund{},
		Charges: map[receiver.ChargeRef]*receiver.Charge{}, ByTxID: map[pix.TxID]*receiver.Charge{},
		Payments: map[pix.EndToEndID]*receiver.Payment{}, Cases: map[string]*receiver.Case{},
		Outbox: map[int64]*receiver.OutboxEvent{}, Balance: map[receiver.Account]pix.Amount{},
		Money: map[pix.EndToEndID]*PixMoney{}, Revenue: map[string]pix.Amount{}, References: map[string]int{},
		Returned: map[returnLine]pix.Amount{}, Memos: map[string]receiver.Memo{},
		Payouts: map[string]*receiver.Payout{}, ByPayout: map[string]*receiver.Event{}, InTransit: map[string]pix.Amount{},
		TruthPayouts: map[pix.EndToEndID]fakepsp.PayoutRow{}, TruthByKey: map[string][]pix.EndToEndID{},
		Truth: map[pix.EndToEndID]TruePix{}, Said: map[pix.EndToEndID][]pix.Amount{},
	}
}

// apply brings the view up to a commit. It keeps the rows of the change set,
// which are copies.
func (v *View) apply(cs *receiver.ChangeSet) {
	for _, c := range cs.Events {
		v.Events[c.After.ID] = c.After
		switch {
		case c.After.Credit != nil:
			v.ByPix[c.After.Credit.EndToEndID] = c.After
		case c.After.Refund != nil:
			v.ByRefund[refundState{c.After.Refund.EndToEndID, c.After.Refund.ID, c.After.Refund.Status}] = c.After
		case c.After.Payout != nil:
			v.ByPayout[c.After.Key] = c.After
		default:
			v.Unreadable[c.After.ID] = c.After
		}
	}
	for _, c := range cs.Charges {
		v.Charges[receiver.ChargeRef{Consumer: c.After.Consumer, Reference: c.After.Reference}] = c.After
		v.ByTxID[c.After.TxID] = c.After
	}
	for _, c := range cs.Payments {
		v.Payments[c.After.EndToEndID] = c.After
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
		v.Outbox[c.After.ID] = c.After
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

// putRefund replaces a refund's row, or adds it.
func (v *View) putRefund(c receiver.RefundChange) {
	list := v.Refunds[c.After.EndToEndID]
	for i, r := range list {
		same := r.Origin == c.After.Origin && r.Intention() == c.After.Intention() &&
			(r.Origin == receiver.RefundByMerchant || r.ReturnID == c.After.ReturnID)
		if same {
			list[i] = c.After
			return
		}
	}
	v.Refunds[c.After.EndToEndID] = append(list, c.After)
}

func (v *View) post(t receiver.Transaction) {
	v.References[t.Reference]++
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
		m := v.money(e.EndToEndID)
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

func (v *View) money(id pix.EndToEndID) *PixMoney {
	m := v.Money[id]
	if m == nil {
		m = &PixMoney{}
		v.Money[id] = m
	}
	return m
}

// sorted are a map's keys in order, so that no finding depends on map order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
