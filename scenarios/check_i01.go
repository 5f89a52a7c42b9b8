package scenarios

import (
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// creditedOnce is I1: money per endToEndId, not rows.
type creditedOnce struct{}

func (creditedOnce) id() string       { return "I1" }
func (creditedOnce) sentence() string { return "No Pix is credited twice" }

func (creditedOnce) commit(v *View, cs *receiver.ChangeSet) string {
	for _, t := range cs.Transactions {
		for _, e := range t.Entries {
			if e.Account != receiver.AccountSettlement || e.Cents <= 0 {
				continue
			}
			if m := v.at(e.EndToEndID).Money; len(m.Credits) > 1 {
				return fmt.Sprintf("Pix %s was credited %d times, with %s", e.EndToEndID, len(m.Credits), listed(m.Credits))
			}
		}
	}
	return ""
}

// listed are amounts for people.
func listed(amounts []pix.Amount) string {
	out := make([]string, len(amounts))
	for i, a := range amounts {
		out[i] = a.BRL()
	}
	return strings.Join(out, ", ")
}
