package memory

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
)

// ClaimEvents takes due events in the order (due, id). Raw is shared with the
// store and must not be written.
func (s *Store) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	tx, err := s.begin(ctx, "ClaimEvents")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	taken := s.events.due.take(in.Limit, func(e *receiver.Event) bool { return !e.DueAt.After(in.Now) })
	out := make([]receiver.Event, len(taken))
	for i, before := range taken {
		e := *before
		e.DueAt, e.Holder = in.Now.Add(in.For), in.Holder
		e.Version++
		e.Attempts++
		tx.putEvent(before, &e)
		out[i] = shareEvent(&e)
	}
	return out, tx.commit()
}

// DeferEvents puts events off or aside, where the version is still theirs.
func (s *Store) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	tx, err := s.begin(ctx, "DeferEvents")
	if err != nil {
		return nil, err
	}
	defer tx.end()
	out := make([]bool, len(in))
	for i, d := range in {
		before := s.claimed(d.EventID, d.Version)
		if before == nil {
			continue
		}
		e := *before
		e.Defer(d)
		tx.putEvent(before, &e)
		out[i] = true
	}
	return out, tx.commit()
}

// claimed is the event that whoever holds the version may still work on; nil
// where the lease was lost or the event's work is done.
func (s *Store) claimed(id, version int64) *receiver.Event {
	e := s.events.byID(id)
	if e == nil || e.Version != version || e.State != receiver.EventReceived {
		return nil
	}
	return e
}

// shareEvent is a copy for callers that read: the raw bytes are the row's.
func shareEvent(e *receiver.Event) receiver.Event {
	c := *e
	c.Raw = e.Raw[:len(e.Raw):len(e.Raw)]
	cloneContent(&c)
	return c
}
