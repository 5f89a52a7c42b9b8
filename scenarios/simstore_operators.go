package scenarios

import (
	"context"
	"strconv"

	"github.com/pixlab/pixlab/receiver"
)

func (s *simStore) ListOutbox(ctx context.Context, q receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	return lease(s, "ListOutbox", s.ofEvent,
		func() ([]receiver.OutboxEvent, error) { return s.inner.ListOutbox(ctx, q) })
}

// ofEvent is the subject of an outbox event: its payment, or its payout.
func (s *simStore) ofEvent(o receiver.OutboxEvent) string {
	if o.PayoutKey != "" {
		return s.id(o.Payout)
	}
	return s.id(string(o.EndToEndID))
}

func (s *simStore) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return batch(s, "ReplayOutbox", in, func(receiver.Decision) string { return "" }, sayBool,
		func() ([]bool, error) { return s.inner.ReplayOutbox(ctx, in) })
}

func (s *simStore) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return batch(s, "SkipOutbox", in, func(receiver.Decision) string { return "" }, sayBool,
		func() ([]bool, error) { return s.inner.SkipOutbox(ctx, in) })
}

func (s *simStore) ListRecords(ctx context.Context, q receiver.RecordQuery) ([]receiver.OperatorRecord, error) {
	return lease(s, "ListRecords", func(receiver.OperatorRecord) string { return "" },
		func() ([]receiver.OperatorRecord, error) { return s.inner.ListRecords(ctx, q) })
}

func (s *simStore) ListFindings(ctx context.Context, q receiver.FindingQuery) ([]receiver.Finding, error) {
	return lease(s, "ListFindings", func(f receiver.Finding) string { return s.id(string(f.Line.EndToEndID)) },
		func() ([]receiver.Finding, error) { return s.inner.ListFindings(ctx, q) })
}

func (s *simStore) CloseDay(ctx context.Context, in receiver.DayClosing) ([]byte, error) {
	return one(s, "CloseDay", in.Day, func() ([]byte, error) { return s.inner.CloseDay(ctx, in) })
}

func (s *simStore) FindReport(ctx context.Context, day string) ([]byte, bool, error) {
	var closed bool
	body, err := one(s, "FindReport", day, func() (body []byte, err error) {
		body, closed, err = s.inner.FindReport(ctx, day)
		return body, err
	})
	return body, closed && err == nil, err
}

func (s *simStore) RequestWindow(ctx context.Context, in receiver.Window) (receiver.Window, error) {
	return one(s, "RequestWindow", in.Subject(), func() (receiver.Window, error) { return s.inner.RequestWindow(ctx, in) })
}

func (s *simStore) ListWindows(ctx context.Context, q receiver.WindowQuery) ([]receiver.Window, error) {
	return lease(s, "ListWindows", func(w receiver.Window) string { return w.Subject() },
		func() ([]receiver.Window, error) { return s.inner.ListWindows(ctx, q) })
}

func (s *simStore) FinishWindow(ctx context.Context, in receiver.Window) (bool, error) {
	return one(s, "FinishWindow", strconv.FormatInt(in.ID, 10), func() (bool, error) { return s.inner.FinishWindow(ctx, in) })
}

// one runs a command about one thing that no fault is addressed to.
func one[O any](s *simStore, command, what string, do func() (O, error)) (O, error) {
	var out O
	err := s.run(command, 0, nil, func() (string, error) {
		var err error
		out, err = do()
		return what, err
	})
	return out, err
}
