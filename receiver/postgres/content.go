package postgres

import "github.com/pixlab/pixlab/receiver"

// confirm makes e say what the PSP says, and keeps what it said before where
// that is other content.
func (tx *tx) confirm(e *event, c receiver.Credit) error {
	earlier, err := e.Confirm(c)
	tx.addVariant(e, earlier)
	return err
}

// confirmRefund is confirm of an event about a refund.
func (tx *tx) confirmRefund(e *event, c receiver.RefundContent) error {
	earlier, err := e.ConfirmRefund(c)
	tx.addVariant(e, earlier)
	return err
}

// addVariant keeps v, if any, with a case. False: the same is kept already.
func (tx *tx) addVariant(e *event, v *receiver.Variant) bool {
	if v == nil || tx.kept(*v) {
		return false
	}
	tx.variants.add(*v)
	tx.openCase(e.VariantNote(), e.EndToEndID(), tx.at)
	return true
}
