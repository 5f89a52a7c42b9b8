package demo

import (
	"slices"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/scenarios/film"
)

// lit says whether a lamp on the left shows an invariant as broken by the end
// of a scene.
func lit(f *film.Film, id string, until chaos.Instant) bool {
	for _, w := range f.Wrongs {
		if w.Invariant == id && w.T <= until {
			return true
		}
	}
	return slices.ContainsFunc(f.Invariants, func(i film.Invariant) bool { return i.ID == id && !i.Held })
}

// shown is the gap at the end of a scene, in cents.
func shown(f *film.Film, until chaos.Instant) (cents int64) {
	for _, w := range f.Wrongs {
		if w.T <= until {
			cents += w.Cents
		}
	}
	return cents
}

// TestScenesShowWhatTheySay plays the talk: in every scene the reference holds
// with not a cent wrong, the receiver on the left breaks what the scene says, by
// money that is still wrong at the end,
// and both texts fit their line.
func TestScenesShowWhatTheySay(t *testing.T) {
	t.Parallel()
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(chaos.Options{Seed: 42, Profile: "stage"}, broken.Receivers())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Talk(scenes); err != nil {
		t.Fatal(err)
	}
	if len(scenes) != 8 {
		t.Errorf("%d scenes, want 8", len(scenes))
	}
	for i, scene := range scenes {
		t.Run(scene.ID, func(t *testing.T) {
			if err := s.Play(i + 1); err != nil {
				t.Fatal(err)
			}
			state, _ := s.State()
			if state.Right.Verdict != "held" || len(state.Right.Wrongs) > 0 {
				t.Errorf("the reference is %s, wrong by %v", state.Right.Verdict, state.Right.Wrongs)
			}
			if state.Left.Receiver != scene.Receiver || !lit(state.Left, scene.Breaks, state.Scene.To) {
				t.Errorf("%s does not break %s: wrong by %v, %v", state.Left.Receiver, scene.Breaks, state.Left.Wrongs, state.Left.Invariants)
			}
			if shown(state.Left, state.Scene.To) == 0 {
				t.Errorf("no wrong money is left at the end of the play: %v", state.Left.Wrongs)
			}
			if scene.Again != "" && state.Scene.First != state.Left.Hash {
				t.Errorf("the second run has %s, the first had %q", state.Left.Hash, state.Scene.First)
			}
			if state.Scene.From >= state.Scene.To || state.Scene.From < 0 {
				t.Errorf("it plays from %d to %d", state.Scene.From, state.Scene.To)
			}
			for _, text := range []string{scene.Line.English, scene.Line.Portuguese} {
				if n := len([]rune(text)); n == 0 || n > 80 {
					t.Errorf("%q has %d characters, want 1 to 80", text, n)
				}
			}
		})
	}
	for _, n := range []int{0, len(scenes) + 1} {
		if err := s.Play(n); err == nil {
			t.Errorf("scene %d was played", n)
		}
	}
}
