package demo

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// chromium is where the browser is. Without one the test is skipped, or fails
// where one is required.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("PIXLAB_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			return found
		}
	}
	if os.Getenv("PIXLAB_REQUIRE_CHROMIUM") != "" {
		t.Fatal("no Chromium; want one on PATH or in PIXLAB_CHROMIUM")
	}
	t.Skip("no Chromium: install Debian's package chromium, or set PIXLAB_CHROMIUM to a browser's path")
	return ""
}

// browser opens a Chromium for one test; its tabs come from [tab].
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(3*time.Minute),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-prefers-reduced-motion", true))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	first, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Run(first); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return first
}

// tab is one page of the browser, and what it complains of. It gives up after
// minutes, so that a page that never comes to what a test waits for is a
// failure and no hang.
func tab(t *testing.T, browser context.Context, width, height int64) (context.Context, *complaints) {
	t.Helper()
	own, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	own, cancel = context.WithTimeout(own, 3*time.Minute)
	t.Cleanup(cancel)
	heard := &complaints{}
	chromedp.ListenTarget(own, heard.listen)
	do(t, own, chromedp.EmulateViewport(width, height))
	return own, heard
}

// do carries out actions, which have to succeed.
func do(t *testing.T, tab context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(tab, actions...); err != nil {
		t.Fatalf("in the browser: %v", err)
	}
}

// until waits for a condition of the page.
func until(condition string) chromedp.Action {
	return chromedp.Poll(condition, nil, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0))
}

// drawn waits until what was done last is on the page, which draws at frames.
func drawn() chromedp.Action {
	return chromedp.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })
}

// text is an element's text, once there is one. It is read in one step: the page
// may put another element in its place at any frame.
func text(t *testing.T, tab context.Context, selector string) (s string) {
	t.Helper()
	found := "document.querySelector(" + strconv.Quote(selector) + ")"
	do(t, tab, until(found), chromedp.Evaluate(found+".textContent", &s))
	return strings.TrimSpace(s)
}

// click clicks on an element, once there is one, in one step as well.
func click(selector string) chromedp.Action {
	return until("(() => { const e = document.querySelector(" + strconv.Quote(selector) + "); if (!e || e.disabled) return false; e.click(); return true; })()")
}

// press sends keys to the page, whatever has the focus.
func pressKey(key string) chromedp.Action {
	return chromedp.Evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', { key: '`+key+`', bubbles: true })); 0`, nil)
}

// complaints are the page's errors: what its console says, what it throws, and
// what the browser refuses it.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) listen(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		c.said = append(c.said, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			c.said = append(c.said, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			for _, a := range e.Args {
				c.said = append(c.said, string(a.Value))
			}
		}
	}
}

// none fails the test if anything was heard, but for what is expected.
func (c *complaints) none(t *testing.T, expected ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
next:
	for _, s := range c.said {
		for _, e := range expected {
			if strings.Contains(s, e) {
				continue next
			}
		}
		t.Errorf("the page complains: %s", s)
	}
}

// serve opens a stage on an address of its own, the naive receiver on the left.
func serve(t *testing.T, seed chaos.Seed) (*Session, *httptest.Server) {
	t.Helper()
	s, err := New(chaos.Options{Seed: seed, Profile: "stage"}, broken.Receivers())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Face("naive"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer((&Server{Session: s, Profiles: chaos.Profiles()}).Handler())
	t.Cleanup(func() {
		// A page that listens for changes never hangs up by itself.
		if err := server.Config.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return s, server
}

// shot keeps a picture where PIXLAB_SHOTS names a folder.
func shot(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("PIXLAB_SHOTS")
	if dir == "" {
		return
	}
	do(t, tab, until(`document.fonts.status === 'loaded'`), chromedp.ActionFunc(func(ctx context.Context) error {
		png, err := page.CaptureScreenshot().Do(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}))
}

const ready = `document.body.dataset.ready === 'yes'`

// open loads the demo at an instant, in English.
func load(t *testing.T, tab context.Context, address, query string) {
	t.Helper()
	do(t, tab, chromedp.Navigate(address+"/?lang=en&theme=light"+query), until(ready))
}
