package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/docker"
)

// EnvRequire is the environment variable that makes a missing PostgreSQL a
// failure.
const EnvRequire = "PIXLAB_REQUIRE_POSTGRES"

// binary is the one suite of this test binary.
var binary = sync.OnceValue(newSuite)

// Main runs a package's tests and then stops the shared server, if one was
// started. It gives the code to exit with.
func Main(m *testing.M) int {
	s := binary()
	s.enter()
	code := m.Run()
	if err := s.close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// Shared gives the server that all tests of the binary share. They must not
// stop it. It is fast, not durable.
func Shared(t testing.TB) *pgcluster.Cluster {
	t.Helper()
	c, err := binary().shared()
	if err != nil {
		without(t, err)
	}
	return c
}

// Database gives the test a database of its own on the shared server, dropped
// at its end, and returns its URL. It is a copy of the template of that name,
// which the first call makes: an empty database, filled by build. Build must
// leave no connection open.
func Database(t testing.TB, template string, build func(ctx context.Context, url string) error) string {
	t.Helper()
	c := Shared(t)
	ctx := context.WithoutCancel(t.Context()) // cleanup comes after its end
	name, err := binary().copyOf(ctx, template, build)
	if err != nil {
		t.Fatalf("make database: %v", err)
	}
	t.Cleanup(func() {
		if err := c.DropDatabase(ctx, name); err != nil {
			t.Error(err)
		}
	})
	return c.SocketURL(name)
}

// Start gives the test a server of its own, closed at its end, also if it
// panics. It is never a given one: where PIXLAB_DATABASE_URL is set the test is
// skipped, since whoever asks for a server of its own wants to stop it.
func Start(t testing.TB, o pgcluster.Options) *pgcluster.Cluster {
	t.Helper()
	if os.Getenv(pgcluster.EnvURL) != "" {
		t.Skipf("needs a server of its own, and %s gives one that is not to be stopped", pgcluster.EnvURL)
	}
	c, err := pgcluster.Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		without(t, err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// without ends a test that has no server: it is skipped if there is none on
// this machine, and fails if that is not allowed, or for any other reason.
func without(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, pgcluster.ErrNotFound) && os.Getenv(EnvRequire) == "" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// start starts the shared server, in a container if there is no other way.
func start(ctx context.Context) (*pgcluster.Cluster, func() error, error) {
	c, err := pgcluster.Start(ctx, pgcluster.Options{Fast: true, StopOnSignal: true})
	if err == nil {
		return c, c.Close, nil
	}
	if !errors.Is(err, pgcluster.ErrNotFound) {
		return nil, nil, err
	}
	s, dockerErr := docker.Start(ctx)
	if errors.Is(dockerErr, docker.ErrNoEngine) {
		return nil, nil, fmt.Errorf("%w (%w)", err, dockerErr)
	}
	if dockerErr != nil {
		return nil, nil, dockerErr
	}
	c, err = pgcluster.Start(ctx, pgcluster.Options{URL: s.URL})
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return c, s.Close, nil
}
