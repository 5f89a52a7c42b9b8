package scenarios

import (
	"bytes"
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ackedIsStored is I5: whoever answers 2xx answers for it.
type ackedIsStored struct{}

func (ackedIsStored) id() string       { return "I5" }
func (ackedIsStored) sentence() string { return "What was acknowledged is in the inbox" }

func (ackedIsStored) ack(v *View, items []pix.CallbackItem) string {
	for _, it := range items {
		if it.Err == nil && v.at(it.Payment.EndToEndID).Event == nil {
			return fmt.Sprintf("Pix %s was acknowledged and is not in the inbox", it.Payment.EndToEndID)
		}
		if it.Err == nil {
			for _, r := range it.Payment.Refunds {
				if v.ByRefund[refundState{it.Payment.EndToEndID, r.ID, r.Status}] == nil {
					return fmt.Sprintf("refund %s of Pix %s, %s, was acknowledged and is not in the inbox", r.ID, it.Payment.EndToEndID, r.Status)
				}
			}
		}
		if it.Err != nil && !v.storedRaw(it.Raw) {
			return fmt.Sprintf("an unreadable item (%v) was acknowledged and is not in the inbox", it.Err)
		}
	}
	return ""
}

// lostPayouts finds an item about a payout that was acknowledged and is not in
// the inbox: its state, or one of its returns.
func (v *View) lostPayouts(items []pix.PayoutItem) string {
	for _, it := range items {
		if it.Err != nil {
			if !v.storedRaw(it.Raw) {
				return fmt.Sprintf("an unreadable item (%v) was acknowledged and is not in the inbox", it.Err)
			}
			continue
		}
		keys := []string{receiver.PayoutContent{Key: it.Payout.Key, Status: it.Payout.Status}.InboxKey()}
		for _, r := range it.Payout.Returns {
			keys = append(keys, receiver.PayoutContent{ReturnID: r.ReturnID}.InboxKey())
		}
		for _, key := range keys {
			if v.ByPayout[key] == nil {
				return fmt.Sprintf("%s was acknowledged and is not in the inbox", key)
			}
		}
	}
	return ""
}

// storedRaw says whether an item that cannot be read was kept as it came.
func (v *View) storedRaw(raw []byte) bool {
	for _, e := range v.Unreadable {
		if bytes.Equal(e.Raw, raw) {
			return true
		}
	}
	return false
}
