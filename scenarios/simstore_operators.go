package scenarios

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

func (s *simStore) ListOutbox(ctx context.Context, q receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	return lease(s, "ListOutbox", func(o receiver.OutboxEvent) string { return s.id(string(o.EndToEndID)) },
		func() ([]receiver.OutboxEvent, error) { return s.inner.ListOutbox(ctx, q) })
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
