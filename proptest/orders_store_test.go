package proptest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// A move is where something can come between: a command before it begins, a
// commit before anybody hears of it, a call before it leaves, an answer before
// it is read.
type move int

const (
	beforeCommand move = iota
	afterCommand
	beforeCall
	afterCall
)

var (
	errDied = errors.New("the process is dead")
	errLine = errors.New("the line is cut")
)

// death unwinds a process that dies where it stands.
type death struct{}

// life is one life of an instance. Its fate, if it has one, meets it once,
// after a number of moves.
type life struct {
	dead  bool
	moves int
	fate  func(move) error
}

func (l *life) move(at move) error {
	switch {
	case l.dead:
		return errDied
	case l.fate == nil:
		return nil
	case l.moves > 0:
		l.moves--
		return nil
	}
	fate := l.fate
	l.fate = nil
	return fate(at)
}

// trouble is what a move meets that fails and kills nobody.
func trouble(at move) error {
	switch at {
	case beforeCommand:
		return receiver.ErrUnavailable
	case afterCommand:
		return receiver.ErrCommitUnknown
	}
	return errLine
}

// lifeStore is the store as one life of an instance sees it.
type lifeStore struct {
	kept
	*life
}

var _ receiver.Store = lifeStore{}

func met[In, Out any](ctx context.Context, s lifeStore, in In, do func(context.Context, In) (Out, error)) (Out, error) {
	var none Out
	if err := s.move(beforeCommand); err != nil {
		return none, err
	}
	out, err := do(ctx, in)
	if err == nil {
		err = s.move(afterCommand)
	}
	if err != nil {
		return none, err
	}
	return out, nil
}

// Exec runs a transaction of a broken receiver's own.
func (s lifeStore) Exec(ctx context.Context, command string, _ []string, fn func(tx *memory.Tx) error) error {
	_, err := met(ctx, s, command, func(ctx context.Context, command string) (bool, error) {
		return true, exec(ctx, s.kept, command, fn)
	})
	return err
}

func (s lifeStore) Now(ctx context.Context) (time.Time, error) {
	return met(ctx, s, true, func(ctx context.Context, _ bool) (time.Time, error) { return s.kept.Now(ctx) })
}

func (s lifeStore) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	return met(ctx, s, in, s.kept.CreateCharges)
}

func (s lifeStore) FindCharges(ctx context.Context, in []receiver.ChargeRef) ([]*receiver.Charge, error) {
	return met(ctx, s, in, s.kept.FindCharges)
}

func (s lifeStore) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	return met(ctx, s, in, s.kept.RecordCalls)
}

func (s lifeStore) FindKeys(ctx context.Context, in []receiver.KeyRef) ([]*receiver.Key, error) {
	return met(ctx, s, in, s.kept.FindKeys)
}

func (s lifeStore) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	return met(ctx, s, in, s.kept.ReleaseKeys)
}

func (s lifeStore) PurgeKeys(ctx context.Context, in receiver.KeyPurge) (int, error) {
	return met(ctx, s, in, s.kept.PurgeKeys)
}

func (s lifeStore) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	return met(ctx, s, in, s.kept.LeaseCharges)
}

func (s lifeStore) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return met(ctx, s, in, s.kept.AppendInbox)
}

func (s lifeStore) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	return met(ctx, s, in, s.kept.ClaimEvents)
}

func (s lifeStore) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	return met(ctx, s, in, s.kept.ApplyEvents)
}

func (s lifeStore) FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*receiver.Payment, error) {
	return met(ctx, s, in, s.kept.FindPayments)
}

func (s lifeStore) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	return met(ctx, s, in, s.kept.DeferEvents)
}

func (s lifeStore) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	return met(ctx, s, in, s.kept.ReserveRefunds)
}

func (s lifeStore) FindRefunds(ctx context.Context, in []receiver.RefundRef) ([]*receiver.Refund, error) {
	return met(ctx, s, in, s.kept.FindRefunds)
}

func (s lifeStore) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	return met(ctx, s, in, s.kept.LeaseRefunds)
}

func (s lifeStore) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	return met(ctx, s, in, s.kept.RecordRefunds)
}

func (s lifeStore) PutMemos(ctx context.Context, in []receiver.Memo) ([]bool, error) {
	return met(ctx, s, in, s.kept.PutMemos)
}

func (s lifeStore) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	type begun struct {
		duty receiver.Duty
		ok   bool
	}
	out, err := met(ctx, s, in, func(ctx context.Context, in receiver.DutyClaim) (begun, error) {
		d, ok, err := s.kept.BeginDuty(ctx, in)
		return begun{d, ok}, err
	})
	return out.duty, out.ok, err
}

func (s lifeStore) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	return met(ctx, s, d, func(ctx context.Context, d receiver.Duty) (bool, error) { return s.kept.SaveDuty(ctx, d, done) })
}

func (s lifeStore) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	return met(ctx, s, in, s.kept.LeaseOutbox)
}

func (s lifeStore) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	return met(ctx, s, in, s.kept.FinishOutbox)
}

func (s lifeStore) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	return met(ctx, s, in, s.kept.MatchStatement)
}

func (s lifeStore) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	return met(ctx, s, in, s.kept.RepairEvents)
}

func (s lifeStore) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	return met(ctx, s, q, s.kept.UnseenPayments)
}

func (s lifeStore) UnseenRefunds(ctx context.Context, q receiver.UnseenRefundQuery) ([]receiver.Refund, error) {
	return met(ctx, s, q, s.kept.UnseenRefunds)
}

func (s lifeStore) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	return met(ctx, s, in, s.kept.PostAdjustments)
}

func (s lifeStore) ListEvents(ctx context.Context, q receiver.EventQuery) ([]receiver.Event, error) {
	return met(ctx, s, q, s.kept.ListEvents)
}

func (s lifeStore) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return met(ctx, s, in, s.kept.RequeueEvents)
}

func (s lifeStore) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return met(ctx, s, in, s.kept.DropEvents)
}

func (s lifeStore) ListCases(ctx context.Context, q receiver.CaseQuery) ([]receiver.Case, error) {
	return met(ctx, s, q, s.kept.ListCases)
}

func (s lifeStore) AttachPayments(ctx context.Context, in []receiver.Attachment) ([]receiver.AttachOutcome, error) {
	return met(ctx, s, in, s.kept.AttachPayments)
}

func (s lifeStore) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	return met(ctx, s, in, s.kept.CloseCases)
}

func (s lifeStore) ListOutbox(ctx context.Context, q receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	return met(ctx, s, q, s.kept.ListOutbox)
}

func (s lifeStore) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return met(ctx, s, in, s.kept.ReplayOutbox)
}

func (s lifeStore) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return met(ctx, s, in, s.kept.SkipOutbox)
}

func (s lifeStore) ListRecords(ctx context.Context, q receiver.RecordQuery) ([]receiver.OperatorRecord, error) {
	return met(ctx, s, q, s.kept.ListRecords)
}

func (s lifeStore) ListFindings(ctx context.Context, q receiver.FindingQuery) ([]receiver.Finding, error) {
	return met(ctx, s, q, s.kept.ListFindings)
}

func (s lifeStore) CloseDay(ctx context.Context, in receiver.DayClosing) ([]byte, error) {
	return met(ctx, s, in, s.kept.CloseDay)
}

func (s lifeStore) FindReport(ctx context.Context, day string) ([]byte, bool, error) {
	return s.kept.FindReport(ctx, day)
}

func (s lifeStore) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	return met(ctx, s, in, s.kept.RequestWindow)
}

func (s lifeStore) ListWindows(ctx context.Context, q receiver.WindowQuery) ([]receiver.Window, error) {
	return met(ctx, s, q, s.kept.ListWindows)
}

func (s lifeStore) FinishWindow(ctx context.Context, in receiver.Window) (bool, error) {
	return met(ctx, s, in, s.kept.FinishWindow)
}

func (s lifeStore) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	return s.kept.NextDue(ctx, q)
}

// lifeWire is the line as one life of an instance sees it.
type lifeWire struct {
	line func(*http.Request) (*http.Response, error)
	*life
}

// Do sends one request.
func (w lifeWire) Do(req *http.Request) (*http.Response, error) {
	if err := w.move(beforeCall); err != nil {
		return nil, err
	}
	answer, err := w.line(req)
	if err == nil {
		err = w.move(afterCall)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}
