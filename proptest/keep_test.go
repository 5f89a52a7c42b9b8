package proptest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// keeper writes down the plans at which one test fails. Rapid runs the
// smallest failing plan last, so that is the one that stays.
type keeper struct {
	t    *testing.T
	file string
}

// keep writes a failing plan, over the one before, and gives the command that
// runs it.
func (k *keeper) keep(plan *chaos.Plan, rec *scenarios.Receiver) (command string, err error) {
	if k.file == "" {
		if k.file, err = k.place(); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(k.file, plan.Encode(), 0o644); err != nil {
		return "", fmt.Errorf("keep the plan: %w", err)
	}
	command = "pixlab run --plan " + k.file
	if rec != nil {
		command += " --receiver " + rec.Name
	}
	return command, nil
}

// place is a file that outlives the test.
func (k *keeper) place() (string, error) {
	const name = "plan.json"
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		return filepath.Join(k.t.ArtifactDir(), name), nil
	}
	dir, err := os.MkdirTemp("", "pixlab-"+strings.ReplaceAll(k.t.Name(), "/", "-")+"-")
	if err != nil {
		return "", fmt.Errorf("keep the plan: %w", err)
	}
	return filepath.Join(dir, name), nil
}

// trial is a test within a test: it hears what rapid has to say and fails by
// itself, so that the test around it can want the failure.
type trial struct {
	name   string
	lines  []string
	failed bool
}

// huntFlags has rapid search longer than usual and shrink for less time, until
// the test and its subtests end: what the trials look for is there, and the
// tests around them wait. The test must not be parallel, since the flags are
// everybody's; its subtests may be.
func huntFlags(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{"rapid.checks": "20000", "rapid.shrinktime": "2s"} {
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := flag.Set(name, before); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// try checks a property on a trial of its own.
func try(t *testing.T, property func(*rapid.T)) *trial {
	t.Helper()
	tr := &trial{name: t.Name()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rapid.Check(tr, property)
	}()
	<-done
	return tr
}

// last is the trial's last line.
func (tr *trial) last() string {
	lines := strings.Split(strings.TrimSpace(tr.output()), "\n")
	return lines[len(lines)-1]
}

func (tr *trial) output() string { return strings.Join(tr.lines, "\n") }

func (tr *trial) Helper()      {}
func (tr *trial) Name() string { return tr.name }

func (tr *trial) Log(args ...any) { tr.lines = append(tr.lines, fmt.Sprint(args...)) }

func (tr *trial) Logf(format string, args ...any) {
	tr.lines = append(tr.lines, fmt.Sprintf(format, args...))
}

func (tr *trial) Fail()        { tr.failed = true }
func (tr *trial) Failed() bool { return tr.failed }
func (tr *trial) SkipNow()     { runtime.Goexit() }

func (tr *trial) FailNow() {
	tr.failed = true
	runtime.Goexit()
}

func (tr *trial) Error(args ...any) {
	tr.Log(args...)
	tr.Fail()
}

func (tr *trial) Errorf(format string, args ...any) {
	tr.Logf(format, args...)
	tr.Fail()
}

func (tr *trial) Fatal(args ...any) {
	tr.Log(args...)
	tr.FailNow()
}

func (tr *trial) Fatalf(format string, args ...any) {
	tr.Logf(format, args...)
	tr.FailNow()
}

func (tr *trial) Skip(args ...any) {
	tr.Log(args...)
	tr.SkipNow()
}

func (tr *trial) Skipf(format string, args ...any) {
	tr.Logf(format, args...)
	tr.SkipNow()
}
