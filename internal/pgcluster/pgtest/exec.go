package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// Exec changes rows of a database behind the backs of those who use it: it moves
// them in time, so that nobody has to wait.
func Exec(t testing.TB, url, sql string) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}
