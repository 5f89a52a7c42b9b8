package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
)

func explored(t *testing.T, code int, args ...string) exploreJSON {
	t.Helper()
	r := pixlab("", append([]string{"explore", "--json"}, args...)...).want(t, code)
	var got exploreJSON
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("%v in\n%s", err, r.out)
	}
	return got
}

// TestExploreShardsAreDisjointAndWhole has two machines visit what one would.
func TestExploreShardsAreDisjointAndWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := map[uint64]int{}
	for _, shard := range []string{"1/2", "2/2"} {
		got := explored(t, exitHeld, "--seeds", "11-30", "--profile", "calm", "--jobs", "2", "--shard", shard)
		if got.Seeds != 10 || len(got.Visited) != 1 || got.Visited[0].Step != "2" || got.Visited[0].Count != 10 {
			t.Errorf("shard %s visited %+v, want 10 seeds, one in 2", shard, got.Visited)
		}
		first, err := chaos.ParseSeed(got.Visited[0].First)
		if err != nil {
			t.Fatal(err)
		}
		last, err := chaos.ParseSeed(got.Visited[0].Last)
		if err != nil {
			t.Fatal(err)
		}
		for s := first; s <= last; s += 2 {
			seen[uint64(s)]++
		}
	}
	for s := uint64(11); s <= 30; s++ {
		if seen[s] != 1 {
			t.Errorf("seed %d was visited %d times, want once", s, seen[s])
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d seeds were visited, want 20", len(seen))
	}
}

// TestExploreTellsAFailure wants story, seed, command and plan in every form,
// and the plan to fail the same way.
func TestExploreTellsAFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"--seeds", "1-3", "--receiver", "dedupe-by-delivery", "--collect", "--junit", "j.xml", "--summary", "s.md"}
	got := explored(t, exitBroke, args...)
	if got.Verdict != "failed" || len(got.Failures) != 3 || len(got.Groups) == 0 {
		t.Fatalf("verdict %s, %d failures in %d groups, want 3 failures", got.Verdict, len(got.Failures), len(got.Groups))
	}
	g := got.Groups[0]
	if !g.Shrunk || g.Invariant != "I1" || !strings.HasPrefix(g.Shape, "1 payment") {
		t.Errorf("group %+v, want one of I1 with a shrunk plan of 1 payment", g)
	}
	words := strings.Fields(g.Repeat)
	pixlab("", words[1:6]...).want(t, exitBroke)
	for _, file := range []string{"j.xml", "s.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, string(text), "Pix E", "credited twice", "seed 1 of mixed", "pixlab run --plan "+g.Plan, g.Plan)
	}
	text := pixlab("", append([]string{"explore"}, args...)...).want(t, exitBroke)
	contains(t, text.out, "credited twice", "plan written to "+g.Plan, "repeat: pixlab run --plan ")
}

// TestExploreStopsAtTheFirst hands out no more seeds after a failure.
func TestExploreStopsAtTheFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	got := explored(t, exitBroke, "--seeds", "1-500", "--receiver", "dedupe-by-delivery", "--jobs", "1", "--shrink-time", "0s")
	if got.Seeds != 1 || len(got.Failures) != 1 || got.Groups[0].Shrunk {
		t.Errorf("%d seeds, %d failures, want 1 and 1, not shrunk: %+v", got.Seeds, len(got.Failures), got.Groups)
	}
}

// TestExploreRunsCommittedPlansFirst keeps a plan that fails and finds it again
// before any seed.
func TestExploreRunsCommittedPlansFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	pixlab("", "shrink", "--seed", "1", "--receiver", "dedupe-by-delivery", "--out", "kept.json").want(t, exitBroke)
	if err := os.Mkdir("plans", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("kept.json", filepath.Join("plans", "kept.json")); err != nil {
		t.Fatal(err)
	}
	got := explored(t, exitBroke, "--plans", "plans", "--receiver", "dedupe-by-delivery", "--seeds", "1-5")
	if got.Seeds != 0 || got.Kept != 1 || len(got.Failures) != 1 || got.Failures[0].Kept != filepath.Join("plans", "kept.json") {
		t.Errorf("%d seeds, %d plans, failures %+v; want the committed plan alone", got.Seeds, got.Kept, got.Failures)
	}
	held := explored(t, exitHeld, "--plans", "plans", "--seeds", "1-5")
	if held.Seeds != 5 || held.Kept != 1 {
		t.Errorf("%d seeds and %d plans, want 5 and 1", held.Seeds, held.Kept)
	}
}

func TestExploreBaseGivesSeedsOfItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	a := explored(t, exitHeld, "--seeds", "1-2", "--base", "8f3a", "--profile", "calm")
	b := explored(t, exitHeld, "--seeds", "1-2", "--base", "8f3a", "--profile", "calm")
	c := explored(t, exitHeld, "--seeds", "1-2", "--base", "8f3b", "--profile", "calm")
	if a.Visited[0].First != b.Visited[0].First || a.Visited[0].First == c.Visited[0].First {
		t.Errorf("first seeds %s, %s, %s; want equal, equal, other", a.Visited[0].First, b.Visited[0].First, c.Visited[0].First)
	}
}

// TestFindingMisuse has every wrong use end in one line that names it.
func TestFindingMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, says string }{
		{"explore --seeds 9-1", `--seeds is "9-1"`},
		{"explore --shard 3/2", `--shard is "3/2"`},
		{"explore --time 0s", "--time is 0s"},
		{"explore --time soon", "--time"},
		{"explore --profile nobody", "nobody"},
		{"explore --receiver nobody", "nobody"},
		{"explore --plans nowhere", "no such folder"},
		{"explore --twice -1", "--twice"},
		{"explore extra", "too many"},
		{"shrink", "no seed and no plan"},
		{"shrink --seed 1 --profile calm", "nothing to shrink"},
		{"shrink --seed 1 --receiver dedupe-by-delivery --invariant I14", "I14 holds"},
		{"shrink --seed 1 --receiver dedupe-by-delivery --keep", "no folder"},
		{"shrink --seed 1 --keep --out x.json", "exclude each other"},
		{"replay", "no seed and no plan"},
		{"replay --seed 1 --profile calm --until 1000000", "the run ends with event"},
		{"replay --seed 1 --until 0", "--until"},
		{"diff one", "two traces"},
		{"diff one two", "one: no such file"},
		{"diff - -", "both traces are -"},
		{"run --seed 1 --inevitable --check-determinism", "--inevitable"},
		{"plan --from nowhere.ndjson", "nowhere.ndjson"},
		{"plan --from - --profile mixed", "exclude each other"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := pixlab("", strings.Fields(c.args)...).want(t, exitUsage)
			if !strings.Contains(r.err, c.says) || strings.Count(r.err, "\n") != 1 || r.out != "" {
				t.Errorf("stderr %q and stdout %q, want one line that says %q", r.err, r.out, c.says)
			}
		})
	}
}

// TestExploreTellsWithoutAPlaceForPlans wants all that a search found told where
// the plans cannot be written.
func TestExploreTellsWithoutAPlaceForPlans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skipf("the folder that one is in cannot be removed here: %v", err)
	}
	args := []string{"--seeds", "1-3", "--receiver", "dedupe-by-delivery", "--shrink-time", "0s"}
	r := pixlab("", append([]string{"explore", "--jobs", "1", "--summary", "s.md"}, args...)...).want(t, exitBroke)
	for _, want := range []string{"the plan is lost: ", "failed: ", "repeat: pixlab explore --seeds 1-1 "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	if !strings.Contains(r.err, "--summary s.md: ") {
		t.Errorf("standard error is %q, want it to name the summary that could not be written", r.err)
	}
	if got := explored(t, exitBroke, args...); len(got.Groups) == 0 || got.Groups[0].Plan != "" {
		t.Errorf("groups %+v, want one at least, without a plan's file", got.Groups)
	}
}
