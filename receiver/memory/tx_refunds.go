package memory

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Refund reads a refund of the merchant's.
func (tx *Tx) Refund(ref receiver.RefundRef) (receiver.Refund, bool) {
	if x := tx.s.refunds.find(ref); x != nil {
		return cloneRefund(x), true
	}
	return receiver.Refund{}, false
}

// Refunds reads all refunds of a Pix, the merchant's and the PSP's, in the
// order made.
func (tx *Tx) Refunds(id pix.EndToEndID) []receiver.Refund {
	r := tx.s.payments.refundsOf(id)
	if r == nil {
		return nil
	}
	out := make([]receiver.Refund, len(r.rows))
	for i, at := range r.rows {
		out[i] = cloneRefund(at.row)
	}
	return out
}

// PutRefund stores a refund in the place of the one with its consumer and
// reference, or, of the PSP's own, with its Pix and rtrId, if any. It moves no
// money: that is Post's. It refuses to change a refund's Pix, and an rtrId that
// another refund of the Pix has.
func (tx *Tx) PutRefund(x receiver.Refund) error {
	before := tx.s.refundRow(&x)
	other := tx.s.payments.refundsOf(x.EndToEndID).returned(x.ReturnID)
	switch {
	case x.Origin != receiver.RefundByMerchant && x.ReturnID == "":
		return fmt.Errorf("put refund %s of %s: one of the PSP's wants an rtrId", x.ID, x.EndToEndID)
	case before != nil && (before.EndToEndID != x.EndToEndID || before.Origin != x.Origin):
		return fmt.Errorf("put refund %s: it is one of %s", x.Intention(), before.EndToEndID)
	case other != nil && other != before:
		return fmt.Errorf("put refund %s of %s: rtrId %s is another's", x.ID, x.EndToEndID, x.ReturnID)
	}
	row := cloneRefund(&x)
	tx.putRefund(before, &row)
	return nil
}

// PutMemo stores a memo in the place of the one with its id, if any.
func (tx *Tx) PutMemo(m receiver.Memo) { tx.putMemo(tx.s.memos.rows[m.ID], &m) }

// NetOf is what the settlement account has for one line of the statement: a
// Pix's credit where the rtrId is empty, else the refund with that rtrId.
func (tx *Tx) NetOf(id pix.EndToEndID, refund pix.ReturnID) pix.Amount {
	return tx.s.payments.netOf(id, refund)
}
