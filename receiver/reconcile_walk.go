package receiver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// maxTroubles bounds the lines of one turn with which something may go wrong:
// more of them are no matter of single lines.
const maxTroubles = 20

// forward walks the statement to the walk's end and looks each line up in the
// ledger.
func (t *reconcileTurn) forward(ctx context.Context) error {
	w := t.at.Walk
	for w.From.Before(w.To) && (w.Page != "" || !w.Begun) {
		page, a := t.r.psp.statement(ctx, w.From, w.To, w.Page)
		if a.verdict != verdictDone {
			return a.Err()
		}
		if err := t.match(ctx, page.Lines); err != nil {
			return err
		}
		w.count(page.Lines)
		t.lines += len(page.Lines)
		w.Page, w.Begun = page.Next, true
		if w.Page == "" {
			break
		}
		if err := t.save(ctx); err != nil {
			return err
		}
	}
	return nil
}

// count adds lines to what the walk has met.
func (w *walk) count(lines []pix.StatementLine) {
	if w.Lines == nil {
		w.Lines = map[pix.StatementKind]LineTotal{}
	}
	for _, l := range lines {
		sum := w.Lines[l.Kind]
		sum.Lines++
		sum.Cents += l.Signed()
		w.Lines[l.Kind] = sum
	}
}

// stuck notes a line that must not be passed.
func (w *walk) stuck(at time.Time) { w.Stuck = earlier(w.Stuck, at) }

// match looks one page up, repairs what the ledger lacks and adjusts what
// differs.
func (t *reconcileTurn) match(ctx context.Context, lines []pix.StatementLine) error {
	missing, err := t.compare(ctx, lines)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := t.repair(ctx, missing); err != nil {
		return err
	}
	// What was repaired is looked at again: now the ledger has something to compare
	// the line with, and notes that the line was seen. What even that did not book
	// must not be passed.
	left, err := t.compare(ctx, missing)
	for _, l := range left {
		t.at.Walk.stuck(l.SettledAt)
	}
	return err
}

// earlier is the earlier of two instants, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// compare looks lines up and adjusts what differs. It returns the lines that the
// ledger lacks.
func (t *reconcileTurn) compare(ctx context.Context, lines []pix.StatementLine) (missing []pix.StatementLine, err error) {
	if len(lines) == 0 {
		return nil, nil
	}
	outs, err := t.r.store.MatchStatement(ctx, lines)
	if err != nil {
		return nil, err
	}
	now, err := t.r.now(ctx)
	if err != nil {
		return nil, err
	}
	var adjust []Adjustment
	for i, out := range outs {
		switch out.Class {
		case MatchInFlight:
			t.r.cfg.reached(MarkLineInFlight)
			t.at.Walk.stuck(lines[i].SettledAt)
			t.at.Walk.Flying++
		case MatchMissingInLedger:
			missing = append(missing, lines[i])
		case MatchDivergent:
			t.r.cfg.reached(MarkLineAdjusted)
			adjust = append(adjust, Adjustment{
				EndToEndID: lines[i].EndToEndID, ReturnID: returnOf(lines[i]), Want: pix.Amount(lines[i].Signed()),
				Reason: out.Class, Now: now,
			})
		}
	}
	if len(adjust) > 0 {
		_, err = t.r.store.PostAdjustments(ctx, adjust)
	}
	return missing, err
}

// repair books lines that the ledger lacks, once the PSP told what they are of.
// One that cannot be booked now holds up no other.
func (t *reconcileTurn) repair(ctx context.Context, lines []pix.StatementLine) error {
	var repairs []Repair
	for _, line := range lines {
		item, err := t.itemOf(ctx, line)
		if err != nil {
			if err := t.wrong(line, err); err != nil {
				return err
			}
			continue
		}
		now, err := t.r.now(ctx)
		if err != nil {
			return err
		}
		repairs = append(repairs, Repair{Item: item, Now: now})
	}
	if len(repairs) == 0 {
		return nil
	}
	outs, err := t.r.store.RepairEvents(ctx, repairs)
	for i, out := range outs {
		t.r.cfg.reachedIf(out.Result == ApplyBooked, MarkLineRepaired)
		if out.Result == ApplyWait || out.Result == ApplyFailed {
			t.trouble = fmt.Errorf("repair %s: %s", repairs[i].Item.Key, out.Reason)
		}
	}
	return err
}

// wrong notes what went wrong with one line, which is read again. The error ends
// the turn: it is one too many.
func (t *reconcileTurn) wrong(line pix.StatementLine, err error) error {
	t.trouble = fmt.Errorf("line %s %s of the statement: %w", line.EndToEndID, line.ID, err)
	if t.troubles++; t.troubles > maxTroubles {
		return t.trouble
	}
	return nil
}

// errNotShown is about a line of which the PSP's API does not show what it is of.
var errNotShown = errors.New("the PSP's API does not show it")

// itemOf is the inbox item of a line, as the PSP tells it.
func (t *reconcileTurn) itemOf(ctx context.Context, line pix.StatementLine) (InboxItem, error) {
	items, a := t.word(ctx, line)
	if a.verdict != verdictDone {
		return InboxItem{}, a.Err()
	}
	for _, item := range items {
		if speaksOf(item, line) {
			return item, nil
		}
	}
	return InboxItem{}, errNotShown
}

// word is what the PSP's API says of what a line is of.
func (t *reconcileTurn) word(ctx context.Context, line pix.StatementLine) ([]InboxItem, answer) {
	if line.Kind == pix.KindPixOut || line.Kind == pix.KindReturnIn {
		p, a := t.r.psp.getPayoutByID(ctx, line.EndToEndID)
		if a.verdict != verdictDone {
			return nil, a
		}
		return t.r.confirmedPayoutItems(p, ChannelRepair), a
	}
	p, a := t.r.psp.getPix(ctx, line.EndToEndID)
	if a.verdict != verdictDone {
		return nil, a
	}
	return t.r.confirmedItems(p, ChannelRepair), a
}

// returnOf is the rtrId of a refund's line, empty on a credit's.
func returnOf(line pix.StatementLine) pix.ReturnID {
	if line.Kind == pix.KindRefundOut {
		return pix.ReturnID(line.ID)
	}
	return ""
}

// speaksOf says whether an item is the event of a statement line.
func speaksOf(item InboxItem, line pix.StatementLine) bool {
	switch line.Kind {
	case pix.KindRefundOut:
		return item.Refund != nil && string(item.Refund.ReturnID) == line.ID
	case pix.KindPixOut, pix.KindReturnIn: // whose ID is empty on what went out
		return item.Payout != nil && string(item.Payout.ReturnID) == line.ID
	}
	return item.Credit != nil
}
