package memory

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// LeaseOutbox takes, of each payment, the next event that may go, in the order
// (due, id).
func (s *Store) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	tx, err := s.begin(ctx, "LeaseOutbox")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	taken := s.outbox.due.take(in.Limit, func(o *receiver.OutboxEvent) bool { return !o.DueAt.After(in.Now) })
	out := make([]receiver.OutboxEvent, len(taken))
	for i, before := range taken {
		o := *before
		o.DueAt = in.Now.Add(in.For)
		o.Version++
		o.Attempts++
		out[i] = o
		tx.putOutbox(before, &o)
	}
	return out, tx.commit()
}

// FinishOutbox stores what became of sends. What is out or dead changes no
// more; telling the same of it again is true.
func (s *Store) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	tx, err := s.begin(ctx, "FinishOutbox")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, r := range in {
		before := s.outbox.byID(r.ID)
		if before == nil {
			continue
		}
		var after receiver.OutboxEvent
		if after, out[i] = before.After(r); after != *before {
			tx.putOutbox(before, &after)
		}
	}
	return out, tx.commit()
}
