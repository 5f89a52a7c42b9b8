package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/memory"
)

// paper stands for a database: it writes down what is done with it.
type paper struct {
	receiver.Store
	did     []string
	failing string
}

func (p *paper) do(what string) error {
	p.did = append(p.did, what)
	if what == p.failing {
		return errors.New("torn")
	}
	return nil
}

func (p *paper) Now(context.Context) (time.Time, error) { return time.Now(), p.do("now") }
func (p *paper) Current(context.Context) error          { return p.do("current") }
func (p *paper) Pool() live.PoolStats                   { return live.PoolStats{Max: 7} }
func (p *paper) Close()                                 { _ = p.do("close") }

func TestOpenPostgres(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		migrate bool
		failing string
		did     []string
	}{
		"migrates first":                   {true, "", []string{"migrate", "open", "now", "current"}},
		"does not migrate unless told":     {false, "", []string{"open", "now", "current"}},
		"stops at a migration that fails":  {true, "migrate", []string{"migrate"}},
		"stops at a database that is away": {false, "open", []string{"open"}},
		"closes what does not answer":      {false, "now", []string{"open", "now", "close"}},
		"closes what has another schema":   {false, "current", []string{"open", "now", "current", "close"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &paper{Store: memory.New(memory.Config{Now: time.Now}), failing: c.failing}
			driver := postgresDriver{
				migrate: func(context.Context, string) error { return p.do("migrate") },
				open:    func(context.Context, postgresSettings) (postgresStore, error) { return p, p.do("open") },
			}
			store, err := driver.opened(t.Context(), postgresSettings{migrate: c.migrate})
			if (err != nil) != (c.failing != "") || !slices.Equal(p.did, c.did) {
				t.Fatalf("%v: %v", p.did, err)
			}
			if err != nil {
				if code, _ := exitCode(err); code != exitEnvironment {
					t.Errorf("exit code %d for %v", code, err)
				}
				return
			}
			if len(store.checks) != 2 || store.pool().Max != 7 {
				t.Errorf("%d checks, %+v", len(store.checks), store.pool())
			}
		})
	}
}

func TestPostgresOutOfReachIsOneLine(t *testing.T) {
	receiverEnvironment(t)
	t.Setenv("PIXLAB_DATABASE_URL", "postgres://me:hidden@127.0.0.1:1/pix")
	got := pixlab("", "receiver", "--store", "postgres").want(t, exitEnvironment)
	contains(t, lastLine(got.err), "migrate the database")
	if strings.Contains(got.err, "hidden") {
		t.Errorf("the password is shown: %s", got.err)
	}
}

// TestPostgresOpensForSeveralProcesses migrates a database of our own once and
// opens it twice, as two processes do.
func TestPostgresOpensForSeveralProcesses(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, pgcluster.Options{Fast: true})
	ctx := t.Context()
	if err := cluster.CreateDatabase(ctx, "pix"); err != nil {
		t.Fatal(err)
	}
	s := postgresSettings{url: cluster.SocketURL("pix"), rules: receiver.Rules{Keys: []pix.PixKey{"a@b.example"}}, maxConns: 3, migrate: true}
	for range 2 {
		store, err := openPostgres(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		defer store.close()
		for _, c := range store.checks {
			if err := c.Run(ctx); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		if got := store.pool().Max; got != 3 {
			t.Errorf("%d connections at most, want 3", got)
		}
	}
}
