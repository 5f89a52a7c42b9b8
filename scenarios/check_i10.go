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
		if got := f.line(l); got != pix.Amount(l.Signed()) {
			return fmt.Sprintf("%s line of Pix %s %s: %s in the ledger, %s in the statement",
				l.Kind, l.EndToEndID, l.ID, got.BRL(), pix.Amount(l.Signed()).BRL())
		}
	}
	if got := f.Balance[receiver.AccountSettlement]; got != sum {
		return fmt.Sprintf("the ledger stands at %s, the statement at %s", got.BRL(), sum.BRL())
	}
	return ""
}

// line is what the ledger has for a line of the statement.
func (v *View) line(l pix.StatementLine) pix.Amount {
	if l.Kind == pix.KindRefundOut || l.Kind == pix.KindReturnIn {
		return v.Returned[returnLine{l.EndToEndID, pix.ReturnID(l.ID)}]
	}
	return v.at(l.EndToEndID).Money.Credited
}
