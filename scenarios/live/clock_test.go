package live

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// holder has the first instance stand still with what it has claimed, for a
// while that is well within its lease, or die with it.
type holder struct {
	nobody
	mu      sync.Mutex
	deadly  bool // from now on a claim is the first instance's last
	ordered bool
	held    int // events that were held
}

func (o *holder) hello(instance int) Hello {
	h := o.nobody.hello(instance)
	h.Commands = []string{chaos.CommandClaimEvents}
	return h
}

func (o *holder) order(q Question) Order {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case q.Instance != 1:
	case o.deadly && !o.ordered:
		o.ordered = true
		return Order{Kill: true}
	case !o.deadly:
		o.held += len(q.IDs)
		return Order{PauseMS: 500}
	}
	return Order{}
}

// restartAfter keeps the dead instance dead for longer than its lease.
func (o *holder) restartAfter(int) (time.Duration, bool) { return 2 * lease, true }

// TestOneClockJudgesLeases runs two receivers, the second with its clock five
// minutes ahead, then five behind: leases go by the database's clock, so that
// nothing which one has claimed is taken by the other, and what a dead one had
// claimed is taken over when its lease ends. The sweeps' watermark stays true.
func TestOneClockJudgesLeases(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"ahead": 5 * time.Minute, "behind": -5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := usual()
			h.workers, h.more = 1, []string{"--tolerance", "15m"}
			o := &holder{nobody: nobody{skew: map[int]time.Duration{2: skew}}}
			l := newLab(t, h, o, false)
			l.deaf, l.skewed = false, true
			l.pay(100, 1)
			l.until("all are credited", func() bool { return len(l.rows().Payments) == 100 })
			for _, e := range l.rows().Events {
				if e.After.Attempts != 1 {
					t.Errorf("event %s was claimed %d times", e.After.Key, e.After.Attempts)
				}
			}
			o.mu.Lock()
			held := o.held
			o.deadly = true
			o.mu.Unlock()
			if held == 0 {
				t.Error("the first receiver claimed nothing")
			}
			l.pay(100, 1)
			l.judged()
			taken := 0
			for _, e := range l.rows().Events {
				if e.After.Attempts == 2 {
					taken++
				}
			}
			if o.mu.Lock(); !o.ordered || taken == 0 {
				t.Errorf("killed with work: %t; %d events were taken over", o.ordered, taken)
			}
			o.mu.Unlock()
			l.watermarkIsTrue()
		})
	}
}

// watermarkIsTrue wants the sweep's watermark near the database's time, not near
// that of the receiver whose clock is wrong.
func (l *lab) watermarkIsTrue() {
	l.t.Helper()
	at := must(query(l.t.Context(), l.house.db, `SELECT watermark FROM duty WHERE name = '`+string(receiver.DutySweep)+`'`,
		func(rows pgx.Rows) (at time.Time, err error) { return at, rows.Scan(&at) }))(l.t)
	now := must(l.house.db.store.Now(l.t.Context()))(l.t)
	if len(at) != 1 || at[0].After(now) || at[0].Before(l.began) {
		l.t.Errorf("the watermark stands at %v, the database at %s, the test began at %s", at, now, l.began)
	}
}

func scanInt(rows pgx.Rows) (n int64, err error) { return n, rows.Scan(&n) }
