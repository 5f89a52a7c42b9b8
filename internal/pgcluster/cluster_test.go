package pgcluster

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestStart(t *testing.T) {
	t.Parallel()
	c := startTest(t, Options{Dir: parent(t), Settings: map[string]string{"deadlock_timeout": "1h", "port": "1"}})

	t.Run("it is ours and new enough", func(t *testing.T) {
		if c.Given() {
			t.Error("Given is true of a server that Start started")
		}
		if got := c.Version(); got.Major < oldest {
			t.Errorf("version %v, want %d or newer", got, oldest)
		}
	})
	t.Run("both addresses lead to it", func(t *testing.T) {
		for _, url := range []string{c.URL("postgres"), c.SocketURL("postgres")} {
			if got := query(t, url, "SHOW data_directory"); got != c.Dir() {
				t.Errorf("data directory by %s is %s, want %s", url, got, c.Dir())
			}
		}
	})
	t.Run("settings", func(t *testing.T) {
		want := map[string]string{
			"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "deadlock_timeout": "1h",
			"server_encoding": "UTF8", "lc_collate": "C", "timezone": "UTC", "listen_addresses": "127.0.0.1",
		}
		for name, value := range want {
			got := query(t, c.SocketURL("postgres"), "SELECT coalesce(current_setting('"+name+"', true), (SELECT datcollate FROM pg_database LIMIT 1))")
			if got != value {
				t.Errorf("%s = %s, want %s", name, got, value)
			}
		}
	})
	t.Run("another password is refused", func(t *testing.T) {
		u, err := url.Parse(c.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(superuser, "guess")
		_, err = pgx.Connect(t.Context(), u.String())
		if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "28P01" {
			t.Errorf("connect with a wrong password: %v, want SQLSTATE 28P01", err)
		}
	})
	t.Run("others cannot enter its folder", func(t *testing.T) {
		info, err := os.Stat(filepath.Dir(c.Dir()))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o700 {
			t.Errorf("mode %o, want 700", got)
		}
		if os.Geteuid() == 0 && ours(info) {
			t.Error("the server's folder is root's, want an ordinary user's")
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	dir := parent(t)
	c := startTest(t, Options{Fast: true, Dir: dir})
	conn, err := pgx.Connect(t.Context(), c.SocketURL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantGone(t, c.server.process.cmd.Process.Pid)
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for name, err := range map[string]error{"Kill": c.Kill(ModeFast), "Restart": c.Restart(t.Context())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, err)
		}
	}
}

func TestContextEndCloses(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := parent(t)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := Start(ctx, Options{Fast: true, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-c.server.process.done
	c.mu.Lock() // held until the folder is gone
	defer c.mu.Unlock()
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestContextEndDuringStart(t *testing.T) {
	t.Parallel()
	needServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	log := writerFunc(func(p []byte) { // initdb's first words
		cancel()
	})
	_, err := Start(ctx, Options{Fast: true, Dir: parent(t), Log: log})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// writerFunc is a log that calls a function.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestTwoSideBySide(t *testing.T) {
	t.Parallel()
	dir := parent(t)
	a := startTest(t, Options{Fast: true, Dir: dir})
	b := startTest(t, Options{Fast: true, Dir: dir}) // and its sweep leaves a alone
	query(t, a.SocketURL("postgres"), "CREATE TABLE only_in_a ()")
	if got := query(t, b.URL("postgres"), "SELECT to_regclass('only_in_a') IS NULL"); got != "t" {
		t.Error("the second server has the first one's table")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, b.URL("postgres"), "SELECT 1"); got != "1" {
		t.Errorf("after the first server's Close the second says %q", got)
	}
}

func TestRestartKeepsCommitted(t *testing.T) {
	for name, mode := range map[string]Mode{"after an immediate stop": ModeImmediate, "after a fast stop": ModeFast} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startTest(t, Options{Dir: parent(t)})
			url := c.URL("postgres")
			query(t, url, "CREATE TABLE kept (n int)")
			query(t, url, "INSERT INTO kept SELECT generate_series(1, 1000)")
			for range 2 { // of which the second has nothing to do
				if err := c.Kill(mode); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := pgx.Connect(t.Context(), url); err == nil {
				t.Error("a stopped server answers")
			}
			for range 2 { // stopped, and running
				if err := c.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := query(t, url, "SELECT count(*) FROM kept"); got != "1000" {
					t.Errorf("%s rows after the restart, want 1000", got)
				}
			}
		})
	}
}

func TestStartTakesAnotherPort(t *testing.T) {
	t.Parallel()
	needServer(t)
	taken, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	asked := 0
	ports := func() (int, error) {
		asked++
		if asked == 1 {
			return taken.Addr().(*net.TCPAddr).Port, nil
		}
		return freePort()
	}
	c, err := startOwn(t.Context(), Options{Fast: true, Dir: parent(t)}.withDefaults(), systemPlaces(), ports)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if asked != 2 {
		t.Errorf("asked for %d ports, want 2", asked)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	needServer(t)
	tests := map[string]struct {
		options Options
		want    string
	}{
		"a setting that does not exist": {Options{Settings: map[string]string{"no_such_setting": "1"}}, `"no_such_setting"`},
		"a value out of range":          {Options{Settings: map[string]string{"shared_buffers": "lots"}}, `"shared_buffers"`},
		"a version that is not there":   {Options{MinVersion: 99}, "99 or newer is needed"},
		"a folder that is not there":    {Options{Dir: "/nowhere"}, "make server's folder"},
		"a path too long for a socket":  {Options{Dir: "/tmp/" + strings.Repeat("x", 90)}, "too long for a socket"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.options.Dir == "" {
				tt.options.Dir = parent(t)
			}
			_, err := Start(t.Context(), tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %s", err, tt.want)
			}
		})
	}
}
