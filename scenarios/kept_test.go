package scenarios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// TestKeptPlansHold runs every plan that once broke an invariant. A plan that
// finds a fault is put into testdata/plans, and stays.
func TestKeptPlansHold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/plans/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d plans, %v; want some", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			plan, err := chaos.ReadPlan(f)
			if err != nil {
				t.Fatal(err)
			}
			w, err := scenarios.NewWorld(plan, scenarios.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.Run()
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range r.Invariants {
				if !i.Held {
					t.Errorf("%s broke at event %d: %s", i.ID, i.Event, i.Detail)
				}
			}
			if r.Verdict != scenarios.Held {
				t.Errorf("%s; repeat: pixlab run --plan scenarios/%s", r.Verdict, name)
			}
		})
	}
}
