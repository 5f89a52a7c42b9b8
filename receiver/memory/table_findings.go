package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// findingTable holds what the reconciliation found, in the order found.
type findingTable struct {
	rows  []receiver.Finding
	known map[findingKey]struct{}
	days  map[int64]string // by number: the closed day whose report has it
}

// findingKey is what a finding is noted once for.
type findingKey struct {
	line  receiver.LineRef
	class receiver.MatchClass
}

func newFindingTable() findingTable {
	return findingTable{known: map[findingKey]struct{}{}, days: map[int64]string{}}
}

// note adds a finding unless it is known.
func (t *findingTable) note(f receiver.Finding) {
	key := findingKey{f.Line, f.Class}
	if _, known := t.known[key]; known {
		return
	}
	t.known[key] = struct{}{}
	f.Number = int64(len(t.rows)) + 1
	t.rows = append(t.rows, f)
}

// cut takes back everything after the first n.
func (t *findingTable) cut(n int) {
	for _, f := range t.rows[n:] {
		delete(t.known, findingKey{f.Line, f.Class})
	}
	t.rows = t.rows[:n]
}

// report is one closed day.
type report struct {
	body []byte
	at   time.Time
}

// ListFindings lists findings in their order.
func (s *Store) ListFindings(ctx context.Context, q receiver.FindingQuery) ([]receiver.Finding, error) {
	tx, err := s.begin(ctx, "ListFindings")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.Finding
	for _, f := range s.findings.rows {
		_, reported := s.findings.days[f.Number]
		if !f.SettledAt.Before(q.From) && f.SettledAt.Before(q.To) && !(q.Unreported && reported) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, receiver.Finding.Compare)
	return out, nil
}

// CloseDay stores the report of a day that has none.
func (s *Store) CloseDay(ctx context.Context, in receiver.DayClosing) ([]byte, error) {
	tx, err := s.begin(ctx, "CloseDay")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	if there, closed := s.reports[in.Day]; closed {
		return bytes.Clone(there.body), tx.commit()
	}
	s.reports[in.Day] = report{bytes.Clone(in.Body), in.Now}
	for _, number := range in.Findings {
		s.findings.days[number] = in.Day
	}
	return bytes.Clone(in.Body), tx.commit()
}

// FindReport is the report of a closed day.
func (s *Store) FindReport(ctx context.Context, day string) ([]byte, bool, error) {
	tx, err := s.begin(ctx, "FindReport")
	if err != nil {
		return nil, false, err
	}
	defer tx.end()
	r, closed := s.reports[day]
	return bytes.Clone(r.body), closed, nil
}

// RequestWindow notes a window and makes the reconciliation due.
func (s *Store) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	tx, err := s.begin(ctx, "RequestWindow")
	if err != nil {
		return receiver.Window{}, err
	}
	defer tx.end()
	in.ID, in.FinishedAt, in.Report = int64(len(s.windows))+1, time.Time{}, nil
	s.windows = append(s.windows, in)
	if d := s.duties[receiver.DutyReconcile]; d != nil && d.NextAt.After(in.RequestedAt) {
		d.NextAt = in.RequestedAt
	}
	tx.Record(receiver.OperatorRecord{
		At: in.RequestedAt, Operator: in.Operator, Action: receiver.ActionWindow, Subject: in.Subject(), Note: in.Note,
	})
	return in, tx.commit()
}

// ListWindows lists windows in the order asked for.
func (s *Store) ListWindows(ctx context.Context, q receiver.WindowQuery) ([]receiver.Window, error) {
	tx, err := s.begin(ctx, "ListWindows")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.Window
	for _, w := range s.windows {
		if (q.ID == 0 || w.ID == q.ID) && (!q.Open || w.FinishedAt.IsZero()) {
			w.Report = bytes.Clone(w.Report)
			out = append(out, w)
		}
	}
	return out, nil
}

// FinishWindow stores the report of a window that has none.
func (s *Store) FinishWindow(ctx context.Context, in receiver.Window) (bool, error) {
	tx, err := s.begin(ctx, "FinishWindow")
	if err != nil {
		return false, err
	}
	defer tx.end()
	if in.ID < 1 || in.ID > int64(len(s.windows)) || !s.windows[in.ID-1].FinishedAt.IsZero() {
		return false, tx.commit()
	}
	w := &s.windows[in.ID-1]
	w.FinishedAt, w.Report = in.FinishedAt, bytes.Clone(in.Report)
	return true, tx.commit()
}

// about says whether a case is about one of these Pix; none stand for all.
func about(c *receiver.Case, ids []pix.EndToEndID) bool {
	if len(ids) == 0 {
		return true
	}
	_, is := slices.BinarySearchFunc(ids, c.EndToEndID, cmp.Compare[pix.EndToEndID])
	return is
}
