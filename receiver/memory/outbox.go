package memory

import (
	"cmp"
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// LeaseOutbox takes an endpoint's events, of each payment the next that may go,
// in the order (due, id).
func (s *Store) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	tx, err := s.begin(ctx, "LeaseOutbox")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	endpoint := cmp.Or(in.Endpoint, receiver.DefaultEndpoint)
	taken := s.outbox.queueOf(endpoint).take(in.Limit, func(o *receiver.OutboxEvent) bool { return !o.DueAt.After(in.Now) })
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

// ListOutbox lists outbox events by id.
func (s *Store) ListOutbox(ctx context.Context, q receiver.OutboxQuery) ([]receiver.OutboxEvent, error) {
	tx, err := s.begin(ctx, "ListOutbox")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	var out []receiver.OutboxEvent
	for id := max(q.AfterID, 0) + 1; id < s.outbox.nextID() && (q.Limit <= 0 || len(out) < q.Limit); id++ {
		o := s.outbox.byID(id)
		if (q.ID == 0 || o.ID == q.ID) && (q.Endpoint == "" || o.Endpoint == q.Endpoint) && (!q.Dead || o.Dead && !o.Skipped) {
			out = append(out, *o)
		}
	}
	return out, nil
}

// ReplayOutbox gives dead letters their tries again. What took effect is
// recorded.
func (s *Store) ReplayOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideOutbox(ctx, "ReplayOutbox", receiver.ActionReplay, in, func(o *receiver.OutboxEvent, d receiver.Decision) bool {
		return o.Replay(d.Now)
	})
}

// SkipOutbox lets go what waits behind dead letters. What took effect is
// recorded.
func (s *Store) SkipOutbox(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return s.decideOutbox(ctx, "SkipOutbox", receiver.ActionSkip, in, func(o *receiver.OutboxEvent, _ receiver.Decision) bool {
		return o.Skip()
	})
}

func (s *Store) decideOutbox(
	ctx context.Context, name, action string, in []receiver.Decision,
	carryOut func(*receiver.OutboxEvent, receiver.Decision) bool,
) ([]bool, error) {
	tx, err := s.begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, d := range in {
		before := s.outbox.byID(d.EventID)
		if before == nil {
			continue
		}
		o := *before
		if !carryOut(&o, d) {
			continue
		}
		tx.putOutbox(before, &o)
		out[i] = true
		tx.Record(receiver.OperatorRecord{At: d.Now, Operator: d.Operator, Action: action, Subject: o.Subject(), Note: d.Note})
	}
	return out, tx.commit()
}
