package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/scenarios"
)

func TestPlanPrintsThePlan(t *testing.T) {
	t.Parallel()
	got := pixlab("", "plan", "--seed", "42", "--profile", "hostile").want(t, exitHeld).quiet(t)
	plan, err := chaos.ReadPlan(strings.NewReader(got.out))
	if err != nil {
		t.Fatal(err)
	}
	if string(plan.Encode()) != got.out {
		t.Error("the plan that was read encodes otherwise")
	}
	words := pixlab("", "plan", "--seed", "42", "--profile", "hostile", "--explain").want(t, exitHeld).quiet(t)
	contains(t, words.out, "seed 42, profile hostile", plan.Hash(), "charges (", "payments (20)", chaos.Txid(42, plan.Charges[0]))
}

func TestPlanOfChosenFaults(t *testing.T) {
	t.Parallel()
	got := pixlab("", "plan", "--seed", "7", "--fault", "drop", "--fault", "crash", "--payments", "30").want(t, exitHeld)
	plan, err := chaos.ReadPlan(strings.NewReader(got.out))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range plan.Faults {
		seen[d.Kind] = true
	}
	if len(plan.Payments) != 30 || len(seen) != 2 || !seen["drop"] || !seen["crash"] {
		t.Errorf("%d payments with faults %v", len(plan.Payments), seen)
	}
}

func TestScenariosHold(t *testing.T) {
	t.Parallel()
	got := pixlab("", "scenarios").want(t, exitHeld).quiet(t)
	for _, s := range scenarios.Named() {
		contains(t, got.out, "✓ "+s.Name)
	}
	contains(t, lastLine(got.out), "held: ", "seed 1")
	one := pixlab("", "scenarios", "applied-twice", "--seed", "9").want(t, exitHeld)
	contains(t, one.out, "✓ applied-twice", "held: 1 scenario, seed 9")
}

func TestScenariosAreListed(t *testing.T) {
	t.Parallel()
	got := pixlab("", "scenarios", "--list").want(t, exitHeld).quiet(t)
	if n := strings.Count(got.out, "\n"); n != len(scenarios.Named()) {
		t.Errorf("%d lines, want %d", n, len(scenarios.Named()))
	}
	for _, s := range array(t, []byte(pixlab("", "scenarios", "--list", "--json").out)) {
		object(t, s, "name doc")
	}
}

func TestScenarioThatFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, asJSON := range []bool{false, true} {
		var out, errs strings.Builder
		c := newCLI(nil, &out, &errs)
		s := c.scenarios[0]
		s.Expect = func(*scenarios.Report) error { return errors.New("it rained") }
		c.scenarios = []scenarios.Scenario{s}
		args := []string{"scenarios"}
		if asJSON {
			args = append(args, "--json")
		}
		if code := c.execute(args); code != exitBroke || errs.String() != "" {
			t.Fatalf("exit code %d, stderr %q", code, errs.String())
		}
		if asJSON {
			for _, r := range array(t, []byte(out.String())) {
				object(t, r, "name held detail verdict seed hash repeat")
			}
			contains(t, out.String(), `"held": false`, `"detail": "it rained"`)
			continue
		}
		contains(t, out.String(), "✗ "+s.Name, "failed: it rained", "failed: 1 of 1 scenario, seed 1")
		contains(t, lastLine(out.String()), "repeat: pixlab scenarios "+s.Name+" --seed 1   # pixlab ", "plan pixlab-plan-1-")
	}
}

func TestBrokenOnesAreCaught(t *testing.T) {
	t.Parallel()
	for _, s := range newCLI(nil, nil, nil).suspects() {
		if s.mode == modeModel { // those of mode live have a test of their own
			firstSeed(t, s.name)
		}
	}
}

func TestLiveBrokenOnesAreCaughtByName(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range liveSuspects() {
		names = append(names, s.name)
	}
	got := pixlab("", append([]string{"broken", "--seeds", "1", "--json"}, names...)...)
	if strings.Contains(got.err, pgcluster.ErrNotFound.Error()) && os.Getenv(pgtest.EnvRequire) == "" {
		t.Skip(got.err)
	}
	for i, raw := range array(t, []byte(got.want(t, exitHeld).quiet(t).out)) {
		r := object(t, raw, "name caught invariant mode first_seed seeds_tried detail")
		if string(r["caught"]) != "true" || string(r["mode"]) != `"live"` || string(r["first_seed"]) != "null" {
			t.Errorf("%s: %s", names[i], raw)
		}
	}
}

func TestBrokenJSON(t *testing.T) {
	t.Parallel()
	got := pixlab("", "broken", "dedupe-by-delivery", "psp-overwrites", "--seeds", "10", "--json").want(t, exitHeld).quiet(t)
	list := array(t, []byte(got.out))
	if len(list) != 2 {
		t.Errorf("%d results, want 2", len(list))
	}
	for _, raw := range list {
		r := object(t, raw, "name caught invariant mode first_seed seeds_tried")
		if string(r["caught"]) != "true" || string(r["mode"]) != `"model"` || string(r["first_seed"]) != string(r["seeds_tried"]) {
			t.Errorf("%s", raw)
		}
	}
}

func TestBrokenTable(t *testing.T) {
	t.Parallel()
	got := pixlab("", "broken", "dedupe-by-delivery", "psp-overwrites", "--seeds", "20", "--jobs", "3").want(t, exitHeld).quiet(t)
	contains(t, got.out, "first_seed", "✓ dedupe-by-delivery", "I1", "✓ psp-overwrites", "PSP",
		"held: the reference receiver on seeds 1 to 20, no alarm", "caught: 2 of 2, profile mixed")
}

func TestBrokenAnswerDoesNotDependOnJobs(t *testing.T) {
	t.Parallel()
	one := pixlab("", "broken", "check-then-insert", "--seeds", "12", "--jobs", "1", "--json")
	many := pixlab("", "broken", "check-then-insert", "--seeds", "12", "--jobs", "7", "--json")
	if one != many {
		t.Errorf("one job:\n%s\nseven:\n%s", one.out, many.out)
	}
}

func TestBrokenThatIsNotCaught(t *testing.T) {
	t.Parallel()
	args := []string{"broken", "innocent", "--profile", "calm", "--seeds", "3"}
	got := with(time.Minute, []scenarios.Receiver{innocent()}, args...).want(t, exitBroke).quiet(t)
	contains(t, got.out, "✗ innocent", "no alarm", "not caught: 1 of 1 by 3 seeds, profile calm")
	contains(t, lastLine(got.out), "repeat: pixlab broken innocent --seeds 3 --profile calm   # pixlab ")
	asJSON := with(time.Minute, []scenarios.Receiver{innocent()}, append(args, "--json")...).want(t, exitBroke)
	contains(t, asJSON.out, `"caught": false`, `"first_seed": null`, `"seeds_tried": 3`)
	contains(t, asJSON.err, "not caught: 1 of 1")
}

func TestReferenceThatAlarms(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs strings.Builder
	c := newCLI(nil, &out, &errs)
	c.receivers[0] = panicking()
	c.receivers[0].Name, c.receivers[0].Invariant = "reference", ""
	if code := c.execute([]string{"broken", "dedupe-by-delivery", "--seeds", "5"}); code != exitBroke {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	contains(t, out.String(), "alarm: the reference receiver does not hold on seed 1")
	contains(t, lastLine(out.String()), "repeat: pixlab run --seed 1 --profile mixed --receiver reference ", "sha256:", "plan pixlab-plan-1-mixed.json")
}

func TestBenchMeasures(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	c := newCLI(nil, &out, &errs)
	f := &benchFlags{profile: "calm", seconds: countFlag{n: 1}, jobs: countFlag{n: 1}, payments: countFlag{n: 2}}
	if err := c.bench(f); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "profile calm, 2 payments a run, 1 s each", "cores   runs/s", "    1 ")
}

func TestLists(t *testing.T) {
	t.Parallel()
	faults := pixlab("", "faults").want(t, exitHeld).quiet(t)
	profiles := pixlab("", "profiles").want(t, exitHeld).quiet(t)
	for _, k := range chaos.Kinds() {
		contains(t, faults.out, k.Name)
		contains(t, profiles.out, k.Name)
	}
	contains(t, profiles.out, "calm  ", "mixed  ", "hostile  ", "swarm  ")
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"help"}, {"help", "run"}, {"run", "-h"}, {"bench", "--help"}} {
		got := pixlab("", args...).want(t, exitHeld).quiet(t)
		contains(t, got.out, "Usage:\n  pixlab ", "Flags:\n")
		for _, line := range strings.Split(got.out, "\n") {
			if len([]rune(line)) > width {
				t.Errorf("%v: too wide: %s", args, line)
			}
		}
	}
	if got := pixlab("", "--version").want(t, exitHeld); got.out != "pixlab "+version()+"\n" {
		t.Errorf("--version says %q", got.out)
	}
	contains(t, pixlab("", "version").want(t, exitHeld).out, "pixlab "+version()+"\ngo1.")
}

func TestBuiltBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary, "run", "--seed", firstSeed(t, "check-then-insert"), "--receiver", "check-then-insert", "--json")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitBroke {
		t.Fatalf("%v, want exit code %d", err, exitBroke)
	}
	var report struct{ Verdict scenarios.Verdict }
	if err := json.Unmarshal(out, &report); err != nil || report.Verdict != scenarios.Violated {
		t.Errorf("%v, verdict %q", err, report.Verdict)
	}
	large, err := exec.Command(binary, "bench", "--large=20,60").Output()
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(large), "      20 ", "      60 ", "held", "3.0 times the payments took ")
}

func TestProgressIsSilentOffATerminal(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	c := newCLI(nil, &out, &errs)
	show := c.progress()
	show.steps(12)
	show.clear()
	shown := &progress{to: &out}
	shown.steps(1234)
	shown.steps(1234)
	shown.clear()
	if want := "\r\x1b[Krunning: 1,234 steps\r\x1b[K"; errs.String() != "" || out.String() != want {
		t.Errorf("stderr %q, terminal %q", errs.String(), out.String())
	}
	if elapsed(9*time.Millisecond) != "9.0 ms" || elapsed(time.Second) != "1.00 s" || elapsed(20*time.Millisecond) != "20 ms" {
		t.Error("lengths of real time")
	}
}
