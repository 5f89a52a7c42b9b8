package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedRunLeavesNothing interrupts runs that have begun a trace, a
// page and the two temporary traces of a comparison.
func TestInterruptedRunLeavesNothing(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		cmd := exec.Command(binary, "run", "--seed", "1", "--payments", "50000", "--trace", "trace.jsonl", "--html", "run.html", "--check-determinism")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); len(names(t, dir)) < 4; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("%d files, want a trace, a page and two temporary traces", len(names(t, dir)))
				break
			}
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != s {
			t.Errorf("%v: ended with %v, want by the signal", s, err)
		}
		if left := names(t, dir); len(left) > 0 {
			t.Errorf("%v leaves %q", s, left)
		}
	}
}

// names are those of a folder's files, the hidden ones too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
