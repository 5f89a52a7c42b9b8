package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// booksClock is the test's clock. Its deadlines never come: the PSP answers.
type booksClock struct{ at func() time.Time }

// Now is where the test has put it.
func (c booksClock) Now() time.Time { return c.at() }

// Sleep does not wait.
func (c booksClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// WithTimeout never fires.
func (c booksClock) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// mortal is a store that a process uses until it dies: from then on nothing of
// the process reaches it.
type mortal struct {
	*postgres.Store
	dead atomic.Bool
}

var errDead = errors.New("the process is dead")

func (m *mortal) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	if m.dead.Load() {
		return false, errDead
	}
	return m.Store.SaveDuty(ctx, d, done)
}

func (m *mortal) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	return m.Store.MatchStatement(ctx, in)
}

// reconciliation is the reconciler of one process on the books.
func (b *books) reconciliation(t testing.TB, name, psp string, store receiver.Store, now func() time.Time) receiver.Step {
	t.Helper()
	r, err := receiver.New(receiver.Config{
		Name: name, PixKeys: []pix.PixKey{ourKey}, Open: true, PSPURL: psp, CallbackURL: "http://us.invalid",
		Secrets: []pix.Secret{{ID: "k", Key: []byte("a key of some length")}}, PageSize: 1000,
		HTTP: http.DefaultClient, Clock: booksClock{now}, Jitter: func(string, int) int { return 0 },
		NewID: func(_, _ string, n int) string { return strings.Repeat("x", n) },
	}, store)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Steps(1) {
		if s.Queue() == receiver.DutyReconcile {
			return s
		}
	}
	t.Fatal("no step reconciles")
	return nil
}

// cell is one of the confusion matrix: what was planted, and what was found.
type cell struct{ planted, found string }

// matrix compares what was planted with what was found.
func (b *books) matrix(t testing.TB, s receiver.Store) map[cell]int {
	t.Helper()
	all, err := s.ListFindings(t.Context(), receiver.FindingQuery{To: start().AddDate(1, 0, 0)})
	found := map[receiver.LineRef]receiver.MatchClass{}
	rank := receiver.MatchClasses()
	for _, f := range must(t, all, err) {
		// A line has the first of its classes: what was missing and is booked now may
		// lack a charge as well.
		if first, is := found[f.Line]; !is || slices.Index(rank, f.Class) < slices.Index(rank, first) {
			found[f.Line] = f.Class
		}
	}
	cells := map[cell]int{}
	count := func(what string, ref receiver.LineRef) {
		class := "OK, or in flight"
		if c, is := found[ref]; is {
			class = string(c)
			delete(found, ref)
		}
		cells[cell{what, class}]++
	}
	for n := 1; n <= b.size; n++ {
		p, odd := planted(n)
		what := "nothing"
		if odd && p.kind == pix.KindPixIn {
			what = p.name
		}
		count(what, receiver.LineRef{Kind: pix.KindPixIn, EndToEndID: e2e(n)})
		if odd && p.kind == pix.KindRefundOut {
			count(p.name, receiver.LineRef{Kind: pix.KindRefundOut, EndToEndID: e2e(n), ID: string(bookReturn(n))})
		}
	}
	for ref, class := range found {
		t.Errorf("found %s for a line that there is not: %v", class, ref)
	}
	return cells
}

// diagonal wants each thing planted to be found as what it is, and nothing else.
func (b *books) diagonal(t testing.TB, cells map[cell]int) string {
	t.Helper()
	want := map[cell]int{}
	odd := 0
	for _, p := range plants() {
		n := 0
		for i := p.of; i <= b.size; i += 1000 {
			n++
		}
		class := string(p.class)
		if class == "" {
			class = "OK, or in flight"
		}
		want[cell{p.name, class}] = n
		if p.kind == pix.KindPixIn {
			odd += n
		}
	}
	want[cell{"nothing", "OK, or in flight"}] = b.size - odd
	if !maps.Equal(cells, want) {
		t.Errorf("found %v, want %v", cells, want)
	}
	var text strings.Builder
	for _, c := range slices.SortedFunc(maps.Keys(cells), func(a, b cell) int { return strings.Compare(a.planted+a.found, b.planted+b.found) }) {
		fmt.Fprintf(&text, "%-30s found as %-18s %8d\n", c.planted, c.found, cells[c])
	}
	return text.String()
}

// agree wants the ledger to have what the statement has, less what is in flight,
// and says how many transactions it has.
func (b *books) agree(t testing.TB) (transactions int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var ledger, want int64
	for n := 1; n <= b.size; n++ {
		if p, odd := planted(n); odd && p.name == "credit in flight" {
			continue
		}
		for _, l := range bookLines(n) {
			want += l.Signed()
		}
	}
	const ask = `SELECT (SELECT sum(cents) FROM ledger_entry WHERE account = 'psp:pix:liquidar'), (SELECT count(*) FROM ledger_transaction)`
	if err := conn.QueryRow(t.Context(), ask).Scan(&ledger, &transactions); err != nil {
		t.Fatal(err)
	}
	if ledger != want {
		t.Errorf("the ledger stands at %d, the statement at %d", ledger, want)
	}
	return transactions
}

// reconcileBooks reconciles books of that size: a process dies in the middle, another
// goes on, and a second turn finds nothing to do.
//
// timed runs what a benchmark measures.
func reconcileBooks(t testing.TB, url string, size int, timed func(func())) (matrix string, lines int) {
	clock := &clock{}
	clock.set(start().Add(14 * time.Hour))
	store := reopen(t, url, postgres.Config{Rules: rules(), Now: clock.now, StatementTimeout: time.Minute})
	b := &books{size: size, url: url}
	b.fill(t)
	psp := b.serve(t)
	first := &mortal{Store: store}
	for n := 1; n <= size; n++ {
		lines += len(bookLines(n))
	}
	all := int64((lines + 999) / 1000)
	timed(func() {
		dying := b.reconciliation(t, "first", psp, &killed{first, all / 2, b}, clock.now)
		if _, err := dying.RunOnce(t.Context()); !errors.Is(err, errDead) {
			t.Fatalf("the first process: %v", err)
		}
		clock.set(clock.now().Add(time.Hour)) // the duty's hold is over
		if _, err := b.reconciliation(t, "second", psp, store, clock.now).RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if pages := b.pages.Load(); pages > all+2 { // pages that break at a Pix may be one more
		t.Errorf("%d pages were read of %d, one of them twice at most", pages, all)
	}
	matrix = b.diagonal(t, b.matrix(t, store))
	before := b.agree(t)
	clock.set(clock.now().Add(7 * time.Hour))
	if _, err := b.reconciliation(t, "third", psp, store, clock.now).RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := b.agree(t); after != before {
		t.Errorf("the second turn posted %d transactions", after-before)
	}
	return matrix, lines
}

// killed is a store whose process dies once so many pages were handed out, between
// a page's matching and the keeping of its place.
type killed struct {
	*mortal
	after int64
	b     *books
}

func (k *killed) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	out, err := k.mortal.MatchStatement(ctx, in)
	if k.b.pages.Load() >= k.after {
		k.dead.Store(true)
	}
	return out, err
}

func TestReconciliationFindsEveryClassAndNothingElse(t *testing.T) {
	t.Parallel()
	matrix, _ := reconcileBooks(t, pgtest.Database(t, "receiver", postgres.Migrate), 5_000, func(f func()) { f() })
	t.Log("\n" + matrix)
}

// A million lines, on a server that writes to disk before it answers and has half a
// gigabyte to keep tables in. PIXLAB_BOOKS says how many.
func BenchmarkReconciliation(b *testing.B) {
	size := 1_000_000
	if text := os.Getenv("PIXLAB_BOOKS"); text != "" {
		if _, err := fmt.Sscan(text, &size); err != nil {
			b.Fatalf("PIXLAB_BOOKS=%q: want a whole number", text)
		}
	}
	debug.SetGCPercent(400) // as pixlab receiver has it
	c := pgtest.Start(b, pgcluster.Options{Settings: map[string]string{"shared_buffers": "512MB", "max_wal_size": "4GB"}})
	for b.Loop() {
		b.StopTimer()
		ctx := context.WithoutCancel(b.Context())
		name := fmt.Sprintf("books%d", b.N)
		must(b, true, c.CreateDatabase(ctx, name))
		must(b, true, postgres.Migrate(ctx, c.SocketURL(name)))
		matrix, lines := reconcileBooks(b, c.SocketURL(name), size, func(f func()) { b.StartTimer(); f(); b.StopTimer() })
		b.Log("\n" + matrix)
		b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		b.ReportMetric(float64(peakMemory(b))/(1<<20), "MiB-peak")
		b.ReportMetric(0, "ns/op")
		b.StartTimer()
	}
}

// peakMemory is the most that this process has had in memory, in bytes: the
// receiver, and the PSP that makes the statement.
func peakMemory(b *testing.B) int64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Logf("peak memory: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
