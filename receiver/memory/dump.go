package memory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

// Dump is every row as if one command had just made it, for who looks once at
// the end: events, transactions, outbox events and the operators' book in the
// order made, variants by event, keys by consumer, route and key, charges and
// payouts by consumer and reference, payments,
// memos and cases by id, refunds by Pix and then in the order made. Everything
// in it is a copy.
func (s *Store) Dump() receiver.ChangeSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	cs := receiver.ChangeSet{Command: "Dump", Operators: append([]receiver.OperatorRecord(nil), s.records...)}
	cs.Findings = slices.SortedFunc(slices.Values(s.findings.rows), receiver.Finding.Compare)
	for _, at := range s.events.rows {
		e := cloneEvent(at.row)
		cs.Events = append(cs.Events, receiver.EventChange{After: &e})
		cs.Variants = append(cs.Variants, s.variants.of(e.ID)...)
	}
	for _, row := range s.keys.ordered() {
		k := cloneKey(row)
		cs.Keys = append(cs.Keys, receiver.KeyChange{After: &k})
	}
	s.dumpCharges(&cs)
	s.dumpPayments(&cs)
	for _, row := range s.payouts.ordered() {
		x := clonePayout(row)
		cs.Payouts = append(cs.Payouts, receiver.PayoutChange{After: &x})
	}
	for _, t := range s.ledger.rows {
		cs.Transactions = append(cs.Transactions, cloneTransaction(t))
	}
	for _, id := range s.cases.ordered() {
		c := cloneCase(s.cases.rows[id])
		cs.Cases = append(cs.Cases, receiver.CaseChange{After: &c})
	}
	for _, at := range s.outbox.rows {
		o := *at.row
		cs.Outbox = append(cs.Outbox, receiver.OutboxChange{After: &o})
	}
	return cs
}

func (s *Store) dumpCharges(cs *receiver.ChangeSet) {
	for _, ref := range slices.SortedFunc(maps.Keys(s.charges.byRef), func(a, b receiver.ChargeRef) int {
		return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
	}) {
		c := *s.charges.find(ref)
		cs.Charges = append(cs.Charges, receiver.ChargeChange{After: &c})
	}
}

func (s *Store) dumpPayments(cs *receiver.ChangeSet) {
	for _, id := range slices.Sorted(maps.Keys(s.payments.byID)) {
		p := s.payments.byID[id]
		if p.payment != nil {
			row := *p.payment
			cs.Payments = append(cs.Payments, receiver.PaymentChange{After: &row})
		}
		if p.refunds == nil {
			continue
		}
		for _, at := range p.refunds.rows {
			x := cloneRefund(at.row)
			cs.Refunds = append(cs.Refunds, receiver.RefundChange{After: &x})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.memos.rows)) {
		cs.Memos = append(cs.Memos, *s.memos.rows[id])
	}
}
