package explore_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/explore"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

func drive(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) {
	w, err := scenarios.NewWorld(p, o)
	if err != nil {
		return nil, err
	}
	return w.Run()
}

// count is small in the ordinary tests, larger where the environment says so.
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

// TestSearchOfTheReferenceHolds looks at seeds of hostile as the command does,
// with many more related runs. PIXLAB_EXPLORE_SEEDS says how many; with enough
// of them every mark has to be reached.
func TestSearchOfTheReferenceHolds(t *testing.T) {
	t.Parallel()
	n := count(t, "PIXLAB_EXPLORE_SEEDS", 200)
	look := explore.Search{Profile: "hostile", Receiver: scenarios.Reference(), Drive: drive, Twice: 50, Related: 2}
	sum := explore.NewSummary()
	sum.Receiver = look.Receiver.Name
	for seed := 1; seed <= n; seed++ {
		sum.Add(look.Seed(chaos.Seed(seed)))
	}
	sum.Close()
	for _, x := range sum.Failures {
		t.Errorf("seed %d: %s: %s (healed at %d)", x.Seed, x.Invariant, x.Detail, x.HealAt)
	}
	for _, how := range explore.Relations() {
		if sum.Related[how] == 0 {
			t.Errorf("no seed of %d ran in relation %s", n, how)
		}
	}
	if sum.Twice == 0 {
		t.Errorf("no seed of %d ran twice", n)
	}
	if missed := sum.Missed(); len(missed) > 0 {
		t.Errorf("%d seeds missed: %s", n, strings.Join(missed, "; "))
	}
	for _, m := range scenarios.Marks() {
		t.Logf("%6d %s", sum.Marks[m], m)
	}
}

// TestASearchThatMissesAMarkFails takes a mark away from a search that is long
// enough, and one from a search that is not.
func TestASearchThatMissesAMarkFails(t *testing.T) {
	t.Parallel()
	full := func(seeds int, but string) *explore.Summary {
		s := explore.NewSummary()
		s.Receiver = scenarios.Reference().Name
		for seed := range seeds {
			f := explore.Finding{Seed: chaos.Seed(seed + 1), Profile: "hostile"}
			for _, m := range scenarios.Marks() {
				if m != but {
					f.Marks = append(f.Marks, m)
				}
			}
			s.Add(f)
		}
		s.Close()
		return s
	}
	const but = "a process died between two commands"
	if s := full(explore.MarksFrom, ""); s.Failed() {
		t.Errorf("a search that reached all marks failed: %v", s.Missed())
	}
	if s := full(explore.MarksFrom, but); !s.Failed() || !slices.Equal(s.Missed(), []string{but}) {
		t.Errorf("missed %v and failed is %t, want %q and true", s.Missed(), s.Failed(), but)
	}
	if s := full(explore.MarksFrom-1, but); s.Failed() {
		t.Error("a search that is too short to tell failed for a mark")
	}
	if s := full(explore.MarksFrom, scenarios.RareMarks()[0]); s.Failed() {
		t.Error("a search failed for a mark that no sweep is asked for")
	}
}

// TestShardsPartTheRange has every seed of a range in exactly one shard.
func TestShardsPartTheRange(t *testing.T) {
	t.Parallel()
	for _, of := range []int{1, 2, 3, 7} {
		span := explore.Range{From: 5, To: 104}
		seen := map[chaos.Seed]int{}
		for i := 1; i <= of; i++ {
			s := explore.Shard{Index: i, Of: of}
			for seed := s.First(span); seed <= span.To; seed += s.Step() {
				seen[seed]++
			}
		}
		for seed := span.From; seed <= span.To; seed++ {
			if seen[seed] != 1 {
				t.Errorf("of %d shards %d have seed %d, want 1", of, seen[seed], seed)
			}
		}
		if len(seen) != 100 {
			t.Errorf("%d shards visit %d seeds, want 100", of, len(seen))
		}
	}
}

func TestRangesAndShardsAreReadStrictly(t *testing.T) {
	t.Parallel()
	if r, err := explore.ParseRange("7-9"); err != nil || r != (explore.Range{From: 7, To: 9}) {
		t.Errorf("7-9 is read as %v, %v", r, err)
	}
	if r, err := explore.ParseRange("9"); err != nil || r != (explore.Range{From: 1, To: 9}) {
		t.Errorf("9 is read as %v, %v", r, err)
	}
	for _, bad := range []string{"", "-", "9-7", "a-b", "1-", "1-2-3", "1-9007199254740992"} {
		if r, err := explore.ParseRange(bad); err == nil {
			t.Errorf("range %q is read as %v", bad, r)
		}
	}
	for _, bad := range []string{"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "1/10001"} {
		if s, err := explore.ParseShard(bad); err == nil {
			t.Errorf("shard %q is read as %v", bad, s)
		}
	}
	if a, b := explore.Base("a"), explore.Base("b"); a == b || a > chaos.MaxSeed/2 {
		t.Errorf("bases %d and %d, want two seeds in the lower half", a, b)
	}
}

// TestABrokenReceiverIsFoundAndNamed looks for a failure with its plan.
func TestABrokenReceiverIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	b, ok := broken.ByName("dedupe-by-delivery")
	if !ok {
		t.Fatal("there is no dedupe-by-delivery")
	}
	look := explore.Search{Profile: "mixed", Receiver: b, Drive: drive}
	f := look.Seed(1)
	if len(f.Failures) != 1 || f.Failures[0].Invariant != "I1" || f.Failures[0].Plan == nil || f.Failures[0].Detail == "" {
		t.Fatalf("failures %+v, want one of I1 with its plan", f.Failures)
	}
}

// TestRelatedRunsDisagree finds, by the relations alone and with every checker
// off, a receiver that loses what it was at work on when something stopped it:
// which Pix that is hangs on the order.
func TestRelatedRunsDisagree(t *testing.T) {
	t.Parallel()
	b, ok := broken.ByName("seen-before-done")
	if !ok {
		t.Fatal("there is no seen-before-done")
	}
	silent := func(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) {
		o.Without = scenarios.Invariants()
		return drive(p, o)
	}
	look := explore.Search{Profile: "hostile", Receiver: b, Drive: silent, Related: 1}
	found := map[explore.Relation]bool{}
	for seed := chaos.Seed(1); seed <= 60; seed++ {
		f := look.Seed(seed)
		for _, x := range f.Failures {
			found[f.Related] = found[f.Related] || x.Invariant == explore.Metamorphic
		}
	}
	if !found[explore.Reorder] {
		t.Errorf("found %v, want another order to give other books", found)
	}
}

// TestUndisputedPlansSettleInFull has every payment of an undisputed plan settle,
// whatever else goes wrong: only then can two runs be compared.
func TestUndisputedPlansSettleInFull(t *testing.T) {
	t.Parallel()
	for seed := chaos.Seed(1); seed <= 40; seed++ {
		plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: "hostile"})
		if err != nil {
			t.Fatal(err)
		}
		p := explore.Undisputed(plan)
		if err := p.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(p.Faults) == 0 {
			t.Errorf("seed %d: nothing goes wrong any more", seed)
		}
		r, err := drive(p, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Void) > 0 || r.Settled != len(p.Payments) {
			t.Errorf("seed %d: %d of %d payments settled, void %v", seed, r.Settled, len(p.Payments), r.Void)
		}
	}
}
