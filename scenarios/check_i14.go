package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// onceOut is I14. Its half about payouts stands in check_i14_payout.go; of refunds: a refund of ours that counts as done
// was made at the PSP exactly once, with that amount; one that counts as failed
// was never made; and the PSP made none in our name that we do not know of.
type onceOut struct{}

func (onceOut) id() string       { return "I14" }
func (onceOut) sentence() string { return "What was asked for once went out once" }

func (onceOut) end(f *final) string {
	if d := f.payouts(); d != "" {
		return d
	}
	claimed, made := map[pix.ReturnID]bool{}, map[pix.EndToEndID][]*TrueRefund{}
	for i := range f.TruthRefunds {
		t := &f.TruthRefunds[i]
		made[t.EndToEndID] = append(made[t.EndToEndID], t)
	}
	for _, id := range f.ids {
		for _, r := range f.Pix[id].Refunds {
			if r.Origin != receiver.RefundByMerchant {
				continue
			}
			if d := f.ownRefund(*r, made[id], claimed); d != "" {
				return d
			}
		}
	}
	for _, t := range f.TruthRefunds {
		if t.Status == pix.RefundReturned && t.Nature == pix.NatureOriginal && !claimed[t.ReturnID] && !f.w.madeInApp(t.EndToEndID, t.ID) {
			return fmt.Sprintf("the PSP returned %s of Pix %s under id %s in our name, and no refund of ours says so", t.Amount.BRL(), t.EndToEndID, t.ID)
		}
	}
	return ""
}

// ownRefund compares one refund of the merchant's with what the PSP did to its
// Pix.
func (f *final) ownRefund(r receiver.Refund, done []*TrueRefund, claimed map[pix.ReturnID]bool) string {
	made := 0
	for _, t := range done {
		if t.Status != pix.RefundReturned {
			continue
		}
		if r.ReturnID != "" && t.ReturnID == r.ReturnID || r.ReturnID == "" && t.ID == r.ID && !f.w.madeInApp(t.EndToEndID, t.ID) {
			made++
			if t.Amount != r.Amount {
				return fmt.Sprintf("refund %s asked for %s and the PSP returned %s", r.Reference, r.Amount.BRL(), t.Amount.BRL())
			}
		}
	}
	claimed[r.ReturnID] = true
	switch {
	case r.State == receiver.RefundReturned && made != 1:
		return fmt.Sprintf("refund %s counts as returned and the PSP made it %d times", r.Reference, made)
	case r.State == receiver.RefundFailed && made != 0:
		return fmt.Sprintf("refund %s counts as failed and the PSP returned %s", r.Reference, r.Amount.BRL())
	}
	return ""
}

// madeInApp says whether the plan has the bank make a refund under that id.
func (w *World) madeInApp(id pix.EndToEndID, refund pix.RefundID) bool {
	r := w.refundByID[refundName{id, refund}]
	return r != nil && r.Origin == chaos.OriginBank
}
