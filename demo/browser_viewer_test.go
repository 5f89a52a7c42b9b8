package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/scenarios/film"
	"github.com/pixlab/pixlab/web"
)

// filmed writes a viewer's file, as "pixlab run --html" does, and gives its film.
func filmed(t *testing.T, profile, receiver string) (address string, f *film.Film) {
	t.Helper()
	plan, err := chaos.Generate(chaos.Options{Seed: 42, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	r, ok := broken.ByName(receiver)
	if !ok {
		r = scenarios.Reference()
	}
	f, _, err = film.Take(plan, scenarios.Options{Receiver: &r})
	if err != nil {
		t.Fatal(err)
	}
	html, err := web.Viewer(web.Page{Film: f.Slim(), Command: "pixlab run --seed 42 --profile " + profile + " --receiver " + receiver, Title: "run"})
	if err != nil {
		t.Fatal(err)
	}
	if len(html) > 1<<20 {
		t.Errorf("the page of %s on %s has %d bytes, want less than a megabyte", profile, receiver, len(html))
	}
	name := filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(name, html, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + name, f
}

// TestViewerInABrowser opens runs from disk.
func TestViewerInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"scrubbing reaches the violation": testViolation,
		"a run that held says so":         testHeld,
		"it fits a narrow window":         testViewerNarrow,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

func testViolation(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	address, f := filmed(t, "stage", "naive")
	do(t, page, chromedp.Navigate(address+"?lang=en&theme=light"), until(`document.querySelectorAll('#pane .story li').length > 2`))
	opened := text(t, page, "#state .gap.bad ~ dd")
	shot(t, page, "viewer-1280x720")
	do(t, page, chromedp.EmulateViewport(1920, 1080), drawn())
	shot(t, page, "viewer-1920x1080")
	do(t, page, chromedp.EmulateViewport(1280, 720), drawn())
	do(t, page, pressKey("Home"), until(`document.querySelector('#state dd.gap').textContent === 'R$\u00a00,00'`))
	do(t, page, pressKey("v"), until(`document.querySelector('#state dd.gap').classList.contains('bad')`))
	if got := text(t, page, "#state dd.gap"); got != opened || got == "R$\u00a00,00" {
		t.Errorf("at the violation the gap is %q, it was opened at %q", got, opened)
	}
	last := f.Story[len(f.Story)-1]
	if got := text(t, page, "#pane .story li.bad"); !last.Bad || !strings.Contains(got, "breaks") {
		t.Errorf("the story ends with %+v: %q", last, got)
	}
	// A drag along the whole run, from its first instant to its last.
	do(t, page, chromedp.Evaluate(`(() => { const m = document.getElementById('mini'), r = m.getBoundingClientRect(); m.setPointerCapture = () => {};
		for (let i = 0; i <= 20; i++) { m.dispatchEvent(new PointerEvent('pointerdown', { clientX: r.left + r.width * i / 20, clientY: r.top + 5 })); } return 0; })()`, nil),
		until(fmt.Sprintf(`document.getElementById('mini').getAttribute('aria-valuenow') === '%d'`, (f.End+chaos.Millisecond/2)/chaos.Millisecond)))
	one := f.Pix[3].EndToEndID
	do(t, page, chromedp.Evaluate(fmt.Sprintf(`{ const e = document.getElementById('find'); e.value = %q; e.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); } 0`, one), nil),
		until(fmt.Sprintf(`document.querySelector('#life .mono').textContent === %q`, one)))
	heard.none(t)
}

func testHeld(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1920, 1080)
	address, f := filmed(t, "mixed", "reference")
	do(t, page, chromedp.Navigate(address+"?lang=en&theme=dark"), until(`document.querySelector('#verdict.held')`), until(`document.querySelectorAll('#lanes path').length > 3`))
	if got := text(t, page, "#verdict"); !strings.Contains(got, fmt.Sprintf("%d of %d", len(f.Invariants), len(f.Invariants))) {
		t.Errorf("it says %q", got)
	}
	shot(t, page, "viewer-held-1920x1080")
	do(t, page, pressKey("l"), until(`document.documentElement.lang === 'pt-BR'`), pressKey("End"), until(fmt.Sprintf(`document.getElementById('mini').getAttribute('aria-valuenow') === '%d'`, (f.End+chaos.Millisecond/2)/chaos.Millisecond)))
	heard.none(t)
}

func testViewerNarrow(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 400, 800)
	address, _ := filmed(t, "stage", "naive")
	do(t, page, chromedp.Navigate(address+"?lang=pt&theme=light"), until(`document.querySelectorAll('#pane .story li').length > 2`))
	var wide int64
	do(t, page, chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide))
	if wide > 400 {
		t.Errorf("it is %d wide in a window of 400", wide)
	}
	shot(t, page, "viewer-400x800")
	heard.none(t)
}
