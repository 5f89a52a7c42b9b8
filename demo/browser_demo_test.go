package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// TestDemoInABrowser drives the demo's page as a person would.
func TestDemoInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"it plays":                               testPlays,
		"naive goes wrong, hardened does not":    testGoesWrong,
		"a crash heals":                          testCrashHeals,
		"what is saved gives the same hash":      testSaved,
		"a reload goes on where it was":          testReload,
		"a lost connection comes back":           testLostConnection,
		"both languages say everything":          testLanguages,
		"narrow windows and 200 % zoom fit":      testNarrow,
		"what is put aside is listed":            testAside,
		"endless goes on with the next seed":     testEndless,
		"the talk goes from scene to scene":      testTalk,
		"an order from elsewhere is turned away": testForeign,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

func testPlays(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	_, server := serve(t, 42)
	load(t, page, server.URL, "")
	if rows := text(t, page, "#rows"); !strings.Contains(rows, "Press space") {
		t.Errorf("before the start it says %q", rows)
	}
	do(t, page, pressKey("s"), pressKey("s"), pressKey(" "), until(`document.querySelectorAll('#rows .row').length >= 2`), pressKey(" "))
	clock := text(t, page, "#clock")
	do(t, page, pressKey("ArrowRight"), until(fmt.Sprintf(`document.getElementById('clock').textContent >= %q`, clock)))
	do(t, page, until(`document.querySelectorAll('#laws .lamp').length === 8`), click("#wrong-lines"), until(`(document.querySelector('#lines[open] pre') || document.body).textContent.includes('appendDelivery')`))
	heard.none(t)
}

func testGoesWrong(t *testing.T, b context.Context) {
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}} {
		page, heard := tab(t, b, size[0], size[1])
		_, server := serve(t, 42)
		load(t, page, server.URL, "&t=24")
		do(t, page, until(`document.getElementById('left').classList.contains('wrong')`))
		left, right := text(t, page, "#gap-left"), text(t, page, "#gap-right")
		if !strings.HasPrefix(left, "+R$") || right != "R$0,00" {
			t.Errorf("left %q, right %q", left, right)
		}
		var lamps []string
		do(t, page, chromedp.Evaluate(`[...document.querySelectorAll('#laws .r .lamp')].map((e) => e.getAttribute('class'))`, &lamps))
		if got := strings.Join(lamps, ","); strings.Contains(got, "broken") || !strings.Contains(got, "held") {
			t.Errorf("lamps on the right: %s", got)
		}
		if law := text(t, page, "#laws .law .l"); !strings.HasPrefix(law, "+") {
			t.Errorf("the first lamp on the left says %q", law)
		}
		shot(t, page, fmt.Sprintf("demo-%dx%d", size[0], size[1]))
		heard.none(t)
	}
}

func testCrashHeals(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 3)
	load(t, page, server.URL, "&t=12")
	before, _ := s.State()
	do(t, page, pressKey("6"), until(`document.getElementById('toast').textContent.includes('Crash A')`))
	crashed, _ := s.State()
	if len(crashed.Right.Outages) <= len(before.Right.Outages) {
		t.Fatalf("nothing is down: %v", crashed.Right.Outages)
	}
	do(t, page, pressKey("h"), until(`document.getElementById('toast').textContent.includes('Heal')`), chromedp.Evaluate(`dispatchEvent(new Event('resize'))`, nil))
	healed, _ := s.State()
	if healed.Right.Verdict != "held" || len(healed.Right.Wrongs) > 0 || healed.Added != 2 {
		t.Errorf("after healing the reference is %s, wrong by %v; %d orders", healed.Right.Verdict, healed.Right.Wrongs, healed.Added)
	}
	// At the end nothing is left to break: the page says so, and complains of nothing.
	for key, says := range map[string]string{"6": "nothing reaches instance 1", "1": "no callback is left"} {
		do(t, page, pressKey("End"), pressKey(key), until(fmt.Sprintf(`document.getElementById('toast').textContent.includes(%q)`, says)))
	}
	heard.none(t)
}

// testSaved presses buttons, downloads the plan as the page offers it, and runs
// it: the hash is the one of the right column.
func testSaved(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	dir := t.TempDir()
	load(t, page, server.URL, "&t=9")
	do(t, page, pressKey("5"), until(`document.getElementById('toast').textContent.includes('Forge')`), pressKey("1"), until(`document.getElementById('toast').textContent.includes('Duplicate')`))
	done := make(chan string, 1)
	chromedp.ListenTarget(page, func(event any) {
		if e, ok := event.(*cdp.EventDownloadProgress); ok && e.State == cdp.DownloadProgressStateCompleted {
			done <- e.GUID
		}
	})
	do(t, page, cdp.SetDownloadBehavior(cdp.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(dir).WithEventsEnabled(true), click("#save"))
	var raw []byte
	select {
	case id := <-done:
		var err error
		if raw, err = os.ReadFile(filepath.Join(dir, id)); err != nil {
			t.Fatal(err)
		}
	case <-page.Done():
		t.Fatal("no plan was downloaded")
	}
	plan, err := chaos.ReadPlan(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	world, err := scenarios.NewWorld(plan, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := world.Run()
	if err != nil {
		t.Fatal(err)
	}
	if state, _ := s.State(); report.Hash != state.Right.Hash || state.Added != 2 {
		t.Errorf("the saved plan gives %s, the page shows %s after %d orders", report.Hash, state.Right.Hash, state.Added)
	}
	heard.none(t)
}

func testReload(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	_, server := serve(t, 42)
	load(t, page, server.URL, "")
	for range 40 {
		do(t, page, pressKey("ArrowRight"))
	}
	do(t, page, drawn())
	clock, event := text(t, page, "#clock"), text(t, page, "#event")
	do(t, page, chromedp.Reload(), until(ready), drawn())
	if got, at := text(t, page, "#clock"), text(t, page, "#event"); got != clock || at != event {
		t.Errorf("after the reload %s, %s; before %s, %s", got, at, clock, event)
	}
	heard.none(t)
}

// testLostConnection cuts every connection: the page says so, and goes on by
// itself.
func testLostConnection(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	load(t, page, server.URL, "&t=9")
	do(t, page, until(`document.body.dataset.connected === 'yes'`))
	server.CloseClientConnections()
	do(t, page, until(`Number(document.body.dataset.losses) >= 1 && document.body.dataset.connected === 'yes'`))
	if err := s.Press(Drop, 9*chaos.Second); err != nil {
		t.Fatal(err)
	}
	state, _ := s.State()
	do(t, page, until(fmt.Sprintf(`document.body.dataset.version === '%d'`, state.Version)))
	heard.none(t, "/api/changes", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}

func testLanguages(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	_, server := serve(t, 42)
	load(t, page, server.URL, "&t=24")
	var odd []string
	do(t, page, chromedp.Evaluate(`Object.entries(Words).filter(([, w]) => w.length !== 2 || !w[0] || !w[1] || w[0].split('#').length !== w[1].split('#').length).map(([k]) => k)`, &odd))
	if len(odd) > 0 {
		t.Errorf("words that are not whole in both languages: %v", odd)
	}
	do(t, page, click(`[data-lang="pt"]`), until(`document.documentElement.lang === 'pt-BR'`))
	var keys []string
	do(t, page, chromedp.Evaluate(`document.body.innerText.match(/\b(out|say|inv|fate|button|key|life)\.\w+/g) || []`, &keys))
	if body := text(t, page, "body"); !strings.Contains(body, "Extrato do banco") || !strings.Contains(body, "creditado") || len(keys) > 0 {
		t.Errorf("in Portuguese it shows the keys %v; %q", keys, body)
	}
	do(t, page, click(`[data-lang="en"]`), until(`document.documentElement.lang === 'en'`))
	if body := text(t, page, "body"); strings.Contains(body, "Extrato do banco") {
		t.Error("back in English, it speaks Portuguese")
	}
	heard.none(t)
}

func testNarrow(t *testing.T, b context.Context) {
	for _, size := range [][2]int64{{400, 800}, {640, 360}} {
		page, heard := tab(t, b, size[0], size[1])
		_, server := serve(t, 42)
		load(t, page, server.URL, "&t=24")
		var wide int64
		do(t, page, until(`document.querySelectorAll('#rows .row').length > 3`), chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide))
		if wide > size[0] {
			t.Errorf("at %d by %d it is %d wide", size[0], size[1], wide)
		}
		shot(t, page, fmt.Sprintf("demo-%dx%d", size[0], size[1]))
		heard.none(t)
	}
}

// testAside plays the scene whose night opens a case.
func testAside(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Talk(scenes); err != nil {
		t.Fatal(err)
	}
	if err := s.Play(7); err != nil {
		t.Fatal(err)
	}
	load(t, page, server.URL, "&t=21602")
	do(t, page, until(`document.getElementById('aside').textContent.includes('1')`), pressKey("q"), until(`document.querySelector('#put-aside[open]')`))
	if got := text(t, page, "#put-aside"); !strings.Contains(got, "275,00") {
		t.Errorf("the case of the phantom is not listed: %q", got)
	}
	shot(t, page, "aside-1280x720")
	// The operator closes it: an act of the plan, which holds and is saved with it.
	do(t, page, click(`#put-aside [data-operate*="close"]`), until(`document.querySelector('#put-aside .said').textContent.includes('added to the plan')`),
		until(`!document.querySelector('#put-aside [data-operate]')`), until(`document.getElementById('aside').textContent.includes('0')`))
	state, _ := s.State()
	if plan := s.Plan(); len(plan.Operator) != 1 || plan.Operator[0].Do != chaos.OperatorClose || len(state.Right.Acts) != 1 || !state.Right.Acts[0].Done {
		t.Errorf("the plan has %+v, which came to %+v", plan.Operator, state.Right.Acts)
	}
	if state.Right.Verdict != "held" || len(state.Right.Wrongs) > 0 {
		t.Errorf("after it the reference is %s, wrong by %v", state.Right.Verdict, state.Right.Wrongs)
	}
	heard.none(t)
}

func testEndless(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	s.GoOn()
	if err := s.Face("naive"); err != nil {
		t.Fatal(err)
	}
	end, _ := s.State()
	load(t, page, server.URL, fmt.Sprintf("&play=1&t=%d", max(end.Left.End, end.Right.End)/chaos.Second-1))
	do(t, page, until(`document.getElementById('seed').value === '43'`), until(`document.querySelectorAll('#rows .row').length > 0`))
	heard.none(t)
}

func testTalk(t *testing.T, b context.Context) {
	page, heard := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Talk(scenes); err != nil {
		t.Fatal(err)
	}
	load(t, page, server.URL, "")
	for n := 2; n <= len(scenes); n++ {
		do(t, page, pressKey("PageDown"), until(fmt.Sprintf(`document.getElementById('scene-number').textContent === '%d/%d'`, n, len(scenes))))
	}
	do(t, page, pressKey("End"), until(`document.getElementById('narrator').textContent.includes('The same.')`))
	shot(t, page, "talk-8-1280x720")
	do(t, page, pressKey("PageUp"), until(`document.getElementById('scene-number').textContent.startsWith('7/')`))
	state, _ := s.State()
	do(t, page, pressKey("r"), until(fmt.Sprintf(`Number(document.body.dataset.version) > %d`, state.Version)))
	heard.none(t)
}

func testForeign(t *testing.T, b context.Context) {
	page, _ := tab(t, b, 1280, 720)
	s, server := serve(t, 42)
	_, stranger := serve(t, 1)
	load(t, page, stranger.URL, "")
	was, _ := s.State()
	do(t, page, chromedp.Evaluate(fmt.Sprintf(`fetch('%s/api/press', { method: 'POST', mode: 'no-cors', body: '{"button":"drop","at":1}' }).then(() => {}, () => {}).then(() => { document.body.dataset.asked = 'yes'; }); 0`, server.URL), nil), until(`document.body.dataset.asked === 'yes'`))
	if now, _ := s.State(); now.Version != was.Version {
		t.Error("an order from another page was carried out")
	}
}
