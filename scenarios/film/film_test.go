package film_test

import (
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/scenarios/film"
)

func take(t *testing.T, seed chaos.Seed, profile, name string) *film.Film {
	t.Helper()
	plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	r, ok := broken.ByName(name)
	if !ok {
		r = scenarios.Reference()
	}
	f, _, err := film.Take(plan, scenarios.Options{Receiver: &r})
	if err != nil {
		t.Fatalf("seed %d on %s: %v", seed, profile, err)
	}
	return f
}

// gap is the sum of what is wrong at an instant.
func gap(f *film.Film, at chaos.Instant) (cents int64) {
	for _, w := range f.Wrongs {
		if w.T <= at {
			cents += w.Cents
		}
	}
	return cents
}

// TestFilmChangesNothing films runs, which have to go as they go unfilmed.
func TestFilmChangesNothing(t *testing.T) {
	t.Parallel()
	for seed := range chaos.Seed(5) {
		plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: "hostile"})
		if err != nil {
			t.Fatal(err)
		}
		world, err := scenarios.NewWorld(plan, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := world.Run()
		if err != nil {
			t.Fatal(err)
		}
		if got := take(t, seed, "hostile", "").Hash; got != plain.Hash {
			t.Errorf("seed %d: filmed %s, unfilmed %s", seed, got, plain.Hash)
		}
	}
}

// TestLagIsNeverWrong films the reference: whatever is late, lost or adjusted
// later, no money is ever wrong, and each line of the statement is met.
func TestLagIsNeverWrong(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"calm", "mixed", "hostile", "stage", "med"} {
		for seed := range chaos.Seed(20) {
			f := take(t, seed, profile, "")
			if f.Verdict != "held" || len(f.Wrongs) > 0 || len(f.Story) > 0 {
				t.Errorf("seed %d on %s: %s, wrong %v", seed, profile, f.Verdict, f.Wrongs)
			}
			for _, l := range f.Lines {
				if l.Settled < l.T {
					t.Errorf("seed %d on %s: the line %s of %d is met at %d", seed, profile, l.Key, l.T, l.Settled)
				}
			}
		}
	}
}

// TestWrongLinesAddUpToTheGap films a receiver that gets everything wrong: what
// is wrong at the end is what ledger and statement differ by.
func TestWrongLinesAddUpToTheGap(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	for seed := range chaos.Seed(30) {
		f := take(t, seed, "stage", "naive")
		var ledger, statement int64
		for _, p := range f.Postings {
			ledger += p.Cents
		}
		for _, l := range f.Lines {
			statement += l.Cents
		}
		if got := gap(f, chaos.Never); got != ledger-statement {
			t.Errorf("seed %d: wrong by %d, ledger %d, statement %d", seed, got, ledger, statement)
		}
		for _, w := range f.Wrongs {
			kinds[w.Invariant]++
		}
		if len(f.Story) == 0 || !f.Story[len(f.Story)-1].Bad {
			t.Errorf("seed %d: the story does not end with the wrong money: %v", seed, f.Story)
		}
	}
	for _, id := range []string{"I1", "I2", "I3", "I4"} {
		if kinds[id] == 0 {
			t.Errorf("no line is wrong under %s", id)
		}
	}
}

// TestStageTellsThemApart plays the first half minute of a hundred plans.
func TestStageTellsThemApart(t *testing.T) {
	t.Parallel()
	const halfMinute = 30 * chaos.Second
	differ := 0
	for seed := range chaos.Seed(100) {
		if gap(take(t, seed, "stage", "naive"), halfMinute) != 0 {
			differ++
		}
		f := take(t, seed, "stage", "")
		if f.Verdict != "held" || len(f.Wrongs) > 0 {
			t.Errorf("seed %d: the reference is wrong by %v", seed, f.Wrongs)
		}
	}
	if differ < 95 {
		t.Errorf("the naive receiver differs within half a minute on %d of 100 seeds, want 95", differ)
	}
	t.Logf("%d of 100", differ)
}
