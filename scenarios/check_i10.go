package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ledgerIsStatement is I10: the total, and each line has its payment.
type ledgerIsStatement struct{}

func (ledgerIsStatement) id() string       { return "I10" }
func (ledgerIsStatement) sentence() string { return "At the end of the day ledger and statement agree" }

func (ledgerIsStatement) end(f *final) string {
	var sum pix.Amount
	for _, l := range f.statement {
		sum += pix.Amount(l.Signed())
		if p := f.Payments[l.EndToEndID]; p == nil || !p.InStatement {
			return fmt.Sprintf("the statement's line of Pix %s was never matched", l.EndToEndID)
		}
	}
	if got := f.Balance[receiver.AccountSettlement]; got != sum {
		return fmt.Sprintf("the ledger stands at %s, the statement at %s", got.BRL(), sum.BRL())
	}
	return ""
}
