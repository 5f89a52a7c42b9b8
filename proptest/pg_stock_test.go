package proptest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/receiver/postgres"
	"github.com/pixlab/pixlab/scenarios"
)

var onPostgres = flag.Bool("pg", false, "keep the properties' receivers on PostgreSQL instead of in memory")

// kept is a store as the properties look at it from outside.
type kept interface {
	receiver.Store
	Balance(a receiver.Account) pix.Amount
	Transactions() []receiver.Transaction
	Dump() receiver.ChangeSet
}

// subject is what of a test, rapid's or testing's, a store hangs on.
type subject interface {
	Cleanup(func())
	Errorf(format string, args ...any)
}

// stock is where a test's stores come from.
type stock interface {
	// open hands out an empty store under rules and on a clock, until the subject
	// ends, and has each of its commits told of.
	open(t subject, rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (kept, error)
}

// ourRules are those of the stores that no world opens: worlds have theirs.
func ourRules() receiver.Rules { return receiver.Rules{Keys: []pix.PixKey{ourKey}} }

// stockOf is memory, or with -pg a PostgreSQL.
func stockOf(t *testing.T) stock {
	t.Helper()
	if *onPostgres {
		return newShelf(t)
	}
	return inMemory{}
}

// stockFor is stockOf, for a broken receiver. Most of them have transactions of
// their own, which are written for the store in memory, and some take rapid long
// to find: with -pg those are left to the run without it.
func stockFor(t *testing.T, receiver string) stock {
	t.Helper()
	soonFound := []string{"signature-not-checked", "callbacks-refused", "timeout-is-failure"}
	if *onPostgres && !slices.Contains(soonFound, receiver) {
		t.Skip("is looked for on the store in memory alone")
	}
	return stockOf(t)
}

// exec runs a transaction of a broken receiver's own.
func exec(ctx context.Context, s kept, command string, fn func(tx *memory.Tx) error) error {
	mem, ok := s.(*memory.Store)
	if !ok {
		return errors.New("a transaction of a receiver's own, on another store than that in memory")
	}
	return mem.Exec(ctx, command, fn)
}

// inMemory makes a store of each.
type inMemory struct{}

func (inMemory) open(_ subject, rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (kept, error) {
	return memory.New(memory.Config{Rules: rules, Now: now, Observe: observe}), nil
}

// shelf keeps databases to be used again: to empty one is faster than to make one.
type shelf struct {
	t    *testing.T
	mu   sync.Mutex
	free []*watched
}

// newShelf makes a first database, so that a test without a PostgreSQL ends here.
func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t}
	s.put(s.make(ourRules()))
	return s
}

func (s *shelf) take(rules receiver.Rules) *watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range slices.Backward(s.free) {
		if reflect.DeepEqual(w.rules, rules) {
			s.free = slices.Delete(s.free, i, i+1)
			return w
		}
	}
	return s.make(rules)
}

func (s *shelf) put(w *watched) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, w)
}

// make makes a database and opens a store on it, whose one connection does one
// command at a time.
func (s *shelf) make(rules receiver.Rules) *watched {
	s.t.Helper()
	url := pgtest.Database(s.t, "receiver", postgres.Migrate)
	ctx := context.WithoutCancel(s.t.Context())
	w := &watched{rules: rules}
	var err error
	w.pg, err = postgres.Open(ctx, postgres.Config{
		URL: url, Rules: rules, MaxConns: 1, Now: func() time.Time { return w.now() },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(w.pg.Close)
	if w.conn, err = pgx.Connect(ctx, url); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { w.conn.Close(ctx) })
	return w
}

func (s *shelf) open(t subject, rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (kept, error) {
	w := s.take(rules)
	if err := w.begin(now, observe); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := w.check(); err != nil {
			t.Errorf("the lab failed: %v", err)
		}
		s.put(w)
	})
	return w, nil
}

// releases stands for a subject where a world opens the store: it ends when the
// world has run.
type releases struct {
	cleanups []func()
	wrong    error
}

func (r *releases) Cleanup(fn func()) { r.cleanups = append(r.cleanups, fn) }

func (r *releases) Errorf(format string, args ...any) {
	r.wrong = errors.Join(r.wrong, fmt.Errorf(format, args...))
}

// release ends it, and says what was wrong.
func (r *releases) release() error {
	for _, fn := range r.cleanups {
		fn()
	}
	return r.wrong
}

// opening is how a world opens its store from a stock.
func (r *releases) opening(s stock) scenarios.OpenStore {
	return func(rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (scenarios.Store, error) {
		return s.open(r, rules, now, observe)
	}
}
