package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// balanced is I6: each transaction sums to zero, and so do all accounts.
type balanced struct{}

func (balanced) id() string       { return "I6" }
func (balanced) sentence() string { return "Every transaction balances, and so do the accounts" }

func (balanced) commit(v *View, cs *receiver.ChangeSet) string {
	for _, t := range cs.Transactions {
		if err := t.Validate(); err != nil {
			return err.Error()
		}
		if n := v.Repeated[t.Reference]; n > 1 {
			return fmt.Sprintf("reference %s stands in the ledger %d times", t.Reference, n)
		}
	}
	return ""
}

func (balanced) end(f *final) string {
	var sum pix.Amount
	for _, account := range sorted(f.Balance) {
		sum += f.Balance[account]
		if stored, kept := f.w.stored(account); kept && stored != f.Balance[account] {
			return fmt.Sprintf("%s stands at %d cents, its entries sum to %d", account, stored, f.Balance[account])
		}
	}
	if sum != 0 {
		return fmt.Sprintf("the accounts sum to %d cents, want 0", sum)
	}
	return ""
}
