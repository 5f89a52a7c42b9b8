package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// refundEffect is one step of a refund that the PSP took: it began, or it came
// to its end. Like effect, it is kept apart from the truth and only appended.
type refundEffect struct {
	refundKey
	returnID pix.ReturnID
	cents    pix.Amount
	status   pix.RefundStatus
	at       time.Time // of the settlement, or of the asking
}

// checkRefunds holds the refunds of the truth against the journal: each that
// was begun is there once, under an rtrId that no other has, in the state that
// it came to, and nothing else is.
func (p *PSP) checkRefunds() error {
	last := make(map[refundKey]int, len(p.truth.refunds.rows)) // step of each, an index of the journal
	owner := make(map[pix.ReturnID]int, len(p.truth.refunds.rows))
	step := func(key refundKey) (e refundEffect, begun bool) {
		i, begun := last[key]
		if begun {
			e = p.returns[i]
		}
		return e, begun
	}
	for i, e := range p.returns {
		before, begun := step(e.refundKey)
		first := e.status == pix.RefundProcessing
		other, used := owner[e.returnID]
		switch {
		case first && begun:
			return fmt.Errorf("refund %s of pix %s was begun twice", e.id, e.endToEndID)
		case !first && (!begun || before.status.Final()):
			return fmt.Errorf("refund %s of pix %s ended twice, or before it began", e.id, e.endToEndID)
		case !first && (before.returnID != e.returnID || before.cents != e.cents):
			return fmt.Errorf("refund %s of pix %s began as %s %s and ended as %s %s",
				e.id, e.endToEndID, before.returnID, before.cents, e.returnID, e.cents)
		case used && p.returns[other].refundKey != e.refundKey:
			return fmt.Errorf("rtrId %s is that of refund %s and of refund %s", e.returnID, p.returns[other].id, e.id)
		}
		last[e.refundKey], owner[e.returnID] = i, i
	}
	for _, row := range p.truth.refunds.rows {
		e, begun := step(refundKey{row.EndToEndID, row.ID})
		switch {
		case !begun:
			return fmt.Errorf("truth has refund %s of pix %s, which was never begun", row.ID, row.EndToEndID)
		case row.ReturnID != e.returnID || row.Amount != e.cents || row.Status != e.status:
			return fmt.Errorf("refund %s of pix %s: truth has %s %s %s, accepted was %s %s %s",
				row.ID, row.EndToEndID, row.ReturnID, row.Amount, row.Status, e.returnID, e.cents, e.status)
		case row.Status == pix.RefundReturned && !row.SettledAt.Equal(e.at):
			return fmt.Errorf("refund %s of pix %s: truth says settled at %s, accepted was %s",
				row.ID, row.EndToEndID, pix.FormatTime(row.SettledAt), pix.FormatTime(e.at))
		}
	}
	if n := len(p.truth.refunds.rows); n != len(last) {
		return fmt.Errorf("truth has %d refunds, %d were begun", n, len(last))
	}
	return nil
}

// checkShares wants no Pix to have returned, or to be about to return, more
// than it brought.
func (p *PSP) checkShares() error {
	sums := make(map[pix.EndToEndID]pix.Amount)
	for _, row := range p.truth.refunds.rows {
		if row.Status == pix.RefundFailed {
			continue
		}
		of, ok := p.truth.Pix(row.EndToEndID)
		if !ok {
			return fmt.Errorf("refund %s is of pix %s, which is not in the truth", row.ID, row.EndToEndID)
		}
		sums[row.EndToEndID] += row.Amount
		if sums[row.EndToEndID] > of.Amount {
			return fmt.Errorf("pix %s of %s: its refunds make %s or more", of.EndToEndID, of.Amount, sums[row.EndToEndID])
		}
	}
	return nil
}

// checkHolds wants the reservations and the blocks to be what refunds in
// process and open cases add up to, and the blocks to be there.
func (p *PSP) checkHolds() error {
	var reserved, blocked pix.Amount
	for _, row := range p.truth.refunds.rows {
		if !row.Status.Final() {
			reserved += row.Amount
		}
	}
	for _, d := range p.cases.list {
		blocked += d.blocked
		if d.blocked < 0 || d.returned > d.goal || d.stage != DisputeReported && d.blocked > 0 {
			return fmt.Errorf("case %s is %s, holds %s and returned %s of %s",
				d.order.ID, d.stage, d.blocked, d.returned, d.goal)
		}
	}
	switch {
	case p.refunds.reserved != reserved:
		return fmt.Errorf("%s is reserved, refunds in process make %s", p.refunds.reserved, reserved)
	case p.cases.blocked != blocked || blocked > p.balance:
		return fmt.Errorf("%s is blocked of %s, cases make %s", p.cases.blocked, p.balance, blocked)
	}
	return nil
}

// line is what the statement has to say of a refund that settled.
func (e refundEffect) line() pix.StatementLine {
	return pix.StatementLine{
		Kind: pix.KindRefundOut, EndToEndID: e.endToEndID, ID: string(e.returnID), Cents: int64(e.cents), SettledAt: e.at,
	}
}
