package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// commit is I14's half about payouts: one that counts as confirmed was debited
// exactly once, in that amount, to that payee; one that counts as failed never
// was, and never will be; and while its end is not known its money stays aside.
func (onceOut) commit(v *View, cs *receiver.ChangeSet) string {
	for _, c := range cs.Payouts {
		if d := v.paidOnce(c.After); d != "" {
			return d
		}
	}
	return ""
}

// paidOnce holds a payout as it stands against the truth and the ledger.
func (v *View) paidOnce(x *receiver.Payout) string {
	debits, open := 0, 0
	for _, id := range v.TruthByKey[x.Key] {
		switch t := v.TruthPayouts[id]; {
		case t.Status == pix.PayoutConfirmed:
			debits++
			if t.Amount != x.Amount || t.PixKey != x.PixKey || x.State == receiver.PayoutConfirmed && x.EndToEndID != id {
				return fmt.Sprintf("payout %s of %s to %s, %s: the PSP paid %s to %s, %s",
					x.Reference, x.Amount.BRL(), x.PixKey, x.EndToEndID, t.Amount.BRL(), t.PixKey, id)
			}
		case !t.Status.Final():
			open++
		}
	}
	aside := pix.Amount(0)
	if !x.State.Final() {
		aside = x.Amount
	}
	switch held := -v.InTransit[x.Key]; {
	case debits > 1:
		return fmt.Sprintf("payout %s was paid %d times", x.Reference, debits)
	case x.State == receiver.PayoutConfirmed && debits+open != 1:
		return fmt.Sprintf("payout %s counts as confirmed and the PSP paid it %d times", x.Reference, debits)
	case x.State == receiver.PayoutFailed && debits+open != 0:
		return fmt.Sprintf("payout %s counts as failed and the PSP has it", x.Reference)
	case held != aside:
		return fmt.Sprintf("payout %s is %s and %s of it is set aside, want %s", x.Reference, x.State, held.BRL(), aside.BRL())
	}
	return ""
}

// payouts looks once more at the end, and for debits that no payout of ours says.
func (f *final) payouts() string {
	for _, key := range sorted(f.Payouts) {
		if d := f.paidOnce(f.Payouts[key]); d != "" {
			return d
		}
	}
	for _, id := range sorted(f.TruthPayouts) {
		t := f.TruthPayouts[id]
		x := f.Payouts[t.Key]
		if t.Status == pix.PayoutConfirmed && (x == nil || x.State != receiver.PayoutConfirmed || x.EndToEndID != id) {
			return fmt.Sprintf("the PSP paid %s to %s under key %s, and no payout of ours says so", t.Amount.BRL(), t.PixKey, t.Key)
		}
		if x != nil && x.State == receiver.PayoutConfirmed && x.EndToEndID == id && x.Returned() != t.Returned() {
			return fmt.Sprintf("of payout %s %s came back, our books say %s", x.Reference, t.Returned().BRL(), x.Returned().BRL())
		}
	}
	return ""
}
