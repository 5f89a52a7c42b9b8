package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// ListFindings lists findings in the order found.
func (s *Store) ListFindings(ctx context.Context, q receiver.FindingQuery) ([]receiver.Finding, error) {
	return all(ctx, s, "list findings", reads, listFindings, []any{q.From, q.To, q.Unreported}, scanFinding)
}

const listFindings = `SELECT ` + findingColumns + ` FROM reconcile_finding
WHERE settled_at >= $1 AND settled_at < $2 AND (day = '' OR NOT $3)
ORDER BY ` + findingOrder

// CloseDay stores the report of a day that has none.
func (s *Store) CloseDay(ctx context.Context, in receiver.DayClosing) ([]byte, error) {
	args := []any{text(in.Day), in.Now, in.Body, in.Findings}
	bodies, err := all(ctx, s, "close day", writes, closeDay, args, scanBytes)
	if err != nil || len(bodies) > 0 {
		return append([]byte(nil), first(bodies)...), err
	}
	there, _, err := s.FindReport(ctx, in.Day)
	return there, err
}

const closeDay = `WITH closed AS (
    INSERT INTO day_report (day, closed_at, body) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING -- a closed day's report never changes
    RETURNING day, body
), marked AS (
    UPDATE reconcile_finding AS f SET day = closed.day FROM closed WHERE f.number = ANY ($4) AND f.day = ''
)
SELECT body FROM closed`

// FindReport is the report of a closed day.
func (s *Store) FindReport(ctx context.Context, day string) ([]byte, bool, error) {
	bodies, err := all(ctx, s, "find report", reads, `SELECT body FROM day_report WHERE day = $1`, []any{text(day)}, scanBytes)
	return first(bodies), len(bodies) > 0, err
}

func scanBytes(rows pgx.Rows) (b []byte, err error) { return b, rows.Scan(&b) }

func first[T any](rows []T) (none T) {
	if len(rows) > 0 {
		return rows[0]
	}
	return none
}

// windowColumns are the columns that [scanWindow] reads.
const windowColumns = `id, from_at, to_at, operator, note, requested_at, finished_at, report`

func scanWindow(rows pgx.Rows) (w receiver.Window, err error) {
	return w, rows.Scan(&w.ID, &w.From, &w.To, &w.Operator, &w.Note, &w.RequestedAt, unknown{&w.FinishedAt}, &w.Report)
}

// RequestWindow notes a window and makes the reconciliation due.
func (s *Store) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	args := []any{
		in.From, in.To, text(in.Operator), text(in.Note), in.RequestedAt,
		text(receiver.ActionWindow), text(in.Subject()), text(receiver.DutyReconcile),
	}
	out, err := all(ctx, s, "request window", writes, requestWindow, args, scanWindow)
	return first(out), err
}

const requestWindow = `WITH recorded AS (
    INSERT INTO operator_record (` + recordColumns + `) VALUES ($5, $3, $6, $7, $4)
), woken AS (
    UPDATE duty SET next_at = $5 WHERE name = $8 AND next_at > $5
)
INSERT INTO reconcile_window (from_at, to_at, operator, note, requested_at) VALUES ($1, $2, $3, $4, $5)
RETURNING ` + windowColumns

// ListWindows lists windows in the order asked for.
func (s *Store) ListWindows(ctx context.Context, q receiver.WindowQuery) ([]receiver.Window, error) {
	var c conditions
	if q.ID != 0 {
		c.add("id = ?", q.ID)
	}
	if q.Open {
		c.words = append(c.words, "finished_at IS NULL")
	}
	sql, args := c.query(`SELECT `+windowColumns+` FROM reconcile_window`, `id`, 0)
	return all(ctx, s, "list windows", reads, sql, args, scanWindow)
}

// FinishWindow stores the report of a window that has none.
func (s *Store) FinishWindow(ctx context.Context, in receiver.Window) (bool, error) {
	args := []any{in.ID, in.FinishedAt, in.Report}
	done, err := all(ctx, s, "finish window", writes, finishWindow, args, func(rows pgx.Rows) (at time.Time, err error) {
		return at, rows.Scan(unknown{&at})
	})
	return len(done) > 0, err
}

const finishWindow = `UPDATE reconcile_window SET finished_at = $2, report = $3
WHERE id = $1 AND finished_at IS NULL
RETURNING finished_at`
