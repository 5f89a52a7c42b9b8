package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// processEnv has the test binary be "pixlab receiver", so that a test can kill
// one: its value are the arguments, as JSON.
const processEnv = "RECEIVER_PROCESS"

// TestReceiverProcess is no test: it is the process that others start.
func TestReceiverProcess(t *testing.T) {
	text := os.Getenv(processEnv)
	if text == "" {
		t.Skip("is started by other tests, as a process of its own")
	}
	var args []string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatal(err)
	}
	os.Exit(run(args, strings.NewReader(""), io.Discard, os.Stderr))
}

// The consumers of the tests, and what they show.
const (
	shopToken  = "the-shop-and-no-other"
	kioskToken = "the-kiosk-and-no-other"
)

// heldPSP is a PSP that holds answers back for as long as a test wants.
type heldPSP struct {
	psp  *fakepsp.PSP
	url  string
	mu   sync.Mutex
	puts map[string]int // of charges, by txid
	// gate, where set, is met by each PUT of a charge.
	gate *gate
}

// gate holds calls: each says that it has come and waits to be let go. Where
// before is set it waits before the PSP acts, and never acts once it is dead.
type gate struct {
	before bool
	came   chan struct{}
	open   chan struct{}
	dead   chan struct{}
}

func newGate(before bool) *gate {
	return &gate{before: before, came: make(chan struct{}, 1000), open: make(chan struct{}), dead: make(chan struct{})}
}

// pass waits; false means that the call is not to be carried out.
func (g *gate) pass() bool {
	g.came <- struct{}{}
	select {
	case <-g.open:
		return true
	case <-g.dead:
		return false
	}
}

func newHeldPSP(t testing.TB) *heldPSP {
	t.Helper()
	table, _ := chaos.RetryTableNamed("generic")
	psp, err := fakepsp.New(fakepsp.Config{
		PixKeys: []pix.PixKey{"loja@example.com"}, Now: time.Now, Start: time.Now(), Retry: table,
		Secret: pix.Secret{ID: "a", Key: []byte(testKeyA)},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &heldPSP{psp: psp, puts: map[string]int{}}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

// hold has PUTs of charges meet a gate from now on; nil lets them pass.
func (h *heldPSP) hold(g *gate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gate = g
}

// made is how many charges the PSP was asked for, and has.
func (h *heldPSP) made() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for txid := range h.puts {
		if _, ok := h.psp.Charge(pix.TxID(txid)); ok {
			n++
		}
	}
	return n
}

// asked is how many PUTs of charges there were.
func (h *heldPSP) asked() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, puts := range h.puts {
		n += puts
	}
	return n
}

// ServeHTTP is the PSP's API.
func (h *heldPSP) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	txid, ok := strings.CutPrefix(req.URL.Path, "/v2/cob/")
	if !ok || req.Method != http.MethodPut {
		h.psp.ServeHTTP(w, req)
		return
	}
	h.mu.Lock()
	h.puts[txid]++
	g := h.gate
	h.mu.Unlock()
	rec := httptest.NewRecorder()
	if g != nil && g.before && !g.pass() {
		return
	}
	h.psp.ServeHTTP(rec, req)
	if g != nil && !g.before && !g.pass() {
		return
	}
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// apiLab is two receiver processes on one PostgreSQL, and a PSP.
type apiLab struct {
	t        testing.TB
	psp      *heldPSP
	database string
	procs    [2]*receiverProcess
}

// receiverProcess is one receiver.
type receiverProcess struct {
	cmd *exec.Cmd
	url string
}

func newAPILab(t testing.TB) *apiLab {
	t.Helper()
	cluster := pgtest.Start(t, pgcluster.Options{Fast: true})
	if err := cluster.CreateDatabase(t.Context(), "pix"); err != nil {
		t.Fatal(err)
	}
	l := &apiLab{t: t, psp: newHeldPSP(t), database: cluster.SocketURL("pix")}
	for i := range l.procs {
		l.procs[i] = l.start()
	}
	return l
}

// start starts a process. Nothing that the tests see hangs on its times: calls
// may take as long as a slow machine likes, and no window ends by itself.
func (l *apiLab) start() *receiverProcess {
	l.t.Helper()
	file := filepath.Join(l.t.TempDir(), "addresses.json")
	args, err := json.Marshal([]string{
		"receiver", "--store", "postgres", "--addr-file", file, "--listen", "127.0.0.1:0", "--admin-listen", "off",
		"--psp-url", l.psp.url, "--callback-url", "http://127.0.0.1:1", "--pix-keys", "loja@example.com",
		"--call-timeout", "60s", "--lease", "120s", "--key-window", "6m", "--max-conns", "1000",
	})
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestReceiverProcess$")
	cmd.Env = append(os.Environ(),
		processEnv+"="+string(args), "PIXLAB_DATABASE_URL="+l.database,
		"PIXLAB_CALLBACK_SECRET="+encodedSecret("a", testKeyA),
		"PIXLAB_API_TOKENS=shop:"+shopToken+",kiosk:"+kioskToken)
	said := &watched{lines: make(chan struct{}, 1)}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	p := &receiverProcess{cmd: cmd}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	l.t.Cleanup(func() { p.kill(); <-ended })
	deadline := time.After(time.Minute)
	for !strings.Contains(said.String(), `"listening"`) {
		select {
		case <-said.lines:
		case <-ended:
			l.t.Fatalf("the receiver ended: %s", said)
		case <-deadline:
			l.t.Fatalf("it does not listen: %s", said)
		}
	}
	var at receiverAddresses
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	p.url = at.Public
	return p
}

// kill is SIGKILL.
func (p *receiverProcess) kill() { _ = p.cmd.Process.Kill() }

// got is an answer.
type got struct {
	status      int
	contentType string
	body        string
	retryAfter  string
	took        time.Duration
	err         error
}

// ask posts a body under a key, as a consumer, to one of the processes.
func (l *apiLab) ask(to int, token, route, key, body string) got {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.procs[to].url+route, bytes.NewReader([]byte(body)))
	if err != nil {
		return got{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if key != "" {
		req.Header.Set(receiver.IdempotencyHeader, key)
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return got{err: err, took: time.Since(began)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return got{
		resp.StatusCode, resp.Header.Get("Content-Type"), string(raw), resp.Header.Get("Retry-After"), time.Since(began), err,
	}
}

// want wants a status.
func (g got) want(t testing.TB, what string, status int) got {
	t.Helper()
	if g.err != nil || g.status != status {
		t.Fatalf("%s: got %d %s %v, want %d", what, g.status, g.body, g.err, status)
	}
	return g
}

// same wants an answer to agree with another in every byte.
func (g got) same(t testing.TB, what string, other got) {
	t.Helper()
	if g.err != nil || g.status != other.status || g.contentType != other.contentType || g.body != other.body {
		t.Fatalf("%s: got %d %s %s %v, want %d %s %s", what, g.status, g.contentType, g.body, g.err, other.status, other.contentType, other.body)
	}
}

// exec changes rows behind the receivers' backs.
func (l *apiLab) exec(sql string) {
	l.t.Helper()
	pgtest.Exec(l.t, l.database, sql)
}

// charge is the body of POST /charges.
func charge(reference, amount string) string {
	return `{"reference":"` + reference + `","amount":"` + amount + `"}`
}
