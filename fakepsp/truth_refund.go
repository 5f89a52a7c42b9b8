package fakepsp

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
)

// InsertRefundFunc adds a refund that was just asked for to the truth, or
// refuses with [ErrExists]. It is a seam for tests, as [InsertFunc] is.
type InsertRefundFunc func(t *Truth, row RefundRow) error

// StrictInsertRefund is the only right [InsertRefundFunc]: an rtrId that exists
// anywhere, or an id that exists within the Pix, is refused, whatever stands
// beside it, and then nothing has changed.
func StrictInsertRefund(t *Truth, row RefundRow) error {
	if _, known := t.Refund(row.EndToEndID, row.ID); known {
		return fmt.Errorf("insert refund %s of pix %s: %w", row.ID, row.EndToEndID, ErrExists)
	}
	if t.HasReturn(row.ReturnID) {
		return fmt.Errorf("insert refund %s of pix %s: rtrId %s: %w", row.ID, row.EndToEndID, row.ReturnID, ErrExists)
	}
	t.AppendRefund(row)
	return nil
}

// refundKey names a refund: its id is unique within its Pix alone.
type refundKey struct {
	endToEndID pix.EndToEndID
	id         pix.RefundID
}

// refundTruth holds the refunds in the order in which they were asked for. Its
// maps are made with the first of them: most runs have none.
type refundTruth struct {
	rows     []RefundRow
	byReturn map[pix.ReturnID]int
	ofPix    map[pix.EndToEndID][]int
	pix      []int // indexes of the Pix that have any, by (PaidAt, EndToEndID)
}

// Refund is the refund of that id within that Pix, as it stands.
func (t *Truth) Refund(of pix.EndToEndID, id pix.RefundID) (RefundRow, bool) {
	if i := t.refunds.find(of, id); i >= 0 {
		return t.refunds.rows[i], true
	}
	return RefundRow{}, false
}

// find is the place of a refund, below zero if there is none. A Pix has few.
func (r *refundTruth) find(of pix.EndToEndID, id pix.RefundID) int {
	for _, i := range r.ofPix[of] {
		if r.rows[i].ID == id {
			return i
		}
	}
	return -1
}

// HasReturn tells whether a refund of that rtrId is there.
func (t *Truth) HasReturn(id pix.ReturnID) bool {
	_, ok := t.refunds.byReturn[id]
	return ok
}

// Payment is the Pix of that id as the wire shows it now, its refunds in the
// order in which they were asked for.
func (t *Truth) Payment(id pix.EndToEndID) (pix.Payment, bool) {
	i, ok := t.byID[id]
	if !ok {
		return pix.Payment{}, false
	}
	return t.payment(i), true
}

// payment is row i with its refunds. The list is the caller's own.
func (t *Truth) payment(i int) pix.Payment {
	out := t.rows[i].Payment
	for _, k := range t.refunds.ofPix[out.EndToEndID] {
		out.Refunds = append(out.Refunds, t.refunds.rows[k].Refund)
	}
	return out
}

// AppendRefund adds a refund.
func (t *Truth) AppendRefund(row RefundRow) {
	r := &t.refunds
	if r.byReturn == nil {
		r.byReturn, r.ofPix = map[pix.ReturnID]int{}, map[pix.EndToEndID][]int{}
	}
	i := len(r.rows)
	r.rows = append(r.rows, row)
	r.byReturn[row.ReturnID] = i
	if of, known := t.byID[row.EndToEndID]; known && len(r.ofPix[row.EndToEndID]) == 0 {
		r.pix = t.ranked(r.pix, of)
	}
	r.ofPix[row.EndToEndID] = append(r.ofPix[row.EndToEndID], i)
	t.changed(row.EndToEndID)
}

// ReplaceRefund puts row in the place of the one with its id: a refund that
// came to its end.
func (t *Truth) ReplaceRefund(row RefundRow) {
	if i := t.refunds.find(row.EndToEndID, row.ID); i >= 0 {
		t.refunds.rows[i] = row
		t.changed(row.EndToEndID)
	}
}

// changed forgets the text of a Pix whose refunds are no longer what it says.
func (t *Truth) changed(id pix.EndToEndID) {
	if i, ok := t.byID[id]; ok {
		t.texts.forget(i)
	}
}

// share is how much of a Pix went back, and is on its way back.
type share struct{ returned, pending pix.Amount }

func (t *Truth) share(of pix.EndToEndID) (s share) {
	for _, k := range t.refunds.ofPix[of] {
		switch row := &t.refunds.rows[k]; {
		case row.Status == pix.RefundReturned:
			s.returned += row.Amount
		case !row.Status.Final():
			s.pending += row.Amount
		}
	}
	return s
}

// lineOfRefund is the statement line of a refund that settled.
func lineOfRefund(row RefundRow) pix.StatementLine {
	return pix.StatementLine{
		Kind: pix.KindRefundOut, EndToEndID: row.EndToEndID, ID: string(row.ReturnID),
		Cents: int64(row.Amount), SettledAt: row.SettledAt,
	}
}
