package demo

import (
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/scenarios/film"
)

func open(t *testing.T, seed chaos.Seed) *Session {
	t.Helper()
	s, err := New(chaos.Options{Seed: seed, Profile: "stage"}, broken.Receivers())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func buttons() []Button {
	return []Button{Duplicate, Delay, Reorder, Drop, Forge, Crash, StoreDown, PSPDown, Heal}
}

// samePast compares what two films show up to an instant.
func samePast(t *testing.T, b Button, before, after *film.Film, until chaos.Instant) {
	t.Helper()
	for i, e := range before.Events {
		if e.T >= until {
			return
		}
		if i >= len(after.Events) || after.Events[i] != e {
			t.Errorf("%s at %d: event %d was %v and is another one now", b, until, e.N, e)
			return
		}
	}
}

// TestButtonsLeaveThePastAlone presses every button at several instants: what
// was played stays as it was, event by event, and what comes differs.
func TestButtonsLeaveThePastAlone(t *testing.T) {
	t.Parallel()
	for _, b := range buttons() {
		changed := false
		for _, at := range []chaos.Instant{9 * chaos.Second, 24 * chaos.Second} {
			s := open(t, 42)
			before, _ := s.State()
			if err := s.Press(b, at); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			after, _ := s.State()
			samePast(t, b, before.Left, after.Left, at)
			samePast(t, b, before.Right, after.Right, at)
			changed = changed || before.Right.Hash != after.Right.Hash
			if after.Right.Verdict != "held" || len(after.Right.Wrongs) > 0 {
				t.Errorf("%s: the reference is %s, wrong by %v", b, after.Right.Verdict, after.Right.Wrongs)
			}
		}
		if !changed {
			t.Errorf("%s changed nothing", b)
		}
	}
}

// TestSavedPlanRunsToTheSameHash presses buttons, saves, and runs what was saved.
func TestSavedPlanRunsToTheSameHash(t *testing.T) {
	t.Parallel()
	s := open(t, 7)
	for i, b := range buttons() {
		if err := s.Press(b, chaos.Instant(i+4)*4*chaos.Second); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
	}
	if err := s.Rate(Drop, 5, 44*chaos.Second); err != nil {
		t.Fatal(err)
	}
	state, _ := s.State()
	saved, err := written(s.Plan())
	if err != nil {
		t.Fatal(err)
	}
	naive, _ := broken.ByName(state.Receiver)
	for want, o := range map[string]scenarios.Options{state.Right.Hash: {}, state.Left.Hash: {Receiver: &naive}} {
		world, err := scenarios.NewWorld(saved, o)
		if err != nil {
			t.Fatal(err)
		}
		report, err := world.Run()
		if err != nil {
			t.Fatal(err)
		}
		if report.Hash != want {
			t.Errorf("the saved plan runs to %s, the demo showed %s", report.Hash, want)
		}
	}
}

// TestRateStrikesAsOftenAsItSays counts what a slider adds.
func TestRateStrikesAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	count := func(s *Session, kind string) (n int) {
		for _, d := range s.Plan().Faults {
			if d.Kind == kind {
				n++
			}
		}
		return n
	}
	s := open(t, 3)
	if err := s.Rate(Forge, 0, 0); err != nil {
		t.Fatal(err)
	}
	if n := count(s, "forged"); n != 0 {
		t.Errorf("none in ten left %d", n)
	}
	if err := s.Rate(Forge, 10, 0); err != nil {
		t.Fatal(err)
	}
	if n := count(s, "forged"); n < 15 {
		t.Errorf("ten in ten made %d", n)
	}
	for _, wrong := range []struct {
		b Button
		n int
	}{{Forge, 11}, {Forge, -1}, {Heal, 3}, {"rain", 1}} {
		if err := s.Rate(wrong.b, wrong.n, 0); err == nil {
			t.Errorf("%d in ten of %s was taken", wrong.n, wrong.b)
		}
	}
}
