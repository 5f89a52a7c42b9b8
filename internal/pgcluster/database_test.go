package pgcluster

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	c := startTest(t, Options{Fast: true, Dir: parent(t)})
	const template, name = "template of mine", `Cópia "1"/?`
	if err := c.CreateDatabase(t.Context(), template); err != nil {
		t.Fatal(err)
	}
	query(t, c.URL(template), "CREATE TABLE copied AS SELECT 7 AS n")
	if err := c.CreateFromTemplate(t.Context(), name, template); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{c.URL(name), c.SocketURL(name)} {
		if got := query(t, url, "SELECT n FROM copied"); got != "7" {
			t.Errorf("the copy holds %q, want 7", got)
		}
	}
	err := c.CreateDatabase(t.Context(), name)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42P04" {
		t.Errorf("create it again: %v, want SQLSTATE 42P04", err)
	}

	conn, err := pgx.Connect(t.Context(), c.SocketURL(name))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for range 2 { // of which the second has nothing to do
		if err := c.DropDatabase(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection outlives its database")
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c, err := Start(b.Context(), Options{Fast: true})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkClose(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		c, err := Start(b.Context(), Options{Fast: true})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCrashAndRestart(b *testing.B) {
	c, err := Start(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for b.Loop() {
		if err := errors.Join(c.Kill(ModeImmediate), c.Restart(b.Context())); err != nil {
			b.Fatal(err)
		}
	}
}
