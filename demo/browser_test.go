package demo

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// browser opens a Chromium of this test's own; without one the test is skipped,
// or fails where one is required.
func browser(t *testing.T, width, height int) (context.Context, *complaints) {
	t.Helper()
	path := ""
	for _, name := range []string{os.Getenv("PIXLAB_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("PIXLAB_REQUIRE_CHROMIUM") != "" {
			t.Fatal("no Chromium; want one on PATH or in PIXLAB_CHROMIUM")
		}
		t.Skip("no Chromium: install Debian's package chromium, or set PIXLAB_CHROMIUM to a browser's path")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(width, height),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-prefers-reduced-motion", true))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	tab, cancel = context.WithTimeout(tab, time.Minute)
	t.Cleanup(cancel)
	heard := &complaints{}
	chromedp.ListenTarget(tab, heard.listen)
	return tab, heard
}

// complaints are the page's errors: what its console says, and what it throws.
type complaints struct {
	mu   sync.Mutex
	said []string
}

func (c *complaints) listen(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		c.said = append(c.said, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			for _, a := range e.Args {
				c.said = append(c.said, string(a.Value))
			}
		}
	}
}

func (c *complaints) none(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.said) > 0 {
		t.Errorf("the page complains: %s", strings.Join(c.said, "; "))
	}
}

// serve opens a stage on an address of its own.
func serve(t *testing.T, seed chaos.Seed) (*Session, *httptest.Server) {
	t.Helper()
	s, err := New(chaos.Options{Seed: seed, Profile: "stage"}, broken.Receivers())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer((&Server{Session: s, Profiles: chaos.Profiles()}).Handler())
	t.Cleanup(server.Close)
	return s, server
}

// shot keeps a picture where PIXLAB_SHOTS names a folder.
func shot(t *testing.T, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("PIXLAB_SHOTS")
	if dir == "" {
		return
	}
	var png []byte
	err := chromedp.Run(tab, chromedp.ActionFunc(func(ctx context.Context) error {
		var err error
		png, err = page.CaptureScreenshot().Do(ctx)
		return err
	}))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const ready = `document.body.dataset.ready === 'yes'`

func TestNaiveGoesWrongAndHardenedDoesNot(t *testing.T) {
	t.Parallel()
	tab, heard := browser(t, 1280, 720)
	_, server := serve(t, 42)
	var left, right, wrong string
	err := chromedp.Run(tab,
		chromedp.EmulateViewport(1280, 720),
		chromedp.Navigate(server.URL+"/?lang=en&theme=light&t=24"),
		chromedp.Poll(ready, nil),
		chromedp.Sleep(300*time.Millisecond),
		chromedp.TextContent("#gap-left", &left), chromedp.TextContent("#gap-right", &right),
		chromedp.AttributeValue("#left", "class", &wrong, nil),
	)
	shot(t, tab, "demo-1280x720")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(wrong, "wrong") || left == "R$0,00" || right != "R$0,00" {
		t.Errorf("left %q (%s), right %q", left, wrong, right)
	}
	heard.none(t)
}
