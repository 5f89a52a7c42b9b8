package receiver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// reconciler compares the account statement with the ledger, line by line, and
// brings the ledger to the statement: what is missing is booked through the
// same rules, what differs is adjusted against suspense, with a case for each.
// The past is never edited.
type reconciler struct{ r *Receiver }

func (s reconciler) Name() string { return "reconcile" }
func (s reconciler) Queue() Queue { return DutyReconcile }

// RunOnce reconciles everything settled since the last turn, up to Grace ago.
func (s reconciler) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyReconcile)
	if err != nil {
		return idle(err)
	}
	from := now.Add(-s.r.cfg.SweepBack - s.r.cfg.Overlap)
	if !d.Watermark.IsZero() {
		from = d.Watermark.Add(-s.r.cfg.Overlap)
	}
	until := now.Add(-s.r.cfg.Grace)
	n, flying, err := s.forward(ctx, &d, from, until)
	if err == nil {
		err = errors.Join(s.backward(ctx, until), s.refundsBackward(ctx, until))
	}
	if err != nil {
		return Progress{Done: n}, errors.Join(err, s.r.endTurn(ctx, d, s.r.afterFailure(DutyReconcile, now)))
	}
	if !flying.IsZero() && flying.Before(until) {
		until = flying // what is still being worked on is looked at again
	}
	if until.After(d.Watermark) {
		d.Watermark = until
	}
	d.Cursor = ""
	return Progress{Done: n + 1}, s.r.endTurn(ctx, d, now.Add(s.r.cfg.ReconcileEvery))
}

// forward walks the statement and looks each line up in the ledger. The cursor
// is kept with the duty, so that an interrupted walk goes on from its last page.
// flying is the instant of the oldest line that the inbox still works on, zero
// if there is none.
func (s reconciler) forward(ctx context.Context, d *Duty, from, to time.Time) (n int, flying time.Time, err error) {
	for {
		page, a := s.r.psp.statement(ctx, from, to, d.Cursor)
		if a.verdict != verdictDone {
			return n, flying, a.Err()
		}
		oldest, err := s.match(ctx, page.Lines)
		if err != nil {
			return n, flying, err
		}
		flying = earlier(flying, oldest)
		n += len(page.Lines)
		d.Cursor = page.Next
		if page.Next == "" {
			return n, flying, nil
		}
		if _, err := s.r.store.SaveDuty(ctx, *d, false); err != nil {
			return n, flying, err
		}
	}
}

// match looks one page up, repairs what the ledger lacks and adjusts what
// differs. It returns the instant of the oldest line that is in flight.
func (s reconciler) match(ctx context.Context, lines []pix.StatementLine) (flying time.Time, err error) {
	flying, missing, err := s.compare(ctx, lines)
	if err != nil {
		return flying, err
	}
	for _, line := range missing {
		if err := s.repair(ctx, line); err != nil {
			return flying, err
		}
	}
	// What was repaired is looked at again: now the ledger has something to compare
	// the line with, and notes that the line was seen. What even that did not book
	// counts as in flight: this line must not be passed.
	again, left, err := s.compare(ctx, missing)
	if len(left) > 0 {
		again = earlier(again, left[0].SettledAt)
	}
	return earlier(flying, again), err
}

// earlier is the earlier of two instants, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// compare looks lines up and adjusts what differs. It returns the instant of the
// oldest one in flight, and the lines that the ledger lacks.
func (s reconciler) compare(ctx context.Context, lines []pix.StatementLine) (flying time.Time, missing []pix.StatementLine, err error) {
	if len(lines) == 0 {
		return flying, nil, nil
	}
	outs, err := s.r.store.MatchStatement(ctx, lines)
	if err != nil {
		return flying, nil, err
	}
	now, err := s.r.now(ctx)
	if err != nil {
		return flying, nil, err
	}
	var adjust []Adjustment
	for i, out := range outs {
		switch out.Class {
		case MatchInFlight:
			s.r.cfg.reached(MarkLineInFlight)
			flying = earlier(flying, lines[i].SettledAt)
		case MatchMissingInLedger:
			missing = append(missing, lines[i])
		case MatchDivergent:
			s.r.cfg.reached(MarkLineAdjusted)
			adjust = append(adjust, Adjustment{
				EndToEndID: lines[i].EndToEndID, ReturnID: returnOf(lines[i]), Want: pix.Amount(lines[i].Signed()),
				Reason: out.Class, Now: now,
			})
		}
	}
	if len(adjust) > 0 {
		_, err = s.r.store.PostAdjustments(ctx, adjust)
	}
	return flying, missing, err
}

// repair books a line that the ledger lacks, once the PSP told what it is of.
func (s reconciler) repair(ctx context.Context, line pix.StatementLine) error {
	p, a := s.r.psp.getPix(ctx, line.EndToEndID)
	if a.verdict != verdictDone {
		return a.Err()
	}
	now, err := s.r.now(ctx)
	if err != nil {
		return err
	}
	for _, item := range s.r.confirmedItems(p, ChannelRepair) {
		if !speaksOf(item, line) {
			continue
		}
		outs, err := s.r.store.RepairEvents(ctx, []Repair{{Item: item, Now: now}})
		s.r.cfg.reachedIf(err == nil && outs[0].Result == ApplyBooked, MarkLineRepaired)
		if err == nil && (outs[0].Result == ApplyWait || outs[0].Result == ApplyFailed) {
			// The line is read again: the turn's cursor stays before it.
			err = fmt.Errorf("repair line %s %s of the statement: %s", line.EndToEndID, line.ID, outs[0].Reason)
		}
		return err
	}
	return fmt.Errorf("line %s %s of the statement: GET /pix does not show it", line.EndToEndID, line.ID)
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
	if line.Kind == pix.KindRefundOut {
		return item.Refund != nil && string(item.Refund.ReturnID) == line.ID
	}
	return item.Credit != nil
}

// backward looks for bookings that no line of the statement vouches for. What
// the PSP does not know either, once Grace has passed, never settled.
func (s reconciler) backward(ctx context.Context, until time.Time) error {
	q := UnseenQuery{BookedBefore: until, Limit: s.r.cfg.PageSize}
	for {
		unseen, err := s.r.store.UnseenPayments(ctx, q)
		if err != nil || len(unseen) == 0 {
			return err
		}
		for _, p := range unseen {
			if err := s.phantom(ctx, p); err != nil {
				return err
			}
		}
		last := unseen[len(unseen)-1]
		q.AfterBooked, q.AfterID = last.BookedAt, last.EndToEndID
	}
}

func (s reconciler) phantom(ctx context.Context, p Payment) error {
	settled, a := s.r.psp.getPix(ctx, p.EndToEndID)
	adjust := Adjustment{EndToEndID: p.EndToEndID}
	switch a.verdict {
	case verdictDone: // settled; its line is still to come, or was passed
		adjust.Want, adjust.Reason = settled.Amount, MatchDivergent
	case verdictAbsent:
		s.r.cfg.reached(MarkPhantom)
		adjust.Reason = MatchMissingAtPSP
	default:
		return a.Err()
	}
	now, err := s.r.now(ctx)
	if err != nil {
		return err
	}
	adjust.Now = now
	_, err = s.r.store.PostAdjustments(ctx, []Adjustment{adjust})
	return err
}

// refundsBackward is backward for refunds that count as returned.
func (s reconciler) refundsBackward(ctx context.Context, until time.Time) error {
	q := UnseenRefundQuery{FinishedBefore: until, Limit: s.r.cfg.PageSize}
	for {
		unseen, err := s.r.store.UnseenRefunds(ctx, q)
		if err != nil || len(unseen) == 0 {
			return err
		}
		for _, x := range unseen {
			if err := s.phantomRefund(ctx, x, until); err != nil {
				return err
			}
		}
		last := unseen[len(unseen)-1]
		q.AfterFinished, q.AfterID = last.FinishedAt, last.ReturnID
	}
}

// phantomRefund takes back a return that never settled: the PSP denies it, or
// still says so when not even its largest lag explains why there is no line.
func (s reconciler) phantomRefund(ctx context.Context, x Refund, until time.Time) error {
	d, a := s.r.psp.getRefund(ctx, x.EndToEndID, x.ID)
	denied := a.verdict == verdictAbsent ||
		a.verdict == verdictDone && (d.Status == pix.RefundFailed || d.ReturnID != x.ReturnID)
	switch {
	case denied:
	case a.verdict != verdictDone && a.verdict != verdictRefused:
		return a.Err()
	case x.FinishedAt.After(until.Add(-s.r.cfg.Overlap)):
		return nil // its line is still to come
	}
	now, err := s.r.now(ctx)
	if err != nil {
		return err
	}
	s.r.cfg.reached(MarkPhantomRefund)
	_, err = s.r.store.PostAdjustments(ctx, []Adjustment{{
		EndToEndID: x.EndToEndID, ReturnID: x.ReturnID, Reason: MatchMissingAtPSP, Now: now,
	}})
	return err
}

func parseCursor(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func formatCursor(id int64) string { return strconv.FormatInt(id, 10) }
