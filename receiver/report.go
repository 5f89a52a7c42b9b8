package receiver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Report is what the reconciliation of a day, or of a window, came to. That of a
// closed day is stored as it was and never made again.
type Report struct {
	// Day is the day's name, empty for a window.
	Day  string    `json:"day,omitempty"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Lines are those of the statement, by kind; Cents is what they did to the
	// balance.
	Lines []KindTotal `json:"lines"`
	// Classes count lines of From to To by the first of their classes; those in
	// no statement too.
	Classes []ClassTotal `json:"classes"`
	// InFlight counts lines that were still being worked on; none of a closed day.
	InFlight int `json:"in_flight"`
	// Findings are what was not OK. A closed day's has also what was found since
	// the last closing about days that were closed before.
	Findings []FindingLine `json:"findings"`
	Cases    []CaseLine    `json:"cases"`
}

// LineTotal is some lines of the statement together.
type LineTotal struct {
	Lines int   `json:"lines"`
	Cents int64 `json:"cents"` // money out is below zero
}

// KindTotal is the lines of one kind.
type KindTotal struct {
	Kind pix.StatementKind `json:"kind"`
	LineTotal
}

// ClassTotal is the lines of one class. Of those that are OK both sums are what
// the statement has.
type ClassTotal struct {
	Class          MatchClass `json:"class"`
	Lines          int        `json:"lines"`
	StatementCents int64      `json:"statement_cents"`
	LedgerCents    int64      `json:"ledger_cents"`
}

// FindingLine is a finding as the report has it.
type FindingLine struct {
	Kind           pix.StatementKind `json:"kind"`
	EndToEndID     pix.EndToEndID    `json:"endToEndId"`
	ID             string            `json:"id,omitempty"`
	Class          MatchClass        `json:"class"`
	StatementCents int64             `json:"statement_cents"`
	LedgerCents    int64             `json:"ledger_cents"`
	SettledAt      time.Time         `json:"settled_at"`
	FoundAt        time.Time         `json:"found_at"`
}

// CaseLine is a case as it stood when the report was made.
type CaseLine struct {
	ID         string         `json:"id"`
	EndToEndID pix.EndToEndID `json:"endToEndId"`
	Account    Account        `json:"account,omitempty"`
	Cents      int64          `json:"cents"`
	State      CaseState      `json:"state"`
	Reasons    []string       `json:"reasons"`
	OpenedAt   time.Time      `json:"opened_at"`
}

// newReport makes the report of a walk.
func newReport(w *walk, found []Finding, cases []Case) Report {
	r := Report{
		From: w.From.UTC(), To: w.To.UTC(), InFlight: w.Flying,
		Lines: []KindTotal{}, Classes: []ClassTotal{}, Findings: []FindingLine{}, Cases: []CaseLine{},
	}
	if w.Kind == walkDay {
		r.Day = DayName(w.From)
	}
	var all LineTotal
	for _, kind := range []pix.StatementKind{pix.KindPixIn, pix.KindRefundOut, pix.KindPixOut, pix.KindReturnIn} {
		if sum, is := w.Lines[kind]; is {
			r.Lines = append(r.Lines, KindTotal{kind, sum})
			all.Lines += sum.Lines
			all.Cents += sum.Cents
		}
	}
	for _, f := range found {
		r.Findings = append(r.Findings, FindingLine{
			Kind: f.Line.Kind, EndToEndID: f.Line.EndToEndID, ID: f.Line.ID, Class: f.Class,
			StatementCents: int64(f.Statement), LedgerCents: int64(f.Ledger), SettledAt: f.SettledAt.UTC(), FoundAt: f.FoundAt.UTC(),
		})
	}
	r.classes(all, found)
	for _, c := range cases {
		r.Cases = append(r.Cases, CaseLine{
			ID: c.ID, EndToEndID: c.EndToEndID, Account: c.Account, Cents: int64(c.Amount),
			State: c.State, Reasons: c.Reasons, OpenedAt: c.OpenedAt.UTC(),
		})
	}
	return r
}

// classes counts lines by class: each once, by the first of its classes, and
// what nothing was found about is OK.
func (r *Report) classes(all LineTotal, found []Finding) {
	rank := MatchClasses()
	firsts := map[LineRef]Finding{}
	for _, f := range found {
		if f.SettledAt.Before(r.From) {
			continue // of a day that was closed before
		}
		if known, is := firsts[f.Line]; !is || slices.Index(rank, f.Class) < slices.Index(rank, known.Class) {
			firsts[f.Line] = f
		}
	}
	sums := map[MatchClass]*ClassTotal{}
	for _, class := range rank {
		sums[class] = &ClassTotal{Class: class}
	}
	ok := sums[MatchOK]
	ok.Lines, ok.StatementCents = all.Lines-r.InFlight, all.Cents
	for _, ref := range slices.SortedFunc(maps.Keys(firsts), compareRefs) {
		f := firsts[ref]
		sum := sums[f.Class]
		sum.Lines++
		sum.StatementCents += int64(f.Statement)
		sum.LedgerCents += int64(f.Ledger)
		if f.Class != MatchMissingAtPSP { // that one is no line of the statement
			ok.Lines--
			ok.StatementCents -= int64(f.Statement)
		}
	}
	ok.LedgerCents = ok.StatementCents
	for _, class := range rank {
		r.Classes = append(r.Classes, *sums[class])
	}
}

func compareRefs(a, b LineRef) int {
	return cmp.Or(cmp.Compare(a.EndToEndID, b.EndToEndID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

// Encode is the report as JSON, the same bytes for the same report.
func (r Report) Encode() []byte {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic("receiver: encode a report: " + err.Error()) // times beyond the year 9999
	}
	return append(raw, '\n')
}

// ParseReport reads what [Report.Encode] wrote.
func ParseReport(raw []byte) (r Report, err error) {
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("read report: %w", err)
	}
	return r, nil
}
