package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/receiver"
)

// creditedOnce is I1: money per endToEndId, not rows.
type creditedOnce struct{}

func (*creditedOnce) id() string       { return "I1" }
func (*creditedOnce) sentence() string { return "No Pix is credited twice" }

func (*creditedOnce) commit(v *View, cs *receiver.ChangeSet) string {
	for _, t := range cs.Transactions {
		for _, e := range t.Entries {
			if e.Account != receiver.AccountSettlement || e.Cents <= 0 {
				continue
			}
			if m := v.Money[e.EndToEndID]; m != nil && len(m.Credits) > 1 {
				return fmt.Sprintf("Pix %s was credited %d times: %v cents", e.EndToEndID, len(m.Credits), m.Credits)
			}
		}
	}
	return ""
}
