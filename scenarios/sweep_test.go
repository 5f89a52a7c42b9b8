package scenarios_test

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// count is the size of a search: small in the ordinary tests, larger where the
// environment says so (make soak).
func count(t testing.TB, name string, small int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return small
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a whole number of 1 or more", name, text)
	}
	return n
}

// runSeed draws a plan and runs it.
func runSeed(t testing.TB, seed int, profile string, o scenarios.Options) *scenarios.Report {
	t.Helper()
	plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	w, err := scenarios.NewWorld(plan, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Run()
	if err != nil {
		t.Fatalf("seed %d, profile %s: %v", seed, profile, err)
	}
	return r
}

// mustHold fails the test by a command that repeats the run.
func mustHold(t testing.TB, seed int, profile string, r *scenarios.Report) {
	t.Helper()
	if r.Verdict == scenarios.Held {
		return
	}
	for _, i := range r.Invariants {
		if !i.Held {
			t.Errorf("%s broke at event %d: %s", i.ID, i.Event, i.Detail)
		}
	}
	for _, p := range r.Pending {
		t.Errorf("not settled: %s", p)
	}
	if r.Stack != "" {
		t.Error(r.Stack)
	}
	t.Fatalf("%s; repeat: pixlab run --seed %d --profile %s", r.Verdict, seed, profile)
}

// TestReferenceHoldsOnEveryProfile runs seeds from 1 on; PIXLAB_SEEDS says how
// many. Over the three profiles that mix kinds, each kind has to come off: one
// that never does tests nothing.
func TestReferenceHoldsOnEveryProfile(t *testing.T) {
	t.Parallel()
	fired := &kindCounts{fired: map[string]int{}}
	t.Run("profiles", func(t *testing.T) {
		for _, profile := range []string{"calm", "mixed", "hostile", "swarm", "med"} {
			t.Run(profile, func(t *testing.T) {
				t.Parallel()
				n := count(t, "PIXLAB_SEEDS", 150)
				for seed := 1; seed <= n; seed++ {
					r := runSeed(t, seed, profile, scenarios.Options{})
					mustHold(t, seed, profile, r)
					fired.add(r)
				}
			})
		}
	})
	for _, k := range chaos.Kinds() {
		if fired.fired[k.Name] == 0 {
			t.Errorf("fault kind %s never came off", k.Name)
		}
		t.Logf("%-16s fired %d times", k.Name, fired.fired[k.Name])
	}
}

type kindCounts struct {
	mu    sync.Mutex
	fired map[string]int
}

func (c *kindCounts) add(r *scenarios.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range r.Faults {
		c.fired[k.Kind] += k.Fired
	}
}

// TestReferenceHoldsUnderEachKindAlone runs the profiles of one kind each.
func TestReferenceHoldsUnderEachKindAlone(t *testing.T) {
	t.Parallel()
	n := count(t, "PIXLAB_KIND_SEEDS", 10)
	for _, k := range chaos.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for seed := 1; seed <= n; seed++ {
				mustHold(t, seed, k.Name, runSeed(t, seed, k.Name, scenarios.Options{}))
			}
		})
	}
}

// TestCalmIsSilent is I17 at its strictest: where nothing goes wrong there is no
// case, no quarantine, no adjustment, and every callback gets its 200.
func TestCalmIsSilent(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= count(t, "PIXLAB_SEEDS", 50); seed++ {
		r := runSeed(t, seed, "calm", scenarios.Options{})
		mustHold(t, seed, "calm", r)
		if r.CasesOpen != 0 || r.Quarantined != 0 || len(r.Void) != 0 {
			t.Fatalf("seed %d: %d cases, %d in quarantine, %d void; want none", seed, r.CasesOpen, r.Quarantined, len(r.Void))
		}
	}
}
