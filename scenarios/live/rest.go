package live

import (
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// rest waits until nothing is due and nothing moves any more; else it says in
// words what is left. Twice each duty has to find nothing, after a stretch in
// which no row moved that is longer than the reconciliation's grace.
func (r *run) rest(ctx context.Context, bound time.Duration) (pending []string, err error) {
	return r.standstill(ctx, bound, r.house.habits.grace+200*time.Millisecond, 2)
}

// standstill waits until nothing is due and no row has moved for a while, and
// then for so many turns of each duty.
func (r *run) standstill(ctx context.Context, bound, while time.Duration, turns int64) (pending []string, err error) {
	until := time.Now().Add(bound)
	still := stillness{while: while, more: turns}
	for {
		busy, err := r.busy(ctx)
		if err != nil && ctx.Err() == nil && time.Now().Before(until) {
			busy = []string{err.Error()} // the database may be coming up
		} else if err != nil {
			return nil, err
		}
		if len(busy) == 0 {
			if busy, err = still.look(ctx, r); err != nil {
				return nil, err
			}
		} else {
			still.since = time.Time{}
		}
		switch {
		case len(busy) == 0:
			return nil, nil
		case time.Now().After(until):
			return busy, nil
		case !sleep(ctx, 50*time.Millisecond):
			return nil, ctx.Err()
		}
	}
}

// busy says in words what is left to do.
func (r *run) busy(ctx context.Context) ([]string, error) {
	var out []string
	say := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	open := r.merchant.open.Load()
	say(open > 0, "%d requests of the merchant without an answer that settles them", open)
	for _, m := range r.house.receiver {
		say(m.running() == nil, "receiver %d that is not up", m.number)
	}
	state, err := r.psp.Plan(ctx)
	if err != nil {
		return nil, err
	}
	say(state.Pending > 0, "%d actions of payers and the bank", state.Pending)
	sent, err := r.psp.Deliveries(ctx)
	if err != nil {
		return nil, err
	}
	say(!sent.Quiet && !r.deaf, "callbacks that the PSP still owes")
	for _, work := range []struct {
		queue receiver.Queue
		what  string
	}{
		{receiver.QueueInbox, "events in the inbox"}, {receiver.QueueCharges, "charges whose call has no known outcome"},
		{receiver.QueueRefunds, "refunds whose end is not known"}, {receiver.QueuePayouts, "payouts whose end is not known"},
		{receiver.QueueOutbox, "outbox events that were not sent"},
	} {
		_, due, err := r.house.db.store.NextDue(ctx, work.queue)
		if err != nil {
			return nil, err
		}
		say(due, "%s", work.what)
	}
	return out, nil
}

// stillness is how long no row has moved, and for how long none may.
type stillness struct {
	while time.Duration
	more  int64 // turns of each duty after that
	since time.Time
	rows  [sha256.Size]byte
	turns map[receiver.Queue]int64 // ended when the stretch was long enough
}

// look says what is missing to rest, nothing if it has come.
func (s *stillness) look(ctx context.Context, r *run) ([]string, error) {
	dump, err := r.house.db.dump(ctx)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	if err := gob.NewEncoder(digest).Encode(dump); err != nil {
		return nil, fmt.Errorf("compare the database's rows: %w", err)
	}
	if now := [sha256.Size]byte(digest.Sum(nil)); s.since.IsZero() || now != s.rows {
		s.since, s.rows, s.turns = time.Now(), now, nil
		return []string{"rows that move"}, nil
	}
	if time.Since(s.since) < s.while {
		return []string{"rows that have moved"}, nil
	}
	turns, err := r.house.db.turns(ctx)
	if err != nil {
		return nil, err
	}
	if s.turns == nil {
		s.turns = turns
	}
	var out []string
	for _, q := range []receiver.Queue{receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.DutyReconcile} {
		if turns[q] < s.turns[q]+s.more {
			out = append(out, fmt.Sprintf("the %s that has not found nothing twice", q))
		}
	}
	return out, nil
}
