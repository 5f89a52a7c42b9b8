package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// casesAreSuspense is I13: per account and Pix the open cases sum to what is
// in suspense, and each has a reason.
type casesAreSuspense struct{}

func (casesAreSuspense) id() string { return "I13" }
func (casesAreSuspense) sentence() string {
	return "Every cent in suspense has an open case with a reason"
}

func (casesAreSuspense) end(f *final) string {
	type place struct {
		account receiver.Account
		id      pix.EndToEndID
	}
	diff := map[place]pix.Amount{}
	for _, name := range sorted(f.Cases) {
		c := f.Cases[name]
		if len(c.Reasons) == 0 {
			return fmt.Sprintf("case %s has no reason", c.ID)
		}
		if c.State == receiver.CaseOpen && c.Account != "" {
			diff[place{c.Account, c.EndToEndID}] -= c.Amount
		}
	}
	for id, p := range f.Pix {
		for account, cents := range p.Money.Suspense {
			diff[place{account, id}] += cents
		}
	}
	var worst string
	for p, cents := range diff {
		if cents == 0 {
			continue
		}
		if d := fmt.Sprintf("Pix %s has %s more in %s than its open cases say", p.id, cents.BRL(), p.account); worst == "" || d < worst {
			worst = d
		}
	}
	return worst
}
