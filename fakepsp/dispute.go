package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// The limits of the special refund mechanism (MED). Both ends are included.
const (
	DisputeWindow   = 80 * 24 * time.Hour // from the Pix to the report
	DisputeAnalysis = 7 * 24 * time.Hour  // from the report to the decision
)

// DisputeOrder is a MED report on one Pix, and how its case will end.
type DisputeOrder struct {
	// ID is the plan's name of the case, such as "m1", and Payment that of the
	// Pix ("p3"; empty is the Subject of the settled Pix).
	ID, Payment string
	EndToEndID  pix.EndToEndID
	// Nature is [pix.NatureMEDFraud] or [pix.NatureMEDOperational].
	Nature  string
	Outcome chaos.DisputeOutcome
	// Amount is what the payer wants back; of more than the Pix, the Pix.
	Amount pix.Amount
	// DecideAfter is the length of the analysis.
	DecideAfter time.Duration
	// NotifyAfter is how long after each return its callback is due.
	NotifyAfter time.Duration
}

// NotDisputable is the answer to a report that comes too late.
type NotDisputable struct{ Reason string }

// Error says why.
func (e *NotDisputable) Error() string { return "not disputable: " + e.Reason }

// DisputeStage is how far a MED case has come.
type DisputeStage string

// The stages of a case. An accepted one goes on: it is settled when all of its
// goal is returned, and has lapsed when money comes in too late for the rest.
const (
	DisputeReported  DisputeStage = "reported"
	DisputeAccepted  DisputeStage = "accepted"
	DisputeSettled   DisputeStage = "settled"
	DisputeLapsed    DisputeStage = "lapsed"
	DisputeRejected  DisputeStage = "rejected"
	DisputeCancelled DisputeStage = "cancelled"
)

// DisputeCase is a MED case as it stands. The API shows nothing of it but its
// returns.
type DisputeCase struct {
	ID, Payment string
	EndToEndID  pix.EndToEndID
	Nature      string
	Stage       DisputeStage
	// Blocked is what the case holds of the balance, Goal what is to be
	// returned in all (zero until it is accepted), Returned what was.
	Blocked, Goal, Returned pix.Amount
	Parts                   int
	// At is when the stage began.
	At time.Time
}

// Report opens a MED case: what is there of its amount, at most the Pix less
// what went back of it, is blocked at once. The errors are a *[NotDisputable],
// [ErrExists] for a known ID, or a plain error for a report that no
// institution could make.
func (p *PSP) Report(order DisputeOrder) error {
	p.mu.Lock()
	defer p.unlock()
	now := p.present()
	row, err := p.disputable(order, now)
	if err != nil {
		return err
	}
	if order.Payment == "" {
		order.Payment = row.Subject
	}
	d := &dispute{order: order, of: row, stage: DisputeReported, at: stamp(now)}
	left := row.Amount - p.truth.share(row.EndToEndID).returned - p.cases.claimed(row.EndToEndID)
	d.blocked = max(0, min(order.Amount, left, p.balance-p.cases.blocked))
	if d.blocked < order.Amount {
		p.reached(MarkBlockedInPart)
	}
	p.cases.add(d)
	p.version++
	p.tellCase(d)
	p.agenda.add(now.Add(order.DecideAfter), func(at time.Time) { p.decide(d, at) })
	p.carryOut(now)
	return nil
}

// disputable is the Pix that the report is about, or why there is no case.
func (p *PSP) disputable(order DisputeOrder, now time.Time) (SettledPix, error) {
	row, ok := p.truth.Pix(order.EndToEndID)
	natures := order.Nature == pix.NatureMEDFraud || order.Nature == pix.NatureMEDOperational
	outcomes := order.Outcome == chaos.DisputeAccepted || order.Outcome == chaos.DisputeRejected ||
		order.Outcome == chaos.DisputeCancelled
	switch {
	case order.ID == "":
		return row, fmt.Errorf("report: want an ID")
	case p.cases.find(order.ID) != nil:
		return row, fmt.Errorf("report %s: %w", order.ID, ErrExists)
	case !ok:
		return row, fmt.Errorf("report %s: no Pix %q", order.ID, order.EndToEndID)
	case !natures:
		return row, fmt.Errorf("report %s: nature %q: want MED_FRAUDE or MED_OPERACIONAL", order.ID, order.Nature)
	case !outcomes:
		return row, fmt.Errorf("report %s: outcome %q: want accepted, rejected or cancelled", order.ID, order.Outcome)
	case order.Amount <= 0:
		return row, fmt.Errorf("report %s: amount %s: want more than 0.00", order.ID, order.Amount)
	case order.DecideAfter < 0 || order.DecideAfter > DisputeAnalysis:
		return row, fmt.Errorf("report %s: analysis of %s: want at most %s", order.ID, order.DecideAfter, DisputeAnalysis)
	case now.After(row.PaidAt.Add(DisputeWindow)):
		return row, &NotDisputable{Reason: "the Pix settled more than 80 days ago, at " + pix.FormatTime(row.PaidAt)}
	}
	return row, nil
}
