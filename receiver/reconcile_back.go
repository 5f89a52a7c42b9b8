package receiver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// backward looks for what the ledger has and no line of the statement vouches
// for, among what was booked in a window. What the PSP does not know either, once
// Grace has passed, never settled.
func (t *reconcileTurn) backward(ctx context.Context, from, until time.Time) error {
	return errors.Join(t.credits(ctx, from, until), t.refunds(ctx, from, until))
}

// unproven notes that the PSP did not say what became of one; it is asked for
// again. The error ends the turn.
func (t *reconcileTurn) unproven(id pix.EndToEndID, err error) error {
	t.trouble = fmt.Errorf("%s is not in the statement: %w", id, err)
	if t.troubles++; t.troubles > maxTroubles {
		return t.trouble
	}
	return nil
}

func (t *reconcileTurn) credits(ctx context.Context, from, until time.Time) error {
	q := UnseenQuery{AfterBooked: from, BookedBefore: until, Limit: t.r.cfg.PageSize}
	for {
		unseen, err := t.r.store.UnseenPayments(ctx, q)
		if err != nil || len(unseen) == 0 {
			return err
		}
		var adjust []Adjustment
		for _, p := range unseen {
			a, err := t.phantom(ctx, p)
			if err == nil {
				adjust = append(adjust, a)
				continue
			}
			if err := t.unproven(p.EndToEndID, err); err != nil {
				return err
			}
		}
		if err := t.takeBack(ctx, adjust); err != nil {
			return err
		}
		last := unseen[len(unseen)-1]
		q.AfterBooked, q.AfterID = last.BookedAt, last.EndToEndID
	}
}

// takeBack adjusts a page's worth, and keeps the duty.
func (t *reconcileTurn) takeBack(ctx context.Context, adjust []Adjustment) error {
	if len(adjust) > 0 {
		if _, err := t.r.store.PostAdjustments(ctx, adjust); err != nil {
			return err
		}
	}
	return t.save(ctx)
}

// phantom asks about a Pix and says what its line should be.
func (t *reconcileTurn) phantom(ctx context.Context, p Payment) (Adjustment, error) {
	settled, a := t.r.psp.getPix(ctx, p.EndToEndID)
	adjust := Adjustment{EndToEndID: p.EndToEndID}
	switch a.verdict {
	case verdictDone: // settled; its line is still to come, or was passed
		adjust.Want, adjust.Reason = settled.Amount, MatchDivergent
	case verdictAbsent:
		t.r.cfg.reached(MarkPhantom)
		adjust.Reason = MatchMissingAtPSP
	default:
		return adjust, a.Err()
	}
	var err error
	adjust.Now, err = t.r.now(ctx)
	return adjust, err
}

// refunds is credits for refunds that count as returned.
func (t *reconcileTurn) refunds(ctx context.Context, from, until time.Time) error {
	q := UnseenRefundQuery{AfterFinished: from, FinishedBefore: until, Limit: t.r.cfg.PageSize}
	for {
		unseen, err := t.r.store.UnseenRefunds(ctx, q)
		if err != nil || len(unseen) == 0 {
			return err
		}
		var adjust []Adjustment
		for _, x := range unseen {
			a, gone, err := t.phantomRefund(ctx, x, until)
			if err != nil {
				if err := t.unproven(x.EndToEndID, err); err != nil {
					return err
				}
			} else if gone {
				adjust = append(adjust, a)
			}
		}
		if err := t.takeBack(ctx, adjust); err != nil {
			return err
		}
		last := unseen[len(unseen)-1]
		q.AfterFinished, q.AfterID = last.FinishedAt, last.ReturnID
	}
}

// phantomRefund says how to take back a return that never settled: the PSP denies
// it, or still says so when not even its largest lag explains why there is no
// line. False: its line may still come.
func (t *reconcileTurn) phantomRefund(ctx context.Context, x Refund, until time.Time) (Adjustment, bool, error) {
	adjust := Adjustment{EndToEndID: x.EndToEndID, ReturnID: x.ReturnID, Reason: MatchMissingAtPSP}
	d, a := t.r.psp.getRefund(ctx, x.EndToEndID, x.ID)
	denied := a.verdict == verdictAbsent ||
		a.verdict == verdictDone && (d.Status == pix.RefundFailed || d.ReturnID != x.ReturnID)
	switch {
	case denied:
	case a.verdict != verdictDone && a.verdict != verdictRefused:
		return adjust, false, a.Err()
	case x.FinishedAt.After(until.Add(-t.r.cfg.Overlap)):
		return adjust, false, nil // its line is still to come
	}
	t.r.cfg.reached(MarkPhantomRefund)
	var err error
	adjust.Now, err = t.r.now(ctx)
	return adjust, err == nil, err
}
