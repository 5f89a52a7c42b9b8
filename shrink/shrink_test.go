package shrink_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/shrink"
)

func drive(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) {
	w, err := scenarios.NewWorld(p, o)
	if err != nil {
		return nil, err
	}
	return w.Run()
}

func generate(t testing.TB, seed int, profile string) *chaos.Plan {
	t.Helper()
	p, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, p *chaos.Plan, o scenarios.Options) *scenarios.Report {
	t.Helper()
	r, err := drive(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// caught is the first seed's plan that shows a broken receiver by its invariant
// alone.
func caught(t testing.TB, b scenarios.Receiver, profile string) *chaos.Plan {
	t.Helper()
	const within = 1000
	for seed := 1; seed <= within; seed++ {
		p := generate(t, seed, profile)
		o := scenarios.Options{Receiver: &b, StopAtFirst: true, Without: scenarios.AllBut(b.Invariant)}
		if breaks(run(t, p, o), b.Invariant) {
			return p
		}
	}
	t.Fatalf("%s was not caught within %d seeds", b.Name, within)
	return nil
}

func breaks(r *scenarios.Report, invariant string) bool {
	return slices.ContainsFunc(r.Invariants, func(i scenarios.InvariantResult) bool { return i.ID == invariant && !i.Held })
}

func detail(r *scenarios.Report, invariant string) string {
	for _, i := range r.Invariants {
		if i.ID == invariant {
			return i.Detail
		}
	}
	return ""
}

// TestEveryBrokenReceiverShrinks catches each broken receiver, makes the plan
// small, and wants the same violation from it whatever the number of threads.
func TestEveryBrokenReceiverShrinks(t *testing.T) {
	var mu sync.Mutex
	var payments, faults []int
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	reference := scenarios.Reference()
	t.Run("receivers", func(t *testing.T) {
		for _, b := range broken.Receivers() {
			t.Run(b.Name, func(t *testing.T) {
				t.Parallel()
				plan := caught(t, b, chaos.DefaultProfile)
				s := &shrink.Shrinker{Invariant: b.Invariant, Options: scenarios.Options{Receiver: &b}, Reference: &reference, Drive: drive}
				got, err := s.Run(plan)
				if err != nil {
					t.Fatal(err)
				}
				z := got.After
				t.Logf("seed %s: %+v after %d runs, from %+v", plan.Seed, z, got.Runs, got.Before)
				if z.Payments > 3 || z.Faults > 3 || !got.Whole {
					t.Errorf("shrunk to %+v (whole is %t), want at most 3 payments and 3 faults:\n%s", z, got.Whole, got.Plan.Encode())
				}
				mu.Lock()
				payments, faults = append(payments, z.Payments), append(faults, z.Faults)
				mu.Unlock()
				sameUnderThreads(t, b, got.Plan)
			})
		}
	})
	if p, f := median(payments), median(faults); p > 2 || f > 1 {
		t.Errorf("the median is %d payments and %d faults, want at most 2 and 1", p, f)
	}
}

func median(list []int) int {
	slices.Sort(list)
	return list[len(list)/2]
}

// sameUnderThreads takes a plan through its file and runs it on one thread and
// on more.
func sameUnderThreads(t *testing.T, b scenarios.Receiver, plan *chaos.Plan) {
	t.Helper()
	back, err := chaos.ReadPlan(bytes.NewReader(plan.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	want := run(t, plan, scenarios.Options{Receiver: &b})
	for _, threads := range []int{1, 3} {
		runtime.GOMAXPROCS(threads)
		got := run(t, back, scenarios.Options{Receiver: &b})
		if got.Hash != want.Hash || !breaks(got, b.Invariant) || detail(got, b.Invariant) != detail(want, b.Invariant) {
			t.Errorf("with %d threads: %s breaks with %q and hash %s, want %q and %s",
				threads, b.Invariant, detail(got, b.Invariant), got.Hash, detail(want, b.Invariant), want.Hash)
		}
	}
	if r := run(t, back, scenarios.Options{}); r.Verdict != scenarios.Held {
		t.Errorf("the reference does not hold on the shrunk plan: %s", r.FirstBroken())
	}
}

// TestShrinkKeepsToItsInvariant has a receiver that breaks several: what is kept
// breaks the one that was asked for.
func TestShrinkKeepsToItsInvariant(t *testing.T) {
	t.Parallel()
	b, ok := broken.ByName("dedupe-by-delivery")
	if !ok {
		t.Fatal("there is no dedupe-by-delivery")
	}
	plan := generate(t, 2, "mixed")
	whole := run(t, plan, scenarios.Options{Receiver: &b})
	for _, want := range []string{"I1", "I3", "I11"} {
		if !breaks(whole, want) {
			t.Fatalf("%s holds on the plan to shrink", want)
		}
		s := &shrink.Shrinker{Invariant: want, Options: scenarios.Options{Receiver: &b}, Drive: drive}
		got, err := s.Run(plan)
		if err != nil {
			t.Fatal(err)
		}
		if r := run(t, got.Plan, scenarios.Options{Receiver: &b}); !breaks(r, want) {
			t.Errorf("what was kept for %s does not break it:\n%s", want, got.Plan.Encode())
		}
	}
}

func TestShrinkRefusesAPlanThatHolds(t *testing.T) {
	t.Parallel()
	s := &shrink.Shrinker{Invariant: "I1", Drive: drive}
	if _, err := s.Run(generate(t, 1, "calm")); err == nil || !strings.Contains(err.Error(), shrink.ErrHolds.Error()) {
		t.Errorf("error %v, want %v", err, shrink.ErrHolds)
	}
}

// TestShrinkEndsWhenItIsEnough still gives a plan that fails.
func TestShrinkEndsWhenItIsEnough(t *testing.T) {
	t.Parallel()
	b, _ := broken.ByName("statement-ignored")
	asked := 0
	s := &shrink.Shrinker{
		Invariant: b.Invariant, Options: scenarios.Options{Receiver: &b}, Drive: drive,
		Enough: func() bool { asked++; return asked > 3 },
	}
	got, err := s.Run(caught(t, b, "hostile"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Whole || !breaks(run(t, got.Plan, scenarios.Options{Receiver: &b}), b.Invariant) {
		t.Errorf("whole is %t, and the plan breaks %s is %t; want a search that ended early with a plan that fails",
			got.Whole, b.Invariant, breaks(run(t, got.Plan, scenarios.Options{Receiver: &b}), b.Invariant))
	}
}

// TestStoryTellsTheMoney looks for the Pix, its attempts and what it came to.
func TestStoryTellsTheMoney(t *testing.T) {
	t.Parallel()
	b, _ := broken.ByName("check-then-insert")
	s := &shrink.Shrinker{Invariant: "I1", Options: scenarios.Options{Receiver: &b}, Drive: drive}
	got, err := s.Run(caught(t, b, "hostile"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := s.Story(got.Plan)
	if err != nil {
		t.Fatal(err)
	}
	story := strings.Join(lines, "\n")
	for _, want := range []string{
		"Pix " + got.Plan.Payments[0].EndToEndID, "settles at the PSP with R$ ", "attempt 1 of its callback arrives at receiver/",
		" between ", "credited twice", "in the statement", "I1 breaks: ",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("the story lacks %q:\n%s", want, story)
		}
	}
}
