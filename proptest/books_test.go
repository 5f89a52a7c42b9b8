package proptest

import (
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// books are a ledger, added up from its transactions alone.
type books struct {
	balance    map[receiver.Account]pix.Amount
	net        map[pix.EndToEndID]pix.Amount // on the settlement account
	credits    map[pix.EndToEndID]int        // adjustments are none
	references map[string]int
	unbalanced string
}

func readBooks(s kept) books {
	b := books{
		balance: map[receiver.Account]pix.Amount{}, net: map[pix.EndToEndID]pix.Amount{},
		credits: map[pix.EndToEndID]int{}, references: map[string]int{},
	}
	for _, t := range s.Transactions() {
		b.references[t.Reference]++
		var sum pix.Amount
		for _, e := range t.Entries {
			sum += e.Cents
			b.balance[e.Account] += e.Cents
			if e.Account != receiver.AccountSettlement {
				continue
			}
			b.net[e.EndToEndID] += e.Cents
			if e.Cents > 0 && !strings.HasPrefix(t.Reference, receiver.AdjustReference("")) {
				b.credits[e.EndToEndID]++
			}
		}
		if sum != 0 {
			b.unbalanced = t.Reference
		}
	}
	return b
}

// complaint says what must never be so, "" if nothing is: a Pix credited
// twice, books that do not balance, a reference used twice.
func (b books) complaint(s kept) string {
	for id, n := range b.credits {
		if n > 1 {
			return fmt.Sprintf("Pix %s was credited %d times", id, n)
		}
	}
	for reference, n := range b.references {
		if n > 1 {
			return fmt.Sprintf("reference %s stands in the ledger %d times", reference, n)
		}
	}
	if b.unbalanced != "" {
		return fmt.Sprintf("transaction %s does not balance", b.unbalanced)
	}
	var sum pix.Amount
	for account, cents := range b.balance {
		sum += cents
		if s.Balance(account) != cents {
			return fmt.Sprintf("%s stands at %d cents, its entries sum to %d", account, s.Balance(account), cents)
		}
	}
	if sum != 0 {
		return fmt.Sprintf("the accounts sum to %d cents", sum)
	}
	return ""
}

// difference says where ledger and truth part, "" if they agree: each settled
// Pix credited once and at its value in the end, and nothing else.
func (b books) difference(settled []pix.Payment, balance pix.Amount) string {
	truth := map[pix.EndToEndID]bool{}
	for _, p := range settled {
		truth[p.EndToEndID] = true
		if b.credits[p.EndToEndID] != 1 || b.net[p.EndToEndID] != p.Amount {
			return fmt.Sprintf("Pix %s settled at %d cents; it was credited %d times and stands at %d",
				p.EndToEndID, p.Amount, b.credits[p.EndToEndID], b.net[p.EndToEndID])
		}
	}
	for id, cents := range b.net {
		if !truth[id] && cents != 0 {
			return fmt.Sprintf("Pix %s never settled and stands at %d cents", id, cents)
		}
	}
	if got := b.balance[receiver.AccountSettlement]; got != balance {
		return fmt.Sprintf("the ledger stands at %d cents, the account at %d", got, balance)
	}
	return ""
}
