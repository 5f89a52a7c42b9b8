package pgcluster

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// envRole makes this test binary play an owner that is going to be killed.
const envRole = "PGCLUSTER_TEST_ROLE"

// patience is how long a test waits for another process.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	os.Unsetenv(EnvURL)
	if role := os.Getenv(envRole); role != "" {
		os.Exit(play(role, os.Args[1]))
	}
	os.Exit(m.Run())
}

// play starts something in dir, says what, and waits to be killed.
func play(role, dir string) int {
	switch role {
	case "owner":
		c, err := Start(context.Background(), Options{Fast: true, Dir: dir, StopOnSignal: true})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(c.server.process.cmd.Process.Pid, c.Dir())
	case "guarded":
		p, err := launch(exec.Command("sleep", "600"))
		if err == nil {
			err = guard(p)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(p.cmd.Process.Pid, dir)
	}
	select {}
}

// ownerProcess is a child that plays a role.
type ownerProcess struct {
	*exec.Cmd
	pid int    // of what it started
	dir string // the data directory
}

// startOwner starts a child and waits until it has started what it should.
func startOwner(t *testing.T, role, dir string) *ownerProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := &ownerProcess{Cmd: exec.Command(self, dir)}
	o.Env = append(os.Environ(), envRole+"="+role)
	out, err := o.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.Process.Kill()
		_ = o.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &o.pid, &o.dir); err != nil {
		t.Fatalf("owner says %q: %v", line, err)
	}
	return o
}

// parent makes a folder that the server's user can enter, and checks at the
// test's end that nothing is left in it.
func parent(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(defaultDir(true), "pgc-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("left behind in %s: %v", dir, left)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// entries are the names in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// startTest starts a cluster for a test, or skips it where there is none.
func startTest(t *testing.T, o Options) *Cluster {
	t.Helper()
	needServer(t)
	c, err := Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// needServer skips a test on a machine without PostgreSQL.
func needServer(t *testing.T) {
	t.Helper()
	if _, err := systemPlaces().find(t.Context(), oldest); err != nil {
		t.Skip(err)
	}
}

// query runs a statement on a connection of its own and gives the first value
// it returns, as text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	last := results[len(results)-1]
	if len(last.Rows) == 0 {
		return ""
	}
	return string(last.Rows[0][0])
}

// wantGone waits until a process that is no child of ours is gone.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !gone(pid) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("process %d is still there: %q", pid, commandLine(pid))
		}
	}
}

// gone tells whether a process is gone, or dead and not yet collected.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
