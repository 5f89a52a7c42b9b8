package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ledgerIsStatement is I10: the totals agree, and each line has its equal.
type ledgerIsStatement struct{}

func (ledgerIsStatement) id() string       { return "I10" }
func (ledgerIsStatement) sentence() string { return "At the end of the day ledger and statement agree" }

func (ledgerIsStatement) end(f *final) string {
	var sum pix.Amount
	for _, l := range f.statement {
		sum += pix.Amount(l.Signed())
		if m := f.Money[l.EndToEndID]; m == nil || m.Net != pix.Amount(l.Signed()) {
			return fmt.Sprintf("the statement's line of Pix %s has no equal in the ledger", l.EndToEndID)
		}
	}
	if got := f.Balance[receiver.AccountSettlement]; got != sum {
		return fmt.Sprintf("the ledger stands at %s, the statement at %s", got.BRL(), sum.BRL())
	}
	return ""
}
