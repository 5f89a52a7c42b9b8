package pgcluster

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestKilledOwner(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := parent(t)
	owner := startOwner(t, "owner", dir)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	if diesWithOwner {
		wantGone(t, owner.pid) // without anybody's help
	}
	if left := entries(t, dir); len(left) != 1 {
		t.Fatalf("the killed owner left %v, want its folder", left)
	}
	var log bytes.Buffer
	c := startTest(t, Options{Fast: true, Dir: dir, Log: &log})
	if _, err := os.Stat(owner.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next start leaves %s: %v", owner.dir, err)
	}
	wantGone(t, owner.pid)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "left by a run that was killed") {
		t.Errorf("the log does not tell of the leftover:\n%s", log.String())
	}
}

func TestSignalledOwner(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			needServer(t)
			dir := parent(t)
			owner := startOwner(t, "owner", dir)
			if err := owner.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = owner.Wait()
			status := owner.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != s {
				t.Errorf("the owner ended by %v, want %v", owner.ProcessState, s)
			}
			wantGone(t, owner.pid)
			if left := entries(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestGuardStopsWhatItsOwnerLeaves(t *testing.T) {
	t.Parallel()
	owner := startOwner(t, "guarded", "-")
	if gone(owner.pid) {
		t.Fatal("the guarded process is gone before its owner")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantGone(t, owner.pid)
}

// abandon makes a folder as a killed owner leaves it.
func abandon(t *testing.T, dir string) *folder {
	t.Helper()
	f, err := makeFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.marker.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSweepStopsALeftoverServer(t *testing.T) {
	t.Parallel()
	dir := parent(t)
	f := abandon(t, dir)
	// Not a server, but with a server's file and a server's command line.
	cmd := exec.Command("sh", "-c", "echo ready; read -r _", "-D", f.data())
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	writeServerFile(t, f, cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	sweep(t.Context(), dir, &serverLog{to: &bytes.Buffer{}})
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "quit") {
		t.Errorf("the leftover server ended by %v, want SIGQUIT", err)
	}
}

func TestSweepSparesAProcessThatTookTheNumber(t *testing.T) {
	t.Parallel()
	dir := parent(t)
	f := abandon(t, dir)
	writeServerFile(t, f, os.Getpid()) // which would not survive a SIGQUIT
	sweep(t.Context(), dir, &serverLog{to: &bytes.Buffer{}})
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// writeServerFile writes the file by which a server names its process.
func writeServerFile(t *testing.T, f *folder, pid int) {
	t.Helper()
	if err := os.Mkdir(f.data(), 0o700); err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Join([]string{strconv.Itoa(pid), f.data(), ""}, "\n"))
	if err := os.WriteFile(filepath.Join(f.data(), "postmaster.pid"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSweepSparesWhatIsNotProvablyOurs(t *testing.T) {
	tests := map[string]func(t *testing.T, f *folder) error{
		"its owner lives": func(t *testing.T, f *folder) error {
			marker, err := os.Open(f.marker.Name())
			if err != nil {
				return err
			}
			t.Cleanup(func() { marker.Close() })
			return lock(marker)
		},
		"no marker":       func(_ *testing.T, f *folder) error { return os.Remove(f.marker.Name()) },
		"an empty marker": func(_ *testing.T, f *folder) error { return os.Truncate(f.marker.Name(), 0) },
		"another's marker": func(_ *testing.T, f *folder) error {
			return os.WriteFile(f.marker.Name(), []byte(`{"program":"x"}`), 0o600)
		},
		"others can write":  func(_ *testing.T, f *folder) error { return os.Chmod(f.path, 0o777) },
		"another's name":    func(_ *testing.T, f *folder) error { return rename(f, filepath.Join(filepath.Dir(f.path), "pg-1")) },
		"another's folder":  func(t *testing.T, f *folder) error { return giveAway(t, f.path) },
		"marker of another": func(t *testing.T, f *folder) error { return giveAway(t, f.marker.Name()) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := parent(t)
			f := abandon(t, dir)
			defer func() { os.RemoveAll(f.path) }()
			if err := change(t, f); err != nil {
				t.Fatal(err)
			}
			sweep(t.Context(), dir, &serverLog{to: &bytes.Buffer{}})
			if _, err := os.Stat(f.run()); err != nil {
				t.Errorf("the sweep took it: %v", err)
			}
		})
	}
}

// rename moves a folder.
func rename(f *folder, to string) error {
	err := os.Rename(f.path, to)
	f.path = to
	return err
}

// giveAway makes a file another user's, which only root can.
func giveAway(t *testing.T, path string) error {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	return os.Chown(path, 65534, 65534)
}
