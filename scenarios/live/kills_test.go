package live

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/scenarios"
)

// instants are where a receiver is killed: by its own hand at one edge of a
// command, or from outside whenever it is.
type instant struct {
	name  string
	edges [][2]string // command and edge
}

func instants() []instant {
	return []instant{
		{"between claim and commit", [][2]string{{chaos.CommandClaimEvents, chaos.EdgeAfter}, {chaos.CommandApplyEvents, chaos.EdgeBefore}}},
		{"between commit and mark", [][2]string{{chaos.CommandApplyEvents, chaos.EdgeAfter}}},
		{"between batch insert and answer", [][2]string{{chaos.CommandAppendInbox, chaos.EdgeAfter}}},
		{"at any instant, from outside", nil},
	}
}

// sniper orders whoever comes to an edge next to kill itself.
type sniper struct {
	commands []string // that it is asked about

	mu      sync.Mutex
	armed   [2]string
	ordered map[int]bool
	dead    chan int // an instance that was ordered to die

	shots map[string]int // at each instant
}

func (s *sniper) hello(int) Hello { return Hello{Seed: "1", Commands: s.commands} }

// newSniper is asked about the commands that the instants name.
func newSniper(all []instant) *sniper {
	s := &sniper{ordered: map[int]bool{}, dead: make(chan int, 1), shots: map[string]int{}}
	for _, at := range all {
		for _, e := range at.edges {
			s.commands = append(s.commands, e[0])
		}
	}
	return s
}

func (s *sniper) order(q Question) Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed != [2]string{q.Command, q.Edge} {
		return Order{}
	}
	s.armed, s.ordered[q.Instance] = [2]string{}, true
	s.dead <- q.Instance
	return Order{Kill: true}
}

// restartAfter tells an ordered death from one of the receiver's own.
func (s *sniper) restartAfter(instance int) (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ordered := s.ordered[instance]
	delete(s.ordered, instance)
	return 20 * time.Millisecond, ordered
}

func (s *sniper) arm(at [2]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = at
}

// TestKillsLoseNothing kills receivers under load, by turns at each of the
// instants, and the database now and then. What was acknowledged is durable,
// nothing is credited twice, everything is in the end. PIXLAB_KILLS and
// PIXLAB_DATABASE_KILLS say how often.
func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	kills, ofDatabase := count(t, "PIXLAB_KILLS", 4), count(t, "PIXLAB_DATABASE_KILLS", 1)
	s := newSniper(instants())
	l := newLab(t, usual(), s, true)
	l.deaf = false
	stop := l.load()
	done := map[string]int{}
	for k := range kills {
		at := instants()[k%len(instants())]
		l.shoot(s, at, k)
		done[at.name]++
		if (k+1)*ofDatabase/kills > k*ofDatabase/kills {
			done["database, -m immediate"]++
			l.fell()
		}
	}
	paid := stop()
	report := l.judged()
	if report.Settled != paid || report.Credits != paid || report.Quarantined != 0 {
		t.Errorf("%d paid, %d settled, %d credited, %d quarantined", paid, report.Settled, report.Credits, report.Quarantined)
	}
	for _, at := range instants() {
		t.Logf("%d kills %s", done[at.name], at.name)
	}
	t.Logf("%d kills of the database; %d Pix; callbacks: %+v", done["database, -m immediate"], paid, must(l.psp.Deliveries(t.Context()))(t))
}

// load has Pix paid as long as it goes on; the end says how many there were.
func (l *lab) load() (stop func() int) {
	l.static()
	ctx, cancel := context.WithCancel(l.t.Context())
	paid, ended := 0, make(chan struct{})
	go func() {
		defer close(ended)
		for sleep(ctx, 10*time.Millisecond) {
			orders := make([]psp.PayOrder, 3)
			for i := range orders {
				orders[i] = psp.PayOrder{EndToEndID: l.newID(), TxID: l.code, Static: true, AmountCents: 100, NotifyAfterMS: int64(1 + i)}
			}
			if _, err := l.psp.Pay(l.t.Context(), orders...); err != nil {
				l.t.Error(err)
				return
			}
			paid += len(orders)
		}
	}()
	return func() int {
		cancel()
		<-ended
		return paid
	}
}

// shoot has one receiver die at the instant, and waits until it lives again.
func (l *lab) shoot(s *sniper, at instant, k int) {
	l.t.Helper()
	victim := l.house.receiver[k/2%len(l.house.receiver)]
	lives := l.lives()
	if at.edges == nil {
		time.Sleep(time.Duration(k*37%90) * time.Millisecond)
		victim.kill()
	} else {
		s.arm(at.edges[s.shots[at.name]%len(at.edges)])
		s.shots[at.name]++
		select {
		case <-s.dead:
		case <-time.After(patience):
			l.t.Fatalf("nobody came by %s", at.name)
		}
	}
	l.until(fmt.Sprintf("the receiver killed %s lives again", at.name), func() bool { return l.lives() > lives })
}

func (l *lab) lives() int {
	n := 0
	for _, m := range l.house.receiver {
		m.mu.Lock()
		n += m.lives
		m.mu.Unlock()
	}
	return n
}

// fell kills the database and has it recover.
func (l *lab) fell() {
	l.t.Helper()
	if err := l.house.db.kill(); err != nil {
		l.t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if err := l.house.db.restart(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// TestLivePlansHold runs seeds' plans with the program itself. PIXLAB_LIVE_SEEDS
// says how many.
func TestLivePlansHold(t *testing.T) {
	t.Parallel()
	for seed := range count(t, "PIXLAB_LIVE_SEEDS", 1) {
		t.Run(fmt.Sprint("seed ", seed+1), func(t *testing.T) {
			t.Parallel()
			got := runProgram(t, nil, "run", "--mode", "live", "--seed", fmt.Sprint(seed+1), "--json")
			if got.code != 0 {
				t.Errorf("exit code %d: %s%s", got.code, got.out, got.err)
			}
			told := reportOf(t, got.out)
			if told.Verdict != scenarios.Held || told.Mode != "live" || told.Hash != nil || told.Fired() == 0 {
				t.Errorf("verdict %s, mode %s, hash %v, %d faults fired", told.Verdict, told.Mode, told.Hash, told.Fired())
			}
		})
	}
}
