package broken_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// seeds is how many seeds a search may take; PIXLAB_BROKEN_SEEDS changes it.
func seeds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("PIXLAB_BROKEN_SEEDS")
	if text == "" {
		return 500
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PIXLAB_BROKEN_SEEDS=%q: want a whole number of 1 or more", text)
	}
	return n
}

func run(t *testing.T, seed int, o scenarios.Options) *scenarios.Report {
	t.Helper()
	plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: chaos.DefaultProfile})
	if err != nil {
		t.Fatal(err)
	}
	w, err := scenarios.NewWorld(plan, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Run()
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if r.Stack != "" {
		t.Fatalf("seed %d: the broken receiver panicked, which is not how it is broken:\n%s", seed, r.Stack)
	}
	return r
}

func breaks(r *scenarios.Report, invariant string) bool {
	for _, i := range r.Invariants {
		if i.ID == invariant && !i.Held {
			return true
		}
	}
	return false
}

// TestEveryBrokenReceiverIsCaught looks for the invariant that each is known to
// break, on the default profile. The reference holds on the seed that catches:
// it is the bug that was caught, and not the seed.
func TestEveryBrokenReceiverIsCaught(t *testing.T) {
	t.Parallel()
	for _, b := range broken.Receivers() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			n := seeds(t)
			for seed := 1; seed <= n; seed++ {
				if !breaks(run(t, seed, scenarios.Options{Receiver: &b}), b.Invariant) {
					continue
				}
				if right := run(t, seed, scenarios.Options{}); right.Verdict != scenarios.Held {
					t.Fatalf("seed %d: the reference receiver does not hold either", seed)
				}
				t.Logf("%s broke at seed %d", b.Invariant, seed)
				return
			}
			t.Errorf("%s did not break within %d seeds: %s", b.Invariant, n, b.Doc)
		})
	}
}

// TestEveryBrokenPSPContradictsItself has the PSP's own check notice.
func TestEveryBrokenPSPContradictsItself(t *testing.T) {
	t.Parallel()
	for _, p := range broken.PSPs() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := 1; seed <= 20; seed++ {
				if breaks(run(t, seed, p.Options), "PSP") {
					return
				}
			}
			t.Errorf("the PSP's check noticed nothing within 20 seeds: %s", p.Doc)
		})
	}
}
