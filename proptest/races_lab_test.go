package proptest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// several is a stock whose one store has several connections, so that commands
// race in the database, as they do between processes.
type several struct {
	t    *testing.T
	last *shared
}

func (s *several) open(_ subject, _ receiver.Rules, now func() time.Time, _ func(*receiver.ChangeSet)) (kept, error) {
	url := pgtest.Database(s.t, "receiver", postgres.Migrate)
	ctx := context.WithoutCancel(s.t.Context())
	pg, err := postgres.Open(ctx, postgres.Config{URL: url, Rules: ourRules(), Now: now})
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(pg.Close)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { conn.Close(ctx) })
	s.last = &shared{Store: pg, t: s.t, conn: conn}
	return s.last, nil
}

// shared is that store, and a connection beside it that can hold up the others.
type shared struct {
	*postgres.Store
	t    *testing.T
	conn *pgx.Conn
}

// Dump is every row.
func (s *shared) Dump() receiver.ChangeSet {
	cs, err := s.Store.Dump(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return cs
}

// Transactions are the ledger's, in the order posted.
func (s *shared) Transactions() []receiver.Transaction { return s.Dump().Transactions }

// Balance adds up an account's entries.
func (s *shared) Balance(a receiver.Account) (sum pix.Amount) {
	for _, t := range s.Transactions() {
		for _, e := range t.Entries {
			if e.Account == a {
				sum += e.Cents
			}
		}
	}
	return sum
}

func (s *shared) exec(sql string) {
	s.t.Helper()
	if _, err := s.conn.Exec(s.t.Context(), sql); err != nil {
		s.t.Fatal(err)
	}
}

// barrier holds every transaction that has just written a row of the table for
// which the condition holds, before its commit, until the barrier is lifted.
func (s *shared) barrier(table, event, when string) {
	s.t.Helper()
	s.exec(fmt.Sprintf(`CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
CREATE TRIGGER held AFTER %s ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION held();
SELECT pg_advisory_lock(1)`, event, table, when))
}

// waiting returns when n of the database's sessions wait for a lock.
func (s *shared) waiting(n int) {
	s.t.Helper()
	for got := -1; got != n; {
		const blocked = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
		if err := s.conn.QueryRow(s.t.Context(), blocked).Scan(&got); err != nil {
			s.t.Fatal(err)
		}
	}
}

// lift lets everybody pass, from now on.
func (s *shared) lift() {
	s.t.Helper()
	s.exec(`SELECT pg_advisory_unlock(1)`)
}

// raceLab is a hand on such a store, with one charge of 100.00 that was paid.
type raceLab struct {
	*hand
	db   *shared
	paid pix.Payment
}

func newRaceLab(t *testing.T) *raceLab {
	t.Helper()
	s := &several{t: t}
	h, err := newHand(t, s, nil, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	l := &raceLab{hand: h, db: s.last}
	l.paid = l.pay(t, 1)
	return l
}

// aside runs something at the same time, and gives how it ended.
func aside[T any](fn func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- fn() }()
	return done
}

// told is a callback to one instance about items as they are given.
func (l *raceLab) told(i int, items ...pix.Payment) int {
	return l.callback(context.Background(), i, l.secret, pix.EncodeCallback(items))
}

// worked lets both instances book side by side until nothing is due.
func (l *raceLab) worked(t *testing.T) {
	t.Helper()
	for l.until(receiver.QueueInbox) {
		other := aside(func() error { return l.step(context.Background(), 1, receiver.QueueInbox) })
		if err := l.step(context.Background(), 0, receiver.QueueInbox); err != nil {
			t.Fatal(err)
		}
		if err := <-other; err != nil {
			t.Fatal(err)
		}
	}
}

// agrees wants one credit of each Pix, refunds as the PSP made them, and nothing
// that a day's end would still find.
func (l *raceLab) agrees(t *testing.T) {
	t.Helper()
	if err := l.settle(); err != nil {
		t.Fatal(err)
	}
	b := readBooks(l.store)
	if wrong := b.complaint(l.store); wrong != "" {
		t.Fatal(wrong)
	}
	net := map[pix.EndToEndID]pix.Amount{}
	for _, line := range l.psp.Statement(time.Time{}, l.now) {
		net[line.EndToEndID] += pix.Amount(line.Signed())
	}
	for id, cents := range net {
		if b.credits[id] != 1 || b.net[id] != cents {
			t.Errorf("Pix %s: %d credits, net %d cents; the statement has %d", id, b.credits[id], b.net[id], cents)
		}
	}
	for _, c := range l.db.Dump().Cases {
		t.Errorf("a case is open: %+v", *c.After)
	}
}
