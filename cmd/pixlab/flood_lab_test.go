package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// besieged is "pixlab receiver" as a process of its own, on a PostgreSQL.
type besieged struct {
	t      *testing.T
	cmd    *exec.Cmd
	ended  chan error
	said   *watched
	at     receiverAddresses
	store  *postgres.Store
	client *http.Client
	pixs   int
}

// besiege starts one. Its PSP is at pspURL; more are further variables.
func besiege(t *testing.T, binary, pspURL string, more ...string) *besieged {
	t.Helper()
	cluster := pgtest.Start(t, pgcluster.Options{Fast: true})
	if err := cluster.CreateDatabase(t.Context(), "pix"); err != nil {
		t.Fatal(err)
	}
	b := &besieged{
		t: t, said: &watched{lines: make(chan struct{}, 1)}, ended: make(chan error, 1),
		client: &http.Client{},
	}
	file := filepath.Join(t.TempDir(), "addresses.json")
	b.cmd = exec.Command(binary, "receiver", "--addr-file", file, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	b.cmd.Stderr = b.said
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PIXLAB_") {
			b.cmd.Env = append(b.cmd.Env, v)
		}
	}
	b.cmd.Env = append(b.cmd.Env,
		"PIXLAB_DATABASE_URL="+cluster.SocketURL("pix"), "PIXLAB_PSP_URL="+pspURL, "PIXLAB_CALLBACK_URL=http://127.0.0.1/hook",
		"PIXLAB_PIX_KEYS=loja@example.com", "PIXLAB_CALLBACK_SECRET="+encodedSecret("a", testKeyA),
		"PIXLAB_ADMIN_TOKEN="+testAdmin, "PIXLAB_API_TOKEN="+testAPI)
	b.cmd.Env = append(b.cmd.Env, more...)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { b.ended <- b.cmd.Wait() }()
	t.Cleanup(func() { b.cmd.Process.Kill() })
	eventually(t, "the receiver listens", func() bool {
		select {
		case err := <-b.ended:
			t.Fatalf("the receiver ended: %v\n%s", err, b.said)
		default:
		}
		text, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(text, &b.at) == nil
	})
	var err error
	if b.store, err = postgres.Open(t.Context(), postgres.Config{URL: cluster.SocketURL("pix")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.store.Close)
	return b
}

// builtPixlab builds the binary.
func builtPixlab(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pixlab")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// items are the bodies of n further Pix, and their ids.
func (b *besieged) items(n int) (items, ids []string) {
	for range n {
		b.pixs++
		id := fmt.Sprintf("E12345678202601021200%011d", b.pixs)
		ids = append(ids, id)
		items = append(items, fmt.Sprintf(`{"endToEndId":%q,"valor":"1.00","chave":"loja@example.com","horario":"2026-01-02T12:00:00.000Z"}`, id))
	}
	return items, ids
}

func callbackBody(items []string) []byte { return []byte(`{"pix":[` + strings.Join(items, ",") + `]}`) }

// post sends a body, signed with a key, and gives the status.
func (b *besieged) post(ctx context.Context, body []byte, key string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.at.Public+"/hook/pix", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set(pix.SignatureHeader, pix.Sign(pix.Secret{ID: "a", Key: []byte(key)}, time.Now(), body))
	resp, err := b.client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// inbox is every event.
func (b *besieged) inbox() []receiver.Event {
	b.t.Helper()
	events, err := b.store.ListEvents(b.t.Context(), receiver.EventQuery{})
	if err != nil {
		b.t.Fatal(err)
	}
	return events
}

// stored counts which of the ids are in the inbox.
func (b *besieged) stored(ids []string) (n int) {
	b.t.Helper()
	there := map[string]bool{}
	for _, e := range b.inbox() {
		there[string(e.EndToEndID())] = true
	}
	for _, id := range ids {
		if there[id] {
			n++
		}
	}
	return n
}

// mostMemory is what the process may have had in memory at its worst. It is a
// bound of the receiver, wide enough for any machine.
const mostMemory = 150 << 20

// keptWithin wants the process to have stayed within its memory so far.
func (b *besieged) keptWithin() {
	b.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.cmd.Process.Pid))
	if err != nil {
		b.t.Logf("memory is not looked at: %v", err)
		return
	}
	most := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if most == nil {
		b.t.Fatal("no VmHWM")
	}
	n, err := strconv.Atoi(string(most[1]))
	if err != nil || n<<10 > mostMemory {
		b.t.Errorf("%v: %d MiB at the most, want %d", err, n>>10, mostMemory>>20)
	}
	b.t.Logf("%d MiB of memory at the most", n>>10)
}

// stop ends it as a supervisor does.
func (b *besieged) stop() {
	b.t.Helper()
	if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.t.Fatal(err)
	}
	if err := <-b.ended; err != nil {
		b.t.Errorf("%v\n%s", err, b.said)
	}
}
