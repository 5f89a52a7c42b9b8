package demo

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
)

// noise is what a process says on standard error.
type noise struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write keeps p.
func (n *noise) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

// String is all of it.
func (n *noise) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// liveDemo starts "pixlab demo --live" as a person would, and gives its address
// and a way to end it by Ctrl-C. Everything that it started has to be gone then.
func liveDemo(t *testing.T) (address string, end func()) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/pixlab").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	scratch, err := os.MkdirTemp("", "px-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(scratch, 0o755); err != nil { // the server runs as another user where we are root
		t.Fatal(err)
	}
	said := &noise{}
	cmd := exec.CommandContext(t.Context(), binary, "demo", "--live", "--no-open", "--rate", "40", "--copies", "50%")
	cmd.Env, cmd.Stderr = append(os.Environ(), "TMPDIR="+scratch), said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end = func() {
		once.Do(func() {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the demo ended with %v: %s", err, said)
			}
			left, err := os.ReadDir(scratch)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if err := os.RemoveAll(scratch); err != nil {
				t.Error(err)
			}
		})
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(line), "pixlab demo: open ")
	if err != nil || !found {
		_ = cmd.Wait() // it has ended, or is about to
		if strings.Contains(said.String(), pgcluster.ErrNotFound.Error()) && os.Getenv(pgtest.EnvRequire) == "" {
			t.Skip(said.String())
		}
		t.Fatalf("it says %q, %v: %s", line, err, said)
	}
	t.Cleanup(end)
	return address, end
}

// has waits for the page's note of something, and said for a sentence.
func has(note, condition string) chromedp.Action {
	return until("(document.body.dataset." + note + " || '')" + condition)
}

func said(word string) chromedp.Action { return has("said", ".split(' ').includes('live."+word+"')") }

// TestLiveInABrowser kills a receiver, cuts the database's connections and stops
// the database under load, and looks at what the page says. In the end every
// Pix is in the ledger, once.
func TestLiveInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t)
	address, end := liveDemo(t)
	page, heard := tab(t, b, 1280, 720)
	do(t, page, chromedp.Navigate(address+"?lang=en&theme=light"), has("credited", " > 60"))
	credited := text(t, page, "#credits")
	do(t, page, until(`document.getElementById('credits').textContent !== '`+credited+`'`))
	do(t, page, pressKey("1"), said("killed"), has("up", " === 'down up'"), said("back"), has("lives", " === '2 1'"), has("up", " === 'up up'"))
	do(t, page, pressKey("3"), said("cut"), pressKey("4"), said("stopped"), until(`document.querySelectorAll('.process.down').length > 0`))
	do(t, page, pressKey("h"), said("started"))
	was := text(t, page, "#credits")
	do(t, page, until(`document.getElementById('credits').textContent !== '`+was+`'`))
	shotLive(t, page)
	testLiveTalks(t, page)
	do(t, page, pressKey(" "), said("off"), said("rest"), has("way", " === '0'"))
	for selector, want := range map[string]string{"#gap": "R$0,00", "#say-right": "ledger and statement agree", "#event": "live: decisions are the seed’s, timings this machine’s"} {
		if got := text(t, page, selector); got != want {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	var lamps []string
	do(t, page, chromedp.Evaluate(`[...document.querySelectorAll('#laws .lamp')].map((e) => e.getAttribute('class'))`, &lamps))
	if got := strings.Join(lamps, ","); got != "lamp held,lamp held,lamp held,lamp held" {
		t.Errorf("the lamps are %s", got)
	}
	if body := text(t, page, "body"); strings.Contains(body, "sha256") {
		t.Error("a live page shows a hash")
	}
	heard.none(t)
	end()
	do(t, page, has("connected", " === 'no'"))
}

// testLiveTalks goes through both languages and a narrow window.
func testLiveTalks(t *testing.T, page context.Context) {
	t.Helper()
	do(t, page, click(`[data-lang="pt"]`), until(`document.documentElement.lang === 'pt-BR'`))
	var keys []string
	do(t, page, chromedp.Evaluate(`document.body.innerText.match(/\b(live|say|inv|button|key)\.\w+/g) || []`, &keys))
	if body := text(t, page, "body"); len(keys) > 0 || !strings.Contains(body, "Extrato do banco") || !strings.Contains(body, "os tempos desta máquina") {
		t.Errorf("in Portuguese it shows the keys %v: %q", keys, body)
	}
	shot(t, page, "live-pt-1280x720")
	var wide int64
	do(t, page, click(`[data-lang="en"]`), chromedp.EmulateViewport(400, 800), chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide))
	if wide > 400 {
		t.Errorf("it is %d wide in a window of 400", wide)
	}
	shot(t, page, "live-400x800")
	do(t, page, chromedp.EmulateViewport(1280, 720))
}

func shotLive(t *testing.T, page context.Context) {
	t.Helper()
	shot(t, page, "live-1280x720")
	do(t, page, chromedp.EmulateViewport(1920, 1080))
	shot(t, page, "live-1920x1080")
	do(t, page, pressKey("t"), until(`document.documentElement.dataset.theme === 'dark'`))
	shot(t, page, "live-dark-1920x1080")
	do(t, page, pressKey("t"), chromedp.EmulateViewport(1280, 720))
}

// TestLivePageShowsWrongMoney shows the page what no receiver of ours does: a
// credit too many, money that nobody paid, an acknowledged Pix that is not kept.
func TestLivePageShowsWrongMoney(t *testing.T) {
	t.Parallel()
	b := browser(t)
	board, server, _ := liveServer(t)
	page, heard := tab(t, b, 1280, 720)
	board.Add(busy(2000, 100))
	do(t, page, chromedp.Navigate(server.URL+"/?lang=en&theme=light"), has("n", " === '1'"), until(`document.querySelectorAll('#laws .held').length === 4`))
	wrong := busy(2000, 101)
	wrong.Entries, wrong.TwiceCents, wrong.InventedCents, wrong.Unkept = wrong.Entries+1, 12_345, 999_999, 3
	board.Say(Happening{Word: "live.differs", Value: "1012344", Bad: true})
	board.Add(wrong)
	do(t, page, has("n", " === '2'"), until(`document.querySelectorAll('.side.wrong').length === 2`), until(`document.querySelectorAll('#laws .broken').length === 3`))
	for selector, want := range map[string]string{"#gap": "+R$10.123,44", "#say-right": "too much in the ledger", "#say-left": "of only 202,000 distinct Pix"} {
		if got := text(t, page, selector); got != want {
			t.Errorf("%s says %q, want %q", selector, got, want)
		}
	}
	shot(t, page, "live-wrong-1280x720")
	heard.none(t)
}
