package demo

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
)

// TestScenesInABrowser opens every scene at its end, in both sizes of a stage:
// the left shows wrong money, the right none, the narrator speaks of what happened
// there, and nothing is wider than the window.
func TestScenesInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t)
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	for i, scene := range scenes {
		t.Run(scene.ID, func(t *testing.T) { testScene(t, b, scenes, i+1) })
	}
}

// told is what the narrator has to say of the right receiver in a scene.
func told() map[string]string {
	return map[string]string{
		"double-credit": "Right knew it already.", "refund-first": "Right takes Pix and refund from it.", "never-came": "Right asks GET /pix.",
		"med":    "Right knew it already.",
		"forged": "Right refused it: bad signature.", "time-out": "Right books it once.", "night": "So does right, until it reads the statement.",
	}
}

func testScene(t *testing.T, b context.Context, scenes []Scene, n int) {
	s, server := serve(t, 42)
	if err := s.Talk(scenes); err != nil {
		t.Fatal(err)
	}
	if err := s.Play(n); err != nil {
		t.Fatal(err)
	}
	state, _ := s.State()
	end := state.Scene.To - chaos.Millisecond
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}} {
		page, heard := tab(t, b, size[0], size[1])
		load(t, page, server.URL, fmt.Sprintf("&t=%.3f", float64(end)/float64(chaos.Second)))
		do(t, page, drawn())
		if left, right := text(t, page, "#gap-left"), text(t, page, "#gap-right"); left == "R$0,00" || right != "R$0,00" {
			t.Errorf("at the end the left says %q, the right %q", left, right)
		}
		shot(t, page, fmt.Sprintf("scene-%d-%dx%d", n, size[0], size[1]))
		want, some := told()[scenes[n-1].ID]
		if !some {
			heard.none(t)
			continue
		}
		first := state.Left.Wrongs[0].T + chaos.Millisecond
		load(t, page, server.URL, fmt.Sprintf("&t=%.3f", float64(first)/float64(chaos.Second)))
		do(t, page, drawn())
		if got := text(t, page, "#narrator"); !strings.Contains(got, want) {
			t.Errorf("the narrator says %q, want %q", got, want)
		}
		heard.none(t)
	}
}
