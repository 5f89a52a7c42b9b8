package memory

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/storetest"
)

// The whole suite again, with every index compared with the rows, and what
// payments hold with the ledger, at each commit.
func TestIndexesFollowRows(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, rules receiver.Rules, now func() time.Time) receiver.Store {
		var s *Store
		s = New(Config{Rules: rules, Now: now, Observe: func(cs *receiver.ChangeSet) {
			if err := errors.Join(verify(s), verifyMoney(s)); err != nil {
				t.Errorf("after %s: %v", cs.Command, err)
			}
		}})
		return s
	})
}

// verify makes each index anew from the rows and compares.
func verify(s *Store) error {
	for _, check := range []func(*Store) error{
		verifyEvents, verifyCharges, verifyPayments, verifyRefunds, verifyUnseenRefunds, verifyPayouts, verifyMemos, verifyOutbox, verifyLedger,
	} {
		if err := check(s); err != nil {
			return err
		}
	}
	if ids := slices.Clone(s.cases.ids); len(ids) != len(s.cases.rows) {
		return fmt.Errorf("cases: %d ids of %d rows", len(ids), len(s.cases.rows))
	}
	return nil
}

func verifyQueue[T any](name string, q queue[T], want int) error {
	if len(q.heap) != want {
		return fmt.Errorf("%s queue: %d, want %d", name, len(q.heap), want)
	}
	for i, at := range q.heap {
		if at.pos != i+1 {
			return fmt.Errorf("%s queue: slot %d thinks it is %d", name, i, at.pos-1)
		}
		if i > 0 && q.less(at.row, q.heap[(i-1)/2].row) {
			return fmt.Errorf("%s queue: %d comes before its parent", name, i)
		}
	}
	return nil
}

func verifyEvents(s *Store) error {
	received := 0
	var aside []int64
	waiting := map[pix.TxID][]int64{}
	credits, refunds, payouts := map[pix.EndToEndID]int{}, map[pix.EndToEndID]int{}, map[pix.EndToEndID]int{}
	held := map[pix.EndToEndID][]int64{}
	for i, at := range s.events.rows {
		e := at.row
		if e.ID != int64(i)+1 || s.events.byKey[at.row.Source][at.row.Key] != at {
			return fmt.Errorf("event %d: lost", e.ID)
		}
		if e.State == receiver.EventReceived {
			received++
		}
		switch {
		case !inFlight(e):
		case e.Refund != nil:
			refunds[e.Refund.EndToEndID]++
		case e.Payout != nil:
			payouts[e.Payout.EndToEndID]++
		default:
			credits[e.Credit.EndToEndID]++
		}
		if e.Refund != nil && e.State == receiver.EventQuarantined && e.Quarantine == receiver.QuarantineWaiting {
			held[e.Refund.EndToEndID] = append(held[e.Refund.EndToEndID], e.ID)
		}
		if e.State == receiver.EventQuarantined {
			aside = append(aside, e.ID)
		}
		if id := awaited(e); id != "" {
			waiting[id] = append(waiting[id], e.ID)
		}
	}
	if !slices.Equal(aside, s.events.aside) {
		return fmt.Errorf("aside: %d, want %d", s.events.aside, aside)
	}
	for id, list := range s.events.waiting {
		if !slices.Equal(list, waiting[id]) {
			return fmt.Errorf("waiting for %s: %d, want %d", id, list, waiting[id])
		}
		delete(waiting, id)
	}
	if len(waiting) > 0 {
		return fmt.Errorf("waiting: lost %v", waiting)
	}
	for id, p := range s.payments.byID {
		var r pixRefunds
		if p.refunds != nil {
			r = *p.refunds
		}
		if p.payoutsInFlight != payouts[id] {
			return fmt.Errorf("%s: %d in flight about a payout, want %d", id, p.payoutsInFlight, payouts[id])
		}
		if p.inFlight != credits[id] || r.inFlight != refunds[id] {
			return fmt.Errorf("%s: %d and %d in flight, want %d and %d", id, p.inFlight, r.inFlight, credits[id], refunds[id])
		}
		if !slices.Equal(r.waiting, held[id]) {
			return fmt.Errorf("%s: %d wait, want %d", id, r.waiting, held[id])
		}
	}
	keys := 0
	for _, byKey := range s.events.byKey {
		keys += len(byKey)
	}
	if keys != len(s.events.rows) {
		return fmt.Errorf("events: %d keys of %d rows", keys, len(s.events.rows))
	}
	return verifyQueue("inbox", s.events.due, received)
}

func verifyCharges(s *Store) error {
	intended := 0
	txids := 0
	for _, at := range s.charges.byRef {
		if at.row.State == receiver.ChargeIntended {
			intended++
		}
		if at.row.TxID != "" {
			txids++
			if s.charges.byTxID[at.row.TxID] != at {
				return fmt.Errorf("charge %s: not under its txid", at.row.Reference)
			}
		}
	}
	if txids != len(s.charges.byTxID) {
		return fmt.Errorf("charges: %d txids, want %d", len(s.charges.byTxID), txids)
	}
	return verifyQueue("charges", s.charges.due, intended)
}

func verifyPayments(s *Store) error {
	unseen, unidentified := 0, 0
	var unspendable pix.Amount
	for _, p := range s.payments.byID {
		if p.payment == nil {
			continue
		}
		unspendable += p.payment.Unspendable()
		if !p.payment.InStatement {
			unseen++
		}
		if id := unplaced(p.payment); id != "" {
			unidentified++
			if !slices.Contains(s.payments.unidentified[id], p.payment) {
				return fmt.Errorf("%s: not among the unidentified", p.payment.EndToEndID)
			}
		}
	}
	if unspendable != s.payments.unspendable {
		return fmt.Errorf("unspendable: %d, want %d", s.payments.unspendable, unspendable)
	}
	for _, list := range s.payments.unidentified {
		unidentified -= len(list)
	}
	if unidentified != 0 {
		return fmt.Errorf("unidentified: %d too few", unidentified)
	}
	got := everyUnseen(&s.payments.unseen)
	if len(got) != unseen {
		return fmt.Errorf("unseen: %d, want %d", len(got), unseen)
	}
	for i, id := range got {
		if p := s.payments.find(id); p == nil || p.InStatement {
			return fmt.Errorf("unseen: %s at %d is seen", id, i)
		}
	}
	return nil
}

func everyUnseen[K comparable](l *unseenList[K]) []K {
	return l.page(unseenEntry[K]{}, time.Unix(1<<40, 0), 0, func(K) bool { return true })
}

func verifyUnseenRefunds(s *Store) error {
	want := 0
	for _, p := range s.payments.byID {
		if p.refunds == nil {
			continue
		}
		for _, at := range p.refunds.rows {
			if at.row.State == receiver.RefundReturned && !at.row.InStatement {
				want++
			}
		}
	}
	got := everyUnseen(&s.refunds.unseen)
	if len(got) != want {
		return fmt.Errorf("unseen refunds: %d, want %d", len(got), want)
	}
	for _, l := range got {
		if x := s.payments.refundsOf(l.e2e).returned(l.returned); x == nil || x.InStatement || x.State != receiver.RefundReturned {
			return fmt.Errorf("unseen refunds: %s of %s is none", l.returned, l.e2e)
		}
	}
	return nil
}

func verifyOutbox(s *Store) error {
	heads, lines := map[string]int{}, 0
	of := map[string]outboxLines{}
	for id, p := range s.payments.byID {
		of[string(id)] = p.lines
	}
	for key, told := range s.payouts.lines {
		of[receiver.PayoutLineOf(key)] = *told
	}
	for about, all := range of {
		for _, l := range all {
			lines += len(l.rows)
			i := slices.IndexFunc(l.rows, func(at *slot[receiver.OutboxEvent]) bool { return !at.row.Sent && !at.row.Skipped })
			switch {
			case i < 0 || l.rows[i].row.Dead:
				if l.next != nil {
					return fmt.Errorf("outbox of %s to %s: something may go, want nothing", about, l.endpoint)
				}
			case l.next != l.rows[i] || l.next.pos == 0:
				return fmt.Errorf("outbox of %s to %s: not its first unsent", about, l.endpoint)
			default:
				heads[l.endpoint]++
			}
		}
	}
	if lines != len(s.outbox.rows) {
		return fmt.Errorf("outbox: %d in lines, want %d", lines, len(s.outbox.rows))
	}
	for endpoint, q := range s.outbox.due {
		if err := verifyQueue("outbox to "+endpoint, *q, heads[endpoint]); err != nil {
			return err
		}
	}
	return nil
}

func verifyLedger(s *Store) error {
	balances := map[receiver.Account]pix.Amount{}
	type line struct {
		id     pix.EndToEndID
		refund pix.ReturnID
	}
	net := map[line]pix.Amount{}
	for i, t := range s.ledger.rows {
		if t.ID != int64(i)+1 || !s.ledger.used(t.Reference) {
			return fmt.Errorf("transaction %s: lost", t.Reference)
		}
		for _, e := range t.Entries {
			balances[e.Account] += e.Cents
			if e.Account == receiver.AccountSettlement {
				net[line{e.EndToEndID, e.ReturnID}] += e.Cents
			}
		}
	}
	for a, got := range s.ledger.balances {
		if got != balances[a] {
			return fmt.Errorf("balance of %s: %s, want %s", a, got, balances[a])
		}
	}
	for id, p := range s.payments.byID {
		if p.net != net[line{id: id}] {
			return fmt.Errorf("net of %s: %s, want %s", id, p.net, net[line{id: id}])
		}
		if p.refunds == nil {
			continue
		}
		for _, got := range p.refunds.nets {
			if want := net[line{id, got.id}]; got.cents != want {
				return fmt.Errorf("net of %s %s: %s, want %s", id, got.id, got.cents, want)
			}
		}
	}
	if len(s.ledger.references) != len(s.ledger.rows) {
		return fmt.Errorf("ledger: %d references of %d rows", len(s.ledger.references), len(s.ledger.rows))
	}
	return nil
}
