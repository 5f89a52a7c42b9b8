package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// reconciler compares the account statement with the ledger, line by line, and
// brings the ledger to the statement: what is missing is booked through the
// same rules, what differs is adjusted against suspense, with a case for each.
// The past is never edited.
//
// It walks one stretch of the statement after the other: what settled since its
// last turn, each day that is over once more, whose report it then closes, and
// what operators ask for. How far it has come is kept with its duty after each
// page, so that whoever takes the duty next goes on from there.
type reconciler struct{ r *Receiver }

func (s reconciler) Name() string { return "reconcile" }
func (s reconciler) Queue() Queue { return DutyReconcile }

// RunOnce walks everything that is due.
func (s reconciler) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyReconcile)
	if err != nil {
		return idle(err)
	}
	t := &reconcileTurn{reconciler: s, duty: d, now: now, at: readStanding(d.Cursor)}
	err = t.run(ctx)
	if errors.Is(err, errDutyLost) {
		return Progress{Done: t.lines}, err
	}
	next := t.at.NextTurn
	if err = errors.Join(err, t.trouble); err != nil {
		next = s.r.afterFailure(DutyReconcile, now)
		t.at.NextTurn = next
	}
	t.duty.Cursor = t.at.text()
	return Progress{Done: t.lines + 1}, errors.Join(err, s.r.endTurn(ctx, t.duty, next))
}

// errDutyLost ends a turn whose duty another instance has taken since.
var errDutyLost = errors.New("another instance has taken the duty")

// walkKind says what a walk along the statement is for.
type walkKind string

const (
	walkTurn   walkKind = "turn"   // what settled since the last one
	walkDay    walkKind = "day"    // a day that is over, for its report
	walkWindow walkKind = "window" // what an operator asked for
)

// walk is one stretch of the statement and how far it is done.
type walk struct {
	Kind   walkKind  `json:"kind"`
	Window int64     `json:"window,omitempty"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	// Page is the PSP's cursor of the page to read next; Begun tells the first
	// page, whose cursor is empty, from the end.
	Page  string `json:"page,omitempty"`
	Begun bool   `json:"begun,omitempty"`
	// Stuck is the instant of the oldest line that must not be passed: the inbox
	// still works on it, or it could not be booked. Flying counts the former.
	Stuck  time.Time `json:"stuck,omitzero"`
	Flying int       `json:"flying,omitempty"`
	// Lines are what the walk has met, by kind.
	Lines map[pix.StatementKind]LineTotal `json:"lines,omitempty"`
}

// standing is where the reconciliation stands between pages and between turns.
type standing struct {
	Walk *walk `json:"walk,omitempty"`
	// NextTurn is when what settled since is walked again.
	NextTurn time.Time `json:"next_turn,omitzero"`
	// ClosedTo is the first instant of the day that is closed next.
	ClosedTo time.Time `json:"closed_to,omitzero"`
}

// readStanding reads what a turn left; what cannot be read is a beginning.
func readStanding(text string) (p standing) {
	if json.Unmarshal([]byte(text), &p) != nil {
		return standing{}
	}
	return p
}

func (p standing) text() string {
	raw, err := json.Marshal(p)
	if err != nil {
		return "" // times of years beyond 9999: begin again
	}
	return string(raw)
}

// reconcileTurn is one turn under the duty.
type reconcileTurn struct {
	reconciler
	duty  Duty
	now   time.Time
	at    standing
	lines int // met in this turn
	// turned says that what settled since was walked in this turn, open that a day
	// could not be closed yet. trouble is what went wrong with single lines.
	turned, open bool
	trouble      error
	troubles     int
}

func (t *reconcileTurn) run(ctx context.Context) error {
	for {
		if t.at.Walk == nil {
			w, err := t.choose(ctx)
			if err != nil || w == nil {
				return err
			}
			t.at.Walk = w
		}
		if err := t.forward(ctx); err != nil {
			return err
		}
		if err := t.finish(ctx); err != nil {
			return err
		}
		t.at.Walk = nil
	}
}

// until is up to when the statement can be expected to be whole.
func (t *reconcileTurn) until() time.Time { return t.now.Add(-t.r.cfg.Grace) }

// choose is what to walk next, nil where nothing is due.
func (t *reconcileTurn) choose(ctx context.Context) (*walk, error) {
	asked, err := t.r.store.ListWindows(ctx, WindowQuery{Open: true})
	if err != nil {
		return nil, err
	}
	if len(asked) > 0 {
		w := asked[0]
		return &walk{Kind: walkWindow, Window: w.ID, From: w.From, To: earlier(w.To, t.until())}, nil
	}
	if !t.turned && !t.now.Before(t.at.NextTurn) {
		from := t.now.Add(-t.r.cfg.SweepBack - t.r.cfg.Overlap)
		if !t.duty.Watermark.IsZero() {
			from = t.duty.Watermark.Add(-t.r.cfg.Overlap)
		}
		return &walk{Kind: walkTurn, From: from, To: t.until()}, nil
	}
	if t.at.ClosedTo.IsZero() {
		t.at.ClosedTo, _ = Day(t.now) // the first day that has a report
	}
	// A day is over once not even the largest lag explains why a line is missing.
	from, to := Day(t.at.ClosedTo)
	if t.open || to.After(t.until().Add(-t.r.cfg.Overlap)) || t.duty.Watermark.Before(to) {
		return nil, nil
	}
	return &walk{Kind: walkDay, From: from, To: to}, nil
}

// finish does what comes at the end of a walk.
func (t *reconcileTurn) finish(ctx context.Context) error {
	switch w := t.at.Walk; w.Kind {
	case walkDay:
		return t.closeDay(ctx, w)
	case walkWindow:
		return t.finishWindow(ctx, w)
	default:
		return t.finishTurn(ctx, w)
	}
}

func (t *reconcileTurn) finishTurn(ctx context.Context, w *walk) error {
	if err := t.backward(ctx, time.Time{}, w.To); err != nil {
		return err
	}
	until := w.To
	if !w.Stuck.IsZero() && w.Stuck.Before(until) {
		until = w.Stuck // what is still being worked on is looked at again
	}
	if until.After(t.duty.Watermark) {
		t.duty.Watermark = until
	}
	t.turned, t.at.NextTurn = true, t.now.Add(t.r.cfg.ReconcileEvery)
	return nil
}

// closeDay closes a day in which nothing is open any more.
func (t *reconcileTurn) closeDay(ctx context.Context, w *walk) error {
	if !w.Stuck.IsZero() {
		t.open = true
		return nil
	}
	found, err := t.r.store.ListFindings(ctx, FindingQuery{To: w.To, Unreported: true})
	if err != nil {
		return err
	}
	report, err := t.report(ctx, w, found)
	if err != nil {
		return err
	}
	closing := DayClosing{Day: DayName(w.From), Body: report.Encode(), Now: t.now}
	for _, f := range found {
		closing.Findings = append(closing.Findings, f.Number)
	}
	if _, err := t.r.store.CloseDay(ctx, closing); err != nil {
		return err
	}
	t.at.ClosedTo = w.To
	return nil
}

func (t *reconcileTurn) finishWindow(ctx context.Context, w *walk) error {
	if err := t.backward(ctx, w.From, w.To); err != nil {
		return err
	}
	found, err := t.r.store.ListFindings(ctx, FindingQuery{From: w.From, To: w.To})
	if err != nil {
		return err
	}
	report, err := t.report(ctx, w, found)
	if err != nil {
		return err
	}
	_, err = t.r.store.FinishWindow(ctx, Window{ID: w.Window, FinishedAt: t.now, Report: report.Encode()})
	return err
}

// report is the report of a walk, with the cases about what was found.
func (t *reconcileTurn) report(ctx context.Context, w *walk, found []Finding) (Report, error) {
	var cases []Case
	if len(found) > 0 {
		q := CaseQuery{}
		for _, f := range found {
			q.Pix = append(q.Pix, f.Line.EndToEndID)
		}
		var err error
		if cases, err = t.r.store.ListCases(ctx, q); err != nil {
			return Report{}, err
		}
	}
	return newReport(w, found, cases), nil
}

// save keeps how far the turn has come, and holds the duty on.
func (t *reconcileTurn) save(ctx context.Context) error {
	now, err := t.r.now(ctx)
	if err != nil {
		return err
	}
	d := t.duty
	d.Cursor, d.HeldUntil = t.at.text(), now.Add(t.r.cfg.dutyLease())
	held, err := t.r.store.SaveDuty(ctx, d, false)
	if err == nil && !held {
		err = errDutyLost
	}
	return err
}
