package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// refundsWithinPaid is I7: what is reserved, in process and returned of a Pix
// never exceeds what was paid, in our books and in truth. A refund that exceeds
// it and stands in the statement all the same is booked against suspense, with
// a case, and does not count against the merchant.
type refundsWithinPaid struct{}

func (refundsWithinPaid) id() string       { return "I7" }
func (refundsWithinPaid) sentence() string { return "Refunds never exceed what was paid" }

func (refundsWithinPaid) commit(v *View, cs *receiver.ChangeSet) string {
	for _, c := range cs.Refunds {
		if d := v.overRefunded(c.After.EndToEndID); d != "" {
			return d
		}
	}
	return ""
}

func (v *View) overRefunded(id pix.EndToEndID) string {
	var sum pix.Amount
	p := v.at(id)
	for _, r := range p.Refunds {
		if r.State != receiver.RefundFailed && !r.Excess {
			sum += r.Amount
		}
	}
	if limit := min(p.Money.Credited, p.Truth.Amount); sum > limit {
		return fmt.Sprintf("refunds of Pix %s come to %s, paid were %s", id, sum.BRL(), limit.BRL())
	}
	return ""
}

// end compares with the ledger: what our books call returned left the
// settlement account once and in full. What the PSP did is I14's matter.
func (refundsWithinPaid) end(f *final) string {
	for _, id := range f.ids {
		for _, r := range f.Pix[id].Refunds {
			if r.State != receiver.RefundReturned {
				continue
			}
			if got := f.Returned[returnLine{id, r.ReturnID}]; got != -r.Amount {
				return fmt.Sprintf("refund %s of Pix %s counts as returned with %s, the ledger moved %s", r.ID, id, r.Amount.BRL(), got.BRL())
			}
		}
	}
	return ""
}
