package proptest

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// The commands that write.

func (w *watched) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	return told(ctx, w, "CreateCharges", in, w.pg.CreateCharges)
}

func (w *watched) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	return told(ctx, w, "RecordCalls", in, w.pg.RecordCalls)
}

func (w *watched) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	return told(ctx, w, "ReleaseKeys", in, w.pg.ReleaseKeys)
}

func (w *watched) PurgeKeys(ctx context.Context, in receiver.KeyPurge) (int, error) {
	return told(ctx, w, "PurgeKeys", in, w.pg.PurgeKeys)
}

func (w *watched) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	return told(ctx, w, "LeaseCharges", in, w.pg.LeaseCharges)
}

func (w *watched) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return told(ctx, w, "AppendInbox", in, w.pg.AppendInbox)
}

func (w *watched) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	return told(ctx, w, "ClaimEvents", in, w.pg.ClaimEvents)
}

func (w *watched) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	return told(ctx, w, "ApplyEvents", in, w.pg.ApplyEvents)
}

func (w *watched) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	return told(ctx, w, "DeferEvents", in, w.pg.DeferEvents)
}

func (w *watched) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	return told(ctx, w, "ReserveRefunds", in, w.pg.ReserveRefunds)
}

func (w *watched) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	return told(ctx, w, "LeaseRefunds", in, w.pg.LeaseRefunds)
}

func (w *watched) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	return told(ctx, w, "RecordRefunds", in, w.pg.RecordRefunds)
}

func (w *watched) PutMemos(ctx context.Context, in []receiver.Memo) ([]bool, error) {
	return told(ctx, w, "PutMemos", in, w.pg.PutMemos)
}

func (w *watched) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	return told(ctx, w, "LeaseOutbox", in, w.pg.LeaseOutbox)
}

func (w *watched) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	return told(ctx, w, "FinishOutbox", in, w.pg.FinishOutbox)
}

func (w *watched) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	return told(ctx, w, "MatchStatement", in, w.pg.MatchStatement)
}

func (w *watched) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	return told(ctx, w, "RepairEvents", in, w.pg.RepairEvents)
}

func (w *watched) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	return told(ctx, w, "PostAdjustments", in, w.pg.PostAdjustments)
}

func (w *watched) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return told(ctx, w, "RequeueEvents", in, w.pg.RequeueEvents)
}

func (w *watched) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return told(ctx, w, "DropEvents", in, w.pg.DropEvents)
}

func (w *watched) AttachPayments(ctx context.Context, in []receiver.Attachment) ([]receiver.AttachOutcome, error) {
	return told(ctx, w, "AttachPayments", in, w.pg.AttachPayments)
}

func (w *watched) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	return told(ctx, w, "CloseCases", in, w.pg.CloseCases)
}

type dutyAnswer struct {
	duty receiver.Duty
	ok   bool
}

func (w *watched) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	clear(w.due)
	out, err := seen(ctx, in, func(ctx context.Context, in receiver.DutyClaim) (dutyAnswer, error) {
		d, ok, err := w.pg.BeginDuty(ctx, in)
		return dutyAnswer{d, ok}, err
	})
	return out.duty, out.ok, err
}

func (w *watched) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	clear(w.due)
	return seen(ctx, d, func(ctx context.Context, d receiver.Duty) (bool, error) { return w.pg.SaveDuty(ctx, d, done) })
}

// The commands that read.

func (w *watched) FindKeys(ctx context.Context, in []receiver.KeyRef) ([]*receiver.Key, error) {
	return seen(ctx, in, w.pg.FindKeys)
}

func (w *watched) FindCharges(ctx context.Context, in []receiver.ChargeRef) ([]*receiver.Charge, error) {
	return seen(ctx, in, w.pg.FindCharges)
}

func (w *watched) FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*receiver.Payment, error) {
	return seen(ctx, in, w.pg.FindPayments)
}

func (w *watched) FindRefunds(ctx context.Context, in []receiver.RefundRef) ([]*receiver.Refund, error) {
	return seen(ctx, in, w.pg.FindRefunds)
}

func (w *watched) UnseenPayments(ctx context.Context, in receiver.UnseenQuery) ([]receiver.Payment, error) {
	return seen(ctx, in, w.pg.UnseenPayments)
}

func (w *watched) UnseenRefunds(ctx context.Context, in receiver.UnseenRefundQuery) ([]receiver.Refund, error) {
	return seen(ctx, in, w.pg.UnseenRefunds)
}

func (w *watched) ListEvents(ctx context.Context, in receiver.EventQuery) ([]receiver.Event, error) {
	return seen(ctx, in, w.pg.ListEvents)
}

func (w *watched) ListCases(ctx context.Context, in receiver.CaseQuery) ([]receiver.Case, error) {
	return seen(ctx, in, w.pg.ListCases)
}

// NextDue asks once between two writes: the front of a queue is in its rows
// alone, but for a duty that was never begun, which is due whenever it is asked.
func (w *watched) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	if known, ok := w.due[q]; ok {
		return known.at, known.ok, ctx.Err()
	}
	out, err := seen(ctx, q, func(ctx context.Context, q receiver.Queue) (dueAnswer, error) {
		at, ok, err := w.pg.NextDue(ctx, q)
		return dueAnswer{at, ok}, err
	})
	if err == nil && !out.at.Equal(w.now()) {
		w.due[q] = out
	}
	return out.at, out.ok, err
}

// dueAnswer is when a queue has work.
type dueAnswer struct {
	at time.Time
	ok bool
}

func (w *watched) ListOutbox(ctx context.Context, in receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	return seen(ctx, in, w.pg.ListOutbox)
}

func (w *watched) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return told(ctx, w, "ReplayOutbox", in, w.pg.ReplayOutbox)
}

func (w *watched) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return told(ctx, w, "SkipOutbox", in, w.pg.SkipOutbox)
}

func (w *watched) ListRecords(ctx context.Context, in receiver.RecordQuery) ([]receiver.OperatorRecord, error) {
	return seen(ctx, in, w.pg.ListRecords)
}

func (w *watched) ListFindings(ctx context.Context, in receiver.FindingQuery) ([]receiver.Finding, error) {
	return seen(ctx, in, w.pg.ListFindings)
}

func (w *watched) CloseDay(ctx context.Context, in receiver.DayClosing) ([]byte, error) {
	return told(ctx, w, "CloseDay", in, w.pg.CloseDay)
}

func (w *watched) FindReport(ctx context.Context, day string) ([]byte, bool, error) {
	return w.pg.FindReport(context.WithoutCancel(ctx), day)
}

func (w *watched) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	return told(ctx, w, "RequestWindow", in, w.pg.RequestWindow)
}

func (w *watched) ListWindows(ctx context.Context, in receiver.WindowQuery) ([]receiver.Window, error) {
	return seen(ctx, in, w.pg.ListWindows)
}

func (w *watched) FinishWindow(ctx context.Context, in receiver.Window) (bool, error) {
	return told(ctx, w, "FinishWindow", in, w.pg.FinishWindow)
}
