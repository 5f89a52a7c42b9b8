package demo

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestPictures takes the pictures of the README into the folder that
// PIXLAB_PICTURES names.
func TestPictures(t *testing.T) {
	dir := os.Getenv("PIXLAB_PICTURES")
	if dir == "" {
		t.Skip("set PIXLAB_PICTURES to a folder to take the pictures of the README")
	}
	t.Setenv("PIXLAB_SHOTS", dir)
	b := browser(t)
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	load(t, page, server.URL, "&t=24")
	shot(t, page, "demo")
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Talk(scenes); err != nil {
		t.Fatal(err)
	}
	if err := s.Play(4); err != nil {
		t.Fatal(err)
	}
	load(t, page, server.URL, "&t=11")
	shot(t, page, "talk")
	address, _ := filmed(t, "stage", "naive")
	do(t, page, chromedp.Navigate(address+"?lang=en&theme=light"), until(`document.querySelectorAll('#pane .story li').length > 2`))
	shot(t, page, "viewer")
	heard.none(t)
}

// TestDemoSoak plays on, seed after seed with every fault at three in ten, for
// as many minutes as PIXLAB_DEMO_MINUTES says. It fails if the page's heap goes
// past 300 MB, if the reference is ever wrong, or if the page complains.
func TestDemoSoak(t *testing.T) {
	minutes, err := strconv.ParseFloat(os.Getenv("PIXLAB_DEMO_MINUTES"), 64)
	if err != nil {
		t.Skip("set PIXLAB_DEMO_MINUTES to play the demo for as long")
	}
	b := browser(t)
	page, cancel := chromedp.NewContext(b)
	defer cancel()
	heard := &complaints{}
	chromedp.ListenTarget(page, heard.listen)
	s, server := serve(t, 42)
	s.GoOn()
	for _, b := range []Button{Duplicate, Delay, Reorder, Drop, Forge} {
		if err := s.Rate(b, 3, 0); err != nil {
			t.Fatal(err)
		}
	}
	load(t, page, server.URL, "&play=1")
	do(t, page, chromedp.Evaluate(`document.querySelectorAll('[data-rate]').forEach((e) => { e.value = 3; e.dispatchEvent(new Event('change', { bubbles: true })); }); 0`, nil))
	outages := []string{"6", "7", "8"}
	for step := 0; step < int(minutes*6); step++ {
		do(t, page, chromedp.Sleep(10*time.Second), pressKey(outages[step%len(outages)]))
		if step%6 == 5 {
			measure(t, page, s, step/6+1)
		}
	}
	heard.none(t)
}

// measure collects the page's garbage and looks at what is left.
func measure(t *testing.T, page context.Context, s *Session, minute int) {
	t.Helper()
	var used float64
	do(t, page, heapprofiler.CollectGarbage(), chromedp.ActionFunc(func(ctx context.Context) error {
		var err error
		used, _, _, _, err = runtime.GetHeapUsage().Do(ctx)
		return err
	}))
	state, _ := s.State()
	seed := text(t, page, "#clock")
	t.Logf("minute %d: %.1f MB of heap, seed %s, %s", minute, used/1e6, state.Seed, strings.TrimSpace(seed))
	if used > 300e6 {
		t.Errorf("after %d minutes the page holds %.0f MB", minute, used/1e6)
	}
	if state.Right.Verdict != "held" || len(state.Right.Wrongs) > 0 {
		t.Errorf("seed %s: the reference is %s, wrong by %v", state.Seed, state.Right.Verdict, state.Right.Wrongs)
	}
}
