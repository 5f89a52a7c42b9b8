package fakepsp

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
)

// InsertPayoutFunc adds a payout that was just taken to the truth, or refuses
// with [ErrExists]. It is a seam for tests, as [InsertFunc] is.
type InsertPayoutFunc func(t *Truth, row PayoutRow) error

// StrictInsertPayout is the only right [InsertPayoutFunc]: an endToEndId that
// exists, of a payout or of a Pix received, is refused, and then nothing has
// changed. A key may stand behind two payouts, once the first one's time is over.
func StrictInsertPayout(t *Truth, row PayoutRow) error {
	_, sent := t.Payout(row.EndToEndID)
	_, received := t.Pix(row.EndToEndID)
	if sent || received {
		return fmt.Errorf("insert payout %s: %w", row.EndToEndID, ErrExists)
	}
	t.AppendPayout(row)
	return nil
}

// payoutTruth holds the payouts in the order in which they were taken. Its map
// is made with the first of them.
type payoutTruth struct {
	rows []PayoutRow
	byID map[pix.EndToEndID]int
}

// Payout is the payout of that id, as it stands.
func (t *Truth) Payout(id pix.EndToEndID) (PayoutRow, bool) {
	i, ok := t.payouts.byID[id]
	if !ok {
		return PayoutRow{}, false
	}
	return t.payouts.rows[i], true
}

// AppendPayout adds a payout.
func (t *Truth) AppendPayout(row PayoutRow) {
	if t.payouts.byID == nil {
		t.payouts.byID = map[pix.EndToEndID]int{}
	}
	t.payouts.byID[row.EndToEndID] = len(t.payouts.rows)
	t.payouts.rows = append(t.payouts.rows, row)
}

// ReplacePayout puts row in the place of the one with its id: a payout that came
// to its end, or of which something came back.
func (t *Truth) ReplacePayout(row PayoutRow) {
	if i, ok := t.payouts.byID[row.EndToEndID]; ok {
		t.payouts.rows[i] = row
	}
}

// hasLineID tells whether a statement line has that rtrId.
func (t *Truth) hasLineID(id string) bool {
	_, ok := t.lineID[id]
	return ok
}

// lineOfPayout is the statement line of a payout that settled.
func lineOfPayout(row PayoutRow) pix.StatementLine {
	return pix.StatementLine{Kind: pix.KindPixOut, EndToEndID: row.EndToEndID, Cents: int64(row.Amount), SettledAt: row.SettledAt}
}

// lineOfReturn is the statement line of what came back of a payout.
func lineOfReturn(id pix.EndToEndID, r pix.PayoutReturn) pix.StatementLine {
	return pix.StatementLine{
		Kind: pix.KindReturnIn, EndToEndID: id, ID: string(r.ReturnID), Cents: int64(r.Amount), SettledAt: r.SettledAt,
	}
}
