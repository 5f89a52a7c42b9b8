package live

import (
	"context"
	"slices"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// lookTimeout bounds one look at all queues.
const lookTimeout = 5 * time.Second

// dutyRounds is how many looks a duty is spared while its time is known and has
// not come: only another process that changes it can make it due before.
const dutyRounds = 10

// watched is a queue and what is known of it.
type watched struct {
	name receiver.Queue
	duty bool
	due  time.Time
	some bool // something will be due
}

// queuesOf are the steps' queues, each once.
func queuesOf(steps []receiver.Step) []*watched {
	work := []receiver.Queue{receiver.QueueInbox, receiver.QueueCharges, receiver.QueueRefunds}
	var out []*watched
	for _, s := range steps {
		q := s.Queue()
		if !slices.ContainsFunc(out, func(w *watched) bool { return w.name == q }) {
			_, endpoint := q.Endpoint()
			out = append(out, &watched{name: q, duty: !endpoint && !slices.Contains(work, q)})
		}
	}
	return out
}

// watch looks at the queues and rings for those that are due. While the store
// is not to be had it looks less and less often, and no step is woken.
func (l *loops) watch(ctx context.Context, queues []*watched) {
	fails := 0
	for round := 0; ; round++ {
		pause := l.o.Poll
		err := l.look(ctx, queues, round)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fails++
			pause = max(pause, min(l.r.ErrorPause("watch", fails), l.o.MaxPause))
			l.o.Log.Warn("the store does not answer", "error", err.Error(), "in_a_row", fails)
		case fails > 0:
			l.o.Log.Info("the store answers again", "after", fails)
			fails = 0
		}
		if l.o.Clock.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// look asks when each queue is due. The store's clock, by which it answers, is
// asked last, so that what is due at once is due by then.
func (l *loops) look(ctx context.Context, queues []*watched, round int) error {
	ctx, cancel := l.o.Clock.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for _, q := range queues {
		if q.duty && q.some && round%dutyRounds != 0 {
			continue
		}
		due, some, err := l.store.NextDue(ctx, q.name)
		if err != nil {
			return err
		}
		q.due, q.some = due, some
	}
	now, err := l.store.Now(ctx)
	if err != nil {
		return err
	}
	for _, q := range queues {
		if q.some && !q.due.After(now) {
			l.o.Bell.ring(q.name)
			q.some = false
		}
	}
	return nil
}
