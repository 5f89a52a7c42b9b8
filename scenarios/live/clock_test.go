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
	held    map[string]time.Time // until when the first surely holds what it claimed
	stolen  []string             // what the second claimed meanwhile
	lost    map[string]bool      // what the first had claimed when it died
	taken   int                  // of those, claimed again
}

func (o *holder) hello(instance int) Hello {
	h := o.nobody.hello(instance)
	h.Commands = []string{chaos.CommandClaimEvents}
	return h
}

func (o *holder) order(q Question) Order {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range q.IDs {
		if time.Now().Before(o.held[id]) {
			o.stolen = append(o.stolen, id)
		}
		if o.lost[id] {
			o.taken++
			delete(o.lost, id)
		}
	}
	if q.Instance != 1 || o.ordered {
		return Order{}
	}
	if o.ordered = o.deadly; o.deadly {
		for _, id := range q.IDs {
			o.lost[id] = true
		}
		return Order{Kill: true}
	}
	for _, id := range q.IDs { // the pause begins when this is answered
		o.held[id] = time.Now().Add(500 * time.Millisecond)
	}
	return Order{PauseMS: 500}
}

// restartAfter keeps the dead instance dead for longer than the lease.
func (o *holder) restartAfter(int) (time.Duration, bool) { return 25 * time.Second, true }

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
			h.workers, h.more = 1, []string{"--tolerance", "15m", "--lease", "20s"} // far longer than a claim is held
			o := &holder{nobody: nobody{skew: map[int]time.Duration{2: skew}}, held: map[string]time.Time{}, lost: map[string]bool{}}
			l := newLab(t, h, o, false)
			l.deaf, l.skewed = false, true
			l.pay(100, 1)
			l.until("all are credited", func() bool { return len(l.rows().Payments) == 100 })
			o.mu.Lock()
			o.deadly = true
			if len(o.held) == 0 || len(o.stolen) > 0 {
				t.Errorf("the first receiver claimed %d events, of which the second claimed %v meanwhile", len(o.held), o.stolen)
			}
			o.mu.Unlock()
			l.pay(100, 1)
			l.judged()
			o.mu.Lock()
			if !o.ordered || o.taken == 0 || len(o.lost) > 0 {
				t.Errorf("killed with work: %t; %d events were taken over, not %v", o.ordered, o.taken, o.lost)
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
