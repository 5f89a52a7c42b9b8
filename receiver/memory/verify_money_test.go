package memory

import (
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func verifyRefunds(s *Store) error {
	open, merchants := 0, 0
	for id, p := range s.payments.byID {
		if p.refunds == nil {
			continue
		}
		known := map[pix.ReturnID]bool{}
		for _, at := range p.refunds.rows {
			x := at.row
			if x.EndToEndID != id {
				return fmt.Errorf("refund %s of %s: among those of %s", x.ID, x.EndToEndID, id)
			}
			if x.ReturnID != "" && known[x.ReturnID] {
				return fmt.Errorf("refund %s of %s: there twice", x.ReturnID, id)
			}
			known[x.ReturnID] = true
			if x.Origin != receiver.RefundByMerchant {
				continue
			}
			merchants++
			if s.refunds.byRef[refundRefOf(x)] != at {
				return fmt.Errorf("refund %s: not under its reference", x.Intention())
			}
			if !x.State.Final() {
				open++
			}
		}
	}
	if merchants != len(s.refunds.byRef) {
		return fmt.Errorf("refunds: %d references, want %d", len(s.refunds.byRef), merchants)
	}
	return verifyQueue("refunds", s.refunds.due, open)
}

func verifyMemos(s *Store) error {
	var sum pix.Amount
	for id, m := range s.memos.rows {
		if m.ID != id {
			return fmt.Errorf("memo %s: under %s", m.ID, id)
		}
		if !m.Released {
			sum += m.Amount
		}
	}
	if sum != s.memos.blocked {
		return fmt.Errorf("blocked: %s, want %s", s.memos.blocked, sum)
	}
	return nil
}

// pixMoney is what the ledger has of one Pix.
type pixMoney struct {
	on       map[receiver.Account]pix.Amount
	adjusted pix.Amount
}

// moneyOf sums the ledger by Pix.
func moneyOf(s *Store) map[pix.EndToEndID]pixMoney {
	all := map[pix.EndToEndID]pixMoney{}
	for _, t := range s.ledger.rows {
		for _, e := range t.Entries {
			m := all[e.EndToEndID]
			if m.on == nil {
				m.on = map[receiver.Account]pix.Amount{}
			}
			m.on[e.Account] += e.Cents
			if e.Account == receiver.AccountSettlement && strings.HasPrefix(t.Reference, receiver.AdjustReference("")) {
				m.adjusted += e.Cents
			}
			all[e.EndToEndID] = m
		}
	}
	return all
}

// verifyMoney compares what each payment says of its money with the ledger, its
// refunds and the open cases.
func verifyMoney(s *Store) error {
	ledger := moneyOf(s)
	for id, at := range s.payments.byID {
		if at.payment == nil {
			continue
		}
		p, m := at.payment, ledger[id]
		var excess, refunding, refunded pix.Amount
		for _, x := range at.refundRows() {
			switch {
			case !x.State.Final():
				refunding += x.Amount
			case x.Excess:
				excess += x.Amount
			case x.State == receiver.RefundReturned:
				refunded += x.Amount
			}
		}
		for _, c := range []struct {
			what      string
			got, want pix.Amount
		}{
			{"all", p.Held.Total() + p.Refunding + p.Refunded + excess, p.Amount + m.adjusted},
			{"revenue", p.Held.Revenue, -m.on[receiver.AccountRevenue] - m.on[receiver.AccountRefunds]},
			{"to return", p.Held.ToReturn, -m.on[receiver.AccountToReturn]},
			{"unidentified", p.Held.Unidentified, -m.on[receiver.AccountUnidentified]},
			{"divergent", p.Held.Divergent, -m.on[receiver.AccountDivergence]},
			{"in process", p.Refunding, -m.on[receiver.AccountInProcess]},
			{"refunding", p.Refunding, refunding},
			{"refunded", p.Refunded, refunded},
			{"cases of unidentified", openCases(s, id, receiver.AccountUnidentified), p.Held.Unidentified},
			{"cases of divergent", openCases(s, id, receiver.AccountDivergence), p.Held.Divergent},
		} {
			if c.got != c.want {
				return fmt.Errorf("%s: %s: got %s, want %s", id, c.what, c.got, c.want)
			}
		}
	}
	return nil
}

func (p *pixState) refundRows() []*receiver.Refund {
	var out []*receiver.Refund
	p.refunds.first(func(x *receiver.Refund) bool {
		out = append(out, x)
		return false
	})
	return out
}

// openCases is the money of the open cases about a Pix on one account.
func openCases(s *Store, id pix.EndToEndID, a receiver.Account) pix.Amount {
	var sum pix.Amount
	for _, c := range s.cases.rows {
		if c.EndToEndID == id && c.Account == a && c.State == receiver.CaseOpen {
			sum += c.Amount
		}
	}
	return sum
}

// verifyPayouts compares the indexes of payouts with their rows, and what the
// ledger holds for those in transit with those whose end is not known.
func verifyPayouts(s *Store) error {
	open, sent := 0, 0
	var held pix.Amount
	for ref, at := range s.payouts.byRef {
		x := at.row
		if payoutRefOf(x) != ref || s.payouts.byKey[x.Key] != at {
			return fmt.Errorf("payout %s: not under its reference and key", x.Reference)
		}
		if x.EndToEndID != "" {
			sent++
			if s.payouts.byID[x.EndToEndID] != at {
				return fmt.Errorf("payout %s: not under its endToEndId", x.Reference)
			}
		}
		if !x.State.Final() {
			open++
			held += x.Amount
		}
	}
	if len(s.payouts.byKey) != len(s.payouts.byRef) || len(s.payouts.byID) != sent {
		return fmt.Errorf("payouts: %d keys and %d ids of %d rows", len(s.payouts.byKey), len(s.payouts.byID), len(s.payouts.byRef))
	}
	if got := -s.ledger.balances[receiver.AccountInTransit]; got != held {
		return fmt.Errorf("in transit: %s, want %s", got, held)
	}
	return verifyQueue("payouts", s.payouts.due, open)
}
