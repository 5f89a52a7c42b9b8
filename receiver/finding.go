package receiver

import (
	"cmp"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// LineRef names a line of the account statement, or one that should be there.
type LineRef struct {
	Kind       pix.StatementKind
	EndToEndID pix.EndToEndID
	ID         string // rtrId of a refund or a return
}

// RefOf is the name of a line.
func RefOf(l pix.StatementLine) LineRef { return LineRef{l.Kind, l.EndToEndID, l.ID} }

// Finding is a line that the reconciliation found to be something else than OK,
// as it was when it was first found so. What came of it stands in the ledger and
// in its case; a finding is never changed.
type Finding struct {
	Number int64 // the store's count
	Line   LineRef
	Class  MatchClass
	// Statement and Ledger are what each had; money out is below zero.
	Statement, Ledger pix.Amount
	// SettledAt is the statement's instant, or our own books' where the statement
	// has no line.
	SettledAt time.Time
	FoundAt   time.Time
}

// Compare is the order in which findings are listed: when found, then by line.
func (f Finding) Compare(o Finding) int {
	return cmp.Or(
		f.FoundAt.Compare(o.FoundAt), cmp.Compare(f.Line.EndToEndID, o.Line.EndToEndID),
		cmp.Compare(f.Line.Kind, o.Line.Kind), cmp.Compare(f.Line.ID, o.Line.ID), cmp.Compare(f.Class, o.Class),
	)
}

// FindingQuery filters findings by their settlement: From is in, To is out.
type FindingQuery struct {
	From, To time.Time
	// Unreported leaves out what the report of a closed day has.
	Unreported bool
}

// DayClosing stores the report of a day, for good.
type DayClosing struct {
	Day  string // such as 2026-03-02
	Body []byte
	// Findings are the numbers of those that the report has.
	Findings []int64
	Now      time.Time
}

// Window is a stretch of the statement that an operator wants reconciled.
type Window struct {
	ID          int64
	From, To    time.Time // by settlement; To is out
	Operator    string
	Note        string
	RequestedAt time.Time
	FinishedAt  time.Time // zero until then
	Report      []byte    // once finished
}

// Subject is what the operators' book calls the window.
func (w *Window) Subject() string {
	return pix.FormatTime(w.From) + " to " + pix.FormatTime(w.To)
}

// WindowQuery filters windows; zero values do not filter.
type WindowQuery struct {
	ID   int64
	Open bool
}

// FindingOf is what to note about a line of that class, false where nothing is.
func FindingOf(f LineFacts, class MatchClass, at time.Time) (Finding, bool) {
	if class == MatchOK || class == MatchInFlight {
		return Finding{}, false
	}
	return Finding{
		Line: RefOf(f.Line), Class: class, Statement: pix.Amount(f.Line.Signed()), Ledger: f.Net,
		SettledAt: f.Line.SettledAt, FoundAt: at,
	}, true
}

// PhantomFinding is what to note when an adjustment takes back what never
// settled; x is the refund, nil where it is the Pix.
func PhantomFinding(p Payment, x *Refund, net pix.Amount, at time.Time) Finding {
	f := Finding{
		Line:  LineRef{Kind: pix.KindPixIn, EndToEndID: p.EndToEndID},
		Class: MatchMissingAtPSP, Ledger: net, SettledAt: p.PaidAt, FoundAt: at,
	}
	if x != nil {
		f.Line.Kind, f.Line.ID, f.SettledAt = pix.KindRefundOut, string(x.ReturnID), x.FinishedAt
	}
	return f
}
