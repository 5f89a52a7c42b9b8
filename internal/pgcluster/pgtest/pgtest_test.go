package pgtest_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// migrate makes a template, one connection's work.
func migrate(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE account (name text PRIMARY KEY)")
	return err
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	build := func(ctx context.Context, url string) error {
		built.Add(1)
		return migrate(ctx, url)
	}
	// Each test writes the same key, so they must not share a database.
	t.Run("group", func(t *testing.T) {
		for range 8 {
			t.Run("has a copy of its own", func(t *testing.T) {
				t.Parallel()
				conn, err := pgx.Connect(t.Context(), pgtest.Database(t, "counted", build))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(t.Context())
				if _, err := conn.Exec(t.Context(), "INSERT INTO account VALUES ('receita')"); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if got := built.Load(); got != 1 && !t.Skipped() {
		t.Errorf("the template was built %d times, want once", got)
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("while in use", func(t *testing.T) {
		url = pgtest.Database(t, "account", migrate)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
	})
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		conn.Close(t.Context())
		t.Error("the database outlives its test")
	}
}

func TestStartIsTheTestsOwn(t *testing.T) {
	t.Parallel()
	shared := pgtest.Shared(t)
	c := pgtest.Start(t, pgcluster.Options{Fast: true})
	if c == shared || c.Dir() == shared.Dir() {
		t.Fatal("Start gives the shared server")
	}
	if err := c.Kill(pgcluster.ModeImmediate); err != nil {
		t.Fatal(err)
	}
	if err := shared.CreateDatabase(t.Context(), "still_there"); err != nil {
		t.Errorf("the shared server fell with the test's own: %v", err)
	}
	if err := shared.DropDatabase(t.Context(), "still_there"); err != nil {
		t.Error(err)
	}
}

func BenchmarkDatabase(b *testing.B) {
	for b.Loop() {
		pgtest.Database(b, "account", migrate)
	}
}
