package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/receiver"
)

// monotone is I8: no state of money moves backwards. An event that an operator
// or a sweep wakes is no state of money.
type monotone struct{}

func (monotone) id() string       { return "I8" }
func (monotone) sentence() string { return "No state moves backwards" }

var chargeRank = map[receiver.ChargeState]int{
	receiver.ChargeIntended: 0, receiver.ChargeActive: 1, receiver.ChargeFailed: 2, receiver.ChargeRemoved: 2,
}

func (monotone) commit(_ *View, cs *receiver.ChangeSet) string {
	for _, c := range cs.Charges {
		if b := c.Before; b != nil {
			if chargeRank[c.After.State] < chargeRank[b.State] {
				return fmt.Sprintf("charge %s went from %s back to %s", c.After.Reference, b.State, c.After.State)
			}
			if c.After.Settled < b.Settled || b.SettledBy != "" && c.After.SettledBy != b.SettledBy {
				return fmt.Sprintf("charge %s lost money that had settled it", c.After.Reference)
			}
		}
	}
	for _, c := range cs.Refunds {
		b := c.Before
		if b == nil {
			continue
		}
		if b.State.Final() && (c.After.State != b.State || c.After.ReturnID != b.ReturnID || c.After.Amount != b.Amount) ||
			b.State == receiver.RefundProcessing && c.After.State == receiver.RefundReserved {
			return fmt.Sprintf("refund %s of Pix %s went from %s to %s", c.After.ID, c.After.EndToEndID, b.State, c.After.State)
		}
	}
	for _, c := range cs.Payouts {
		if b := c.Before; b != nil && payoutWentBack(b, c.After) {
			return fmt.Sprintf("payout %s went from %s to %s", c.After.Reference, b.State, c.After.State)
		}
	}
	for _, c := range cs.Events {
		if b := c.Before; b != nil && b.Confirmed && !c.After.Confirmed {
			return fmt.Sprintf("event %s was confirmed and is no more", c.After.Key)
		}
	}
	for _, c := range cs.Payments {
		if b := c.Before; b != nil && (b.Confirmed && !c.After.Confirmed || b.InStatement && !c.After.InStatement) {
			return fmt.Sprintf("payment %s was confirmed and is no more", c.After.EndToEndID)
		}
	}
	return ""
}

// payoutWentBack says whether a payout lost a state, its key, or a return.
func payoutWentBack(b, a *receiver.Payout) bool {
	return b.State.Final() && (a.State != b.State || a.Amount != b.Amount) || a.Key != b.Key || a.Returned() < b.Returned() ||
		b.State == receiver.PayoutProcessing && a.State == receiver.PayoutReserved
}
