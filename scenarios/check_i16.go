package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// rightCharge is I16: a settled Pix with the txid of a charge of ours is on
// that charge, and the charge is settled exactly if its revenue covers it. A Pix
// that went back before its charge was known has no money left to be anywhere.
type rightCharge struct{}

func (rightCharge) id() string       { return "I16" }
func (rightCharge) sentence() string { return "Money is on the charge it was paid for" }

func (rightCharge) end(f *final) string {
	byTxID := f.chargesByTxID()
	paid := map[pix.TxID][]pix.EndToEndID{}
	for _, id := range f.ids {
		known := f.Pix[id]
		truth := known.Truth
		c := byTxID[truth.TxID]
		if !truth.Settled || truth.TxID == "" || c == nil {
			continue
		}
		paid[truth.TxID] = append(paid[truth.TxID], id)
		if p := known.Payment; p != nil && p.Charge != c.Reference && p.Held.Total() != 0 {
			return fmt.Sprintf("Pix %s was paid for charge %s and is booked on %q", id, c.Reference, p.Charge)
		}
	}
	for _, id := range sorted(byTxID) {
		if d := f.chargeState(byTxID[id], paid[id]); d != "" {
			return d
		}
	}
	return ""
}

// chargesByTxID are the charges by their txids, which no two share.
func (v *View) chargesByTxID() map[pix.TxID]*receiver.Charge {
	byTxID := make(map[pix.TxID]*receiver.Charge, len(v.Charges))
	for _, ref := range slices.SortedFunc(maps.Keys(v.Charges), func(a, b receiver.ChargeRef) int { return cmp.Compare(a.Reference, b.Reference) }) {
		c := v.Charges[ref]
		byTxID[c.TxID] = c
	}
	return byTxID
}

func (v *View) chargeState(c *receiver.Charge, paid []pix.EndToEndID) string {
	revenue := v.Revenue[c.Reference]
	if c.Settled != revenue {
		return fmt.Sprintf("charge %s counts %s as settled, its revenue is %s", c.Reference, c.Settled.BRL(), revenue.BRL())
	}
	if c.Kind == receiver.ChargeStatic {
		return ""
	}
	if paid := c.SettledBy != ""; paid != (revenue >= c.Due && revenue > 0) {
		return fmt.Sprintf("charge %s of %s: settled is %t with %s of revenue", c.Reference, c.Due.BRL(), paid, revenue.BRL())
	}
	return v.unsettled(c, paid)
}

// unsettled finds a charge that a Pix of the right amount should have settled,
// among those with its txid.
func (v *View) unsettled(c *receiver.Charge, paid []pix.EndToEndID) string {
	if c.SettledBy != "" || c.State != receiver.ChargeActive {
		return ""
	}
	for _, id := range paid {
		p := v.at(id)
		t, returned := p.Truth, len(p.Refunds) > 0 // asked for before the charge was known
		if t.Amount == c.Due && c.Payable(t.PaidAt) && !returned {
			return fmt.Sprintf("charge %s was paid in full by Pix %s and is not settled", c.Reference, pix.EndToEndID(id))
		}
	}
	return ""
}
