package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// nothingInvented is I3. A booking that rests on the PSP's own signed word and
// met a charge to the cent may be wrong until the reconciliation: that is the
// price of booking at once, and I10 has the last word on it.
type nothingInvented struct{}

func (nothingInvented) id() string       { return "I3" }
func (nothingInvented) sentence() string { return "No money is invented" }

func (nothingInvented) commit(v *View, cs *receiver.ChangeSet) string {
	for _, t := range cs.Transactions {
		for _, e := range t.Entries {
			if e.Account != receiver.AccountSettlement || e.Cents <= 0 {
				continue
			}
			if e.ReturnID != "" && strings.HasPrefix(t.Reference, "pay:") {
				if !v.cameBack(e) {
					return fmt.Sprintf("%s of payout %s was booked as come back, and never was", e.Cents.BRL(), e.EndToEndID)
				}
				continue
			}
			if d := v.invented(e.EndToEndID, e.Cents); d != "" {
				return d
			}
		}
	}
	return ""
}

// cameBack says whether an entry is a return of a payout that the PSP made.
func (v *View) cameBack(e receiver.Entry) bool {
	return slices.ContainsFunc(v.TruthPayouts[e.EndToEndID].Returns, func(r pix.PayoutReturn) bool {
		return r.ReturnID == e.ReturnID && r.Amount == e.Cents
	})
}

// invented says what is wrong with a credit, "" if nothing is.
func (v *View) invented(id pix.EndToEndID, cents pix.Amount) string {
	known := v.at(id)
	truth, credited, p := known.Truth, known.Money.Credited, known.Payment
	if truth.Settled && credited <= truth.Amount {
		return ""
	}
	excused := p != nil && !p.Confirmed && p.Disposition == receiver.DispositionExact &&
		slices.Contains(v.Said[id], cents)
	if excused {
		return ""
	}
	if !truth.Settled {
		return fmt.Sprintf("Pix %s was credited with %s and never settled", id, cents.BRL())
	}
	return fmt.Sprintf("Pix %s stands at %s in the ledger and settled at %s", id, credited.BRL(), truth.Amount.BRL())
}
