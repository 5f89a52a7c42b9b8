package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

func TestRunHolds(t *testing.T) {
	t.Parallel()
	got := pixlab("", "run", "--seed", "42").want(t, exitHeld).quiet(t)
	contains(t, got.out, "seed 42 · profile mixed · receiver reference", "20 payments", "kind ", "planned fired",
		"60 h 00 min 00 s simulated", "HTTP calls", " processed, ", " open", "R$ ", "✓ I1   No Pix is credited twice", "held: all ")
	for _, line := range strings.Split(got.out, "\n") {
		if n := len([]rune(line)); n > width && !strings.HasPrefix(line, "repeat: ") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	want := fmt.Sprintf("repeat: pixlab run --seed 42 --profile mixed --receiver reference   # pixlab %s, %s", version(), hashOf(t, got.out))
	if last := lastLine(got.out); last != want {
		t.Errorf("last line\n%s\nwant\n%s", last, want)
	}
	if again := repeated(t, got.out); hashOf(t, again.out) != hashOf(t, got.out) {
		t.Error("the repeat line came to another hash")
	}
}

func TestRunReportIsTheSameButForItsRealTime(t *testing.T) {
	t.Parallel()
	strip := func(s string) string { return regexp.MustCompile(`simulated in .*`).ReplaceAllString(s, "") }
	a, b := pixlab("", "run", "--seed", "9", "--profile", "hostile"), pixlab("", "run", "--seed", "9", "--profile", "hostile")
	if strip(a.out) != strip(b.out) {
		t.Errorf("two reports differ:\n%s\n%s", a.out, b.out)
	}
}

func TestRepeatCarriesEveryOption(t *testing.T) {
	t.Parallel()
	got := pixlab("", "run", "--seed", "7", "--payments", "5", "--fault", "duplicate", "--fault", "drop").want(t, exitHeld)
	contains(t, lastLine(got.out), "--seed 7 --profile mixed --payments 5 --fault duplicate --fault drop --receiver reference")
	if again := repeated(t, got.out); hashOf(t, again.out) != hashOf(t, got.out) {
		t.Error("the repeat line came to another hash")
	}
}

func TestPlanPipedIntoRunIsTheSameRun(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--seed", "42"}, {"--seed", "3", "--profile", "hostile", "--payments", "7"}, {"--seed", "5", "--profile", "storm"},
	} {
		plan := pixlab("", append([]string{"plan"}, args...)...).want(t, exitHeld).quiet(t)
		piped := pixlab(plan.out, "run", "--plan", "-").want(t, exitHeld).quiet(t)
		drawn := pixlab("", append([]string{"run"}, args...)...).want(t, exitHeld)
		if hashOf(t, piped.out) != hashOf(t, drawn.out) || lastLine(piped.out) != lastLine(drawn.out) {
			t.Errorf("%v: piped\n%s\ndrawn\n%s", args, lastLine(piped.out), lastLine(drawn.out))
		}
	}
}

func TestEditedPlanHasToBePipedAgain(t *testing.T) {
	t.Parallel()
	plan := pixlab("", "plan", "--seed", "1", "--fault", "drop").want(t, exitHeld)
	got := pixlab(plan.out, "run", "--plan", "-").want(t, exitHeld)
	contains(t, lastLine(got.out), "repeat: pixlab run --plan - --receiver reference ")
	file := filepath.Join(t.TempDir(), "kept.json")
	got = pixlab(plan.out, "run", "--plan", "-", "--plan-out", file).want(t, exitHeld)
	contains(t, lastLine(got.out), "repeat: pixlab run --plan "+shellWord(file)+" --receiver reference ")
}

func TestRunFromFileNamesTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "my plan.json")
	drawn := pixlab("", "run", "--seed", "8", "--plan-out", file).want(t, exitHeld)
	got := pixlab("", "run", "--plan", file).want(t, exitHeld).quiet(t)
	contains(t, lastLine(got.out), "repeat: pixlab run --plan '"+file+"' --receiver reference ")
	if hashOf(t, got.out) != hashOf(t, drawn.out) {
		t.Error("the plan's file came to another hash")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if plan := pixlab("", "plan", "--seed", "8"); plan.out != string(text) {
		t.Error("--plan-out wrote another plan than pixlab plan prints")
	}
}

func TestViolationKeepsThePlan(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := firstSeed(t, "check-then-insert")
	got := pixlab("", "run", "--seed", seed, "--receiver", "check-then-insert").want(t, exitBroke).quiet(t)
	file := "pixlab-plan-" + seed + "-mixed.json"
	contains(t, got.out, "✗ I1   No Pix is credited twice", "(event ", "violated: ", "plan written to "+file)
	contains(t, lastLine(got.out), ", plan "+file)
	if again := repeated(t, got.out); hashOf(t, again.out) != hashOf(t, got.out) {
		t.Error("the repeat line came to another hash")
	}
	replay := pixlab("", "run", "--plan", file, "--receiver", "check-then-insert").want(t, exitBroke)
	if hashOf(t, replay.out) != hashOf(t, got.out) {
		t.Error("the plan that was kept came to another hash")
	}
	contains(t, replay.out, "✗ I1   No Pix is credited twice")
	contains(t, lastLine(replay.out), "repeat: pixlab run --plan "+file)
	if plan, _ := os.ReadFile(file); pixlab("", "plan", "--seed", seed).out != string(plan) {
		t.Error("another plan was kept than ran")
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestViolationOfAPipedPlanNamesTheFileItIsKeptIn(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := firstSeed(t, "check-then-insert")
	plan := pixlab("", "plan", "--seed", seed)
	got := pixlab(plan.out, "run", "--plan", "-", "--receiver", "check-then-insert").want(t, exitBroke)
	contains(t, lastLine(got.out), "repeat: pixlab run --plan pixlab-plan-"+seed+"-mixed.json --receiver check-then-insert ")
	if again := repeated(t, got.out); again.code != exitBroke || hashOf(t, again.out) != hashOf(t, got.out) {
		t.Error("the repeat line came to something else")
	}
}

func TestAnotherPlanOfTheSameNameIsLeftAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := firstSeed(t, "check-then-insert")
	file := "pixlab-plan-" + seed + "-mixed.json"
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := pixlab("", "run", "--seed", seed, "--receiver", "check-then-insert").want(t, exitBroke)
	if kept, _ := os.ReadFile(file); string(kept) != "mine" {
		t.Error("the file was written over")
	}
	plan, err := chaos.ReadPlan(strings.NewReader(pixlab("", "plan", "--seed", seed).out))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, got.out, "plan written to pixlab-plan-"+seed+"-mixed-"+plan.Hash()[7:15]+".json")
}

func TestPanicOfTheReceiverIsAViolation(t *testing.T) {
	t.Chdir(t.TempDir())
	got := with(time.Minute, []scenarios.Receiver{panicking()}, "run", "--seed", "1", "--receiver", "panicking").want(t, exitBroke)
	contains(t, got.out, "The receiver does not panic", "no such luck", "the receiver panicked at", "panicking", "plan written to")
	if regexp.MustCompile(`0x[0-9a-f]{6}`).MatchString(got.out) {
		t.Error("an address stands in the report:\n" + got.out)
	}
}

func TestRunThatDoesNotConverge(t *testing.T) {
	t.Chdir(t.TempDir())
	got := with(time.Minute, []scenarios.Receiver{restless()}, "run", "--seed", "1", "--profile", "calm", "--payments", "2", "--receiver", "restless")
	got.want(t, exitNotConverged)
	contains(t, got.out, "still open after 48 h 00 min 00 s of healing", "· the reconcile that goes on", "not converged: ",
		"plan written to pixlab-plan-1-calm.json")
}

func TestRunThatHangs(t *testing.T) {
	t.Chdir(t.TempDir())
	got := with(100*time.Millisecond, []scenarios.Receiver{stuck(t)}, "run", "--seed", "1", "--receiver", "stuck").want(t, exitInternal)
	contains(t, got.err, "pixlab: internal error: the run has stood still for 100ms at step ", "plan written to pixlab-plan-1-mixed.json")
	contains(t, lastLine(got.err), "repeat: pixlab run --seed 1 --profile mixed --receiver stuck ")
	if got.out != "" || !exists("pixlab-plan-1-mixed.json") {
		t.Errorf("stdout %q, or no plan", got.out)
	}
}

func TestCheckDeterminism(t *testing.T) {
	t.Parallel()
	plain := pixlab("", "run", "--seed", "42", "--profile", "swarm").want(t, exitHeld)
	got := pixlab("", "run", "--seed", "42", "--profile", "swarm", "--check-determinism").want(t, exitHeld).quiet(t)
	contains(t, got.out, "held: all 18 invariants; a second run has the same hash")
	broke := with(time.Minute, nil, "run", "--seed", "1", "--receiver", "naive", "--check-determinism", "--plan-out", filepath.Join(t.TempDir(), "plan.json"))
	contains(t, broke.want(t, exitBroke).out, " first; a second run has the same hash")
	if hashOf(t, got.out) != hashOf(t, plain.out) {
		t.Error("another hash than without the check")
	}
}

func TestNotDeterministic(t *testing.T) {
	t.Chdir(t.TempDir())
	got := with(time.Minute, []scenarios.Receiver{fickle()}, "run", "--seed", "1", "--receiver", "fickle", "--check-determinism")
	got.want(t, exitNotDeterministic)
	contains(t, got.out, "two runs differ first at event ", "  first run   {\"n\":", "  second run  {\"n\":", "not deterministic: ")
	contains(t, lastLine(got.out), "--receiver fickle --check-determinism ")
	asJSON := with(time.Minute, []scenarios.Receiver{fickle()}, "run", "--seed", "1", "--receiver", "fickle", "--check-determinism", "--json")
	asJSON.want(t, exitNotDeterministic)
	contains(t, asJSON.out, `"verdict": "not_deterministic"`, "two runs differ first at event ")
}

func TestTraceHashesToTheHash(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	got := pixlab("", "run", "--seed", "2", "--trace", file).want(t, exitHeld)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(text)); sum != hashOf(t, got.out) {
		t.Errorf("the trace hashes to %s, the report says %s", sum, hashOf(t, got.out))
	}
	streamed := pixlab("", "run", "--seed", "2", "--trace", "-", "--check-determinism").want(t, exitHeld)
	if streamed.out != string(text) {
		t.Error("--trace - wrote another trace than --trace FILE")
	}
	contains(t, streamed.err, "held: all ")
}

func TestTraceOntoADeviceLeavesItADevice(t *testing.T) {
	t.Parallel()
	pixlab("", "run", "--seed", "2", "--payments", "1", "--trace", os.DevNull).want(t, exitHeld).quiet(t)
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatal("the device is a file now")
	}
}
