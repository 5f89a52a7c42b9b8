package live_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

// running is a process on a store in memory.
type running struct {
	public, admin string
	booked        chan receiver.ApplyOutcome
	stop          func() error // waits for the end
}

// bookings is a store that tells of every application.
type bookings struct {
	receiver.Store
	told chan receiver.ApplyOutcome
}

func (b bookings) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	out, err := b.Store.ApplyEvents(ctx, in)
	for _, o := range out {
		b.told <- o
	}
	return out, err
}

func run(t *testing.T, store receiver.Store, change func(*live.ProcessConfig)) *running {
	t.Helper()
	r := &running{booked: make(chan receiver.ApplyOutcome, 10_000)}
	cfg := live.ProcessConfig{
		Receiver: config(), Store: bookings{store, r.booked},
		Public:     live.ServerConfig{Addr: "127.0.0.1:0"},
		Admin:      live.ServerConfig{Addr: "127.0.0.1:0"},
		AdminToken: adminToken, APIToken: apiToken,
		Loops: live.Options{Poll: 5 * time.Millisecond},
	}
	if change != nil {
		change(&cfg)
	}
	p, err := live.NewProcess(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.public, r.admin = "http://"+p.PublicAddr().String(), "http://"+p.AdminAddr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return r
}

// exchange is one request: what came back.
func exchange(t *testing.T, method, url string, header http.Header, body []byte) (status int, text string, h http.Header) {
	t.Helper()
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(got), resp.Header
}

func signed(s pix.Secret, body []byte) http.Header {
	return http.Header{pix.SignatureHeader: {pix.Sign(s, time.Now(), body)}}
}

func shown(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// keyed is shown with an idempotency key.
func keyed(token, key string) http.Header {
	h := shown(token)
	h.Set(receiver.IdempotencyHeader, key)
	return h
}

// ask wants an answer of the administrators' port.
func (r *running) ask(t *testing.T, method, path, body string, status int) string {
	t.Helper()
	got, text, _ := exchange(t, method, r.admin+path, shown(adminToken), []byte(body))
	if got != status {
		t.Fatalf("%s %s: %d %s, want %d", method, path, got, text, status)
	}
	return text
}

// post wants a status for a callback.
func (r *running) post(t *testing.T, header http.Header, body []byte, status int) {
	t.Helper()
	if got, text, _ := exchange(t, http.MethodPost, r.public+"/pix", header, body); got != status {
		t.Errorf("callback: %d %s, want %d", got, text, status)
	}
}

func (r *running) metric(t *testing.T, line string) {
	t.Helper()
	if text := r.ask(t, "GET", "/metrics", "", 200); !strings.Contains(text, "\n"+line+"\n") {
		t.Errorf("%q is not among the metrics:\n%s", line, ours(text))
	}
}

// ours are the metrics of ours.
func ours(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "pixlab_") && !strings.Contains(line, "_bucket") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestMoneyComesInAndIsCounted(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	status, text, _ := exchange(t, "POST", r.public+"/charges", keyed(apiToken, "key-1"), []byte(`{"reference":"sale-1","kind":"static","amount":"1.00"}`))
	var made struct{ TxID string }
	if err := json.Unmarshal([]byte(text), &made); status != 201 || err != nil || made.TxID == "" {
		t.Fatalf("charge: %d %s", status, text)
	}
	first, second := callback(1, made.TxID), callback(2, made.TxID)
	r.post(t, signed(secretA(), first), first, 200)
	r.post(t, signed(secretB(), second), second, 200)
	r.post(t, signed(secretB(), first), first, 200) // once more
	for range 2 {
		if out := await(t, r.booked, "a booking"); out.Result != receiver.ApplyBooked {
			t.Errorf("%+v", out)
		}
	}
	_, text, _ = exchange(t, "GET", r.public+"/charges/sale-1", shown(apiToken), nil)
	if !strings.Contains(text, `"settled":"2.00"`) {
		t.Errorf("the charge: %s", text)
	}
	for _, line := range []string{
		`pixlab_receiver_callbacks_total{status="200"} 3`,
		`pixlab_receiver_ack_seconds_count 3`,
		`pixlab_receiver_inbox_items_total{channel="callback",result="new"} 2`,
		`pixlab_receiver_inbox_items_total{channel="callback",result="known"} 1`,
		`pixlab_receiver_api_requests_total{route="charges",status="201"} 1`,
		`pixlab_receiver_store_up 1`,
		`pixlab_receiver_inbox_depth 0`,
		`pixlab_receiver_inbox_lag_seconds 0`,
		`pixlab_receiver_quarantine_depth{kind="bad"} 0`,
	} {
		r.metric(t, line)
	}
}

func TestRefusalsAreCountedByReason(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	body := callback(1, "")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, strings.Repeat(" ", 1<<20))
	z.Close()
	compressed := signed(secretA(), zipped.Bytes())
	compressed.Set("Content-Encoding", "gzip")
	late := http.Header{pix.SignatureHeader: {pix.Sign(secretA(), time.Now().Add(-time.Hour), body)}}
	large := bytes.Repeat([]byte{' '}, 100<<10)
	for _, c := range []struct {
		reason string
		header http.Header
		body   []byte
		status int
	}{
		{"signature_missing", nil, body, 401},
		{"signature_malformed", http.Header{pix.SignatureHeader: {"x"}}, body, 401},
		{"signature_mismatch", signed(secretA(), []byte("another")), body, 401},
		{"signature_unknown_key", signed(pix.Secret{ID: "c", Key: secretA().Key}, body), body, 401},
		{"signature_expired", late, body, 401},
		{"compressed", compressed, zipped.Bytes(), 415},
		{"too_large", signed(secretA(), large), large, 413},
		{"malformed", signed(secretA(), []byte("{")), []byte("{"), 400},
	} {
		r.post(t, c.header, c.body, c.status)
		r.metric(t, `pixlab_receiver_callback_refusals_total{reason="`+c.reason+`"} 1`)
	}
	// A body of unannounced length is read up to the limit and no further.
	req, err := http.NewRequest("POST", r.public+"/pix", io.LimitReader(zeros{}, 1<<30))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil { // else it was cut while still sending
		resp.Body.Close()
		if resp.StatusCode != 413 {
			t.Errorf("an endless body: %d", resp.StatusCode)
		}
	}
	r.metric(t, `pixlab_receiver_callback_refusals_total{reason="too_large"} 2`)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestAnOverloadedStoreIsA503ThatLosesNothing(t *testing.T) {
	t.Parallel()
	began, free := make(chan struct{}, 1), make(chan struct{})
	slow := &stub{append: func(_ context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
		began <- struct{}{}
		<-free
		return make([]receiver.AppendOutcome, len(in)), nil
	}}
	r := run(t, slow, func(c *live.ProcessConfig) {
		c.Batch = receiver.BatchConfig{Waiting: 1}
		c.Loops.Without = []receiver.Queue{
			receiver.QueueCharges, receiver.QueueRefunds, receiver.QueueOutbox, receiver.DutySweep, receiver.DutyChanged,
			receiver.DutyPending, receiver.DutyReconcile, receiver.DutyRegister, receiver.DutyKeys,
		}
	})
	const waiters = 5
	answered := make(chan int, waiters)
	send := func(n int) {
		body := callback(n, "")
		status, _, h := exchange(t, "POST", r.public+"/pix", signed(secretA(), body), body)
		if status == 503 && h.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
		answered <- status
	}
	go send(1)
	await(t, began, "the flush") // one is being stored; of those that come, one can wait
	for n := range waiters - 1 {
		go send(n + 2)
	}
	for range waiters - 2 {
		if status := await(t, answered, "an answer"); status != 503 {
			t.Errorf("turned away with %d", status)
		}
	}
	r.ask(t, "GET", "/healthz", "", 200) // health stays up
	close(free)
	for range 2 {
		if status := await(t, answered, "an answer"); status != 200 {
			t.Errorf("stored with %d", status)
		}
	}
}

func TestTheMerchantNeedsTheTokenAndThePSPDoesNot(t *testing.T) {
	t.Parallel()
	r := run(t, newMemory(), nil)
	for _, path := range []string{"/charges", "/refunds", "/memos", "//refunds", "/refunds/x", "/%72efunds"} {
		for _, token := range []string{"", "wrong", adminToken} {
			header := shown(token)
			if token == "" {
				header = nil
			}
			if status, _, h := exchange(t, "POST", r.public+path, header, []byte("{}")); status != 401 || h.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with token %q: %d", path, token, status)
			}
		}
	}
	if status, _, _ := exchange(t, "POST", r.public+"/charges", keyed(apiToken, "key-1"), []byte("{}")); status != 400 {
		t.Errorf("with the token: %d", status)
	}
}

func TestAReceiverWithoutSecretsIsNotMade(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*live.ProcessConfig){
		"no callback secret":  func(c *live.ProcessConfig) { c.Receiver.Secrets = nil },
		"a short secret":      func(c *live.ProcessConfig) { c.Receiver.Secrets = []pix.Secret{{ID: "a", Key: []byte("short")}} },
		"no token of the API": func(c *live.ProcessConfig) { c.APIToken = "" },
		"no admin token":      func(c *live.ProcessConfig) { c.AdminToken = "" },
		"a short admin token": func(c *live.ProcessConfig) { c.AdminToken = "short" },
		"no store":            func(c *live.ProcessConfig) { c.Store = nil },
	} {
		cfg := live.ProcessConfig{
			Receiver: config(), Store: newMemory(), Admin: live.ServerConfig{Addr: "127.0.0.1:0"},
			AdminToken: adminToken, APIToken: apiToken,
		}
		change(&cfg)
		if _, err := live.NewProcess(cfg); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
}

// A callback that got its 200 is in the store, whenever the end comes.
func TestStoppingLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	store := newMemory()
	r := run(t, store, func(c *live.ProcessConfig) { c.Batch.Delay = time.Millisecond })
	var next, acks atomic.Int64
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	enough := make(chan struct{})
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for {
				n := int(next.Add(1))
				body := callback(n, "")
				req, err := http.NewRequest("POST", r.public+"/pix", bytes.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header = signed(secretA(), body)
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					return // the port is closed
				}
				resp.Body.Close()
				if resp.StatusCode != 200 {
					continue
				}
				mu.Lock()
				acknowledged[receiver.CreditKey(endToEndID(n))] = true
				mu.Unlock()
				if acks.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	await(t, enough, "200 acknowledgements")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	senders.Wait()
	events, err := store.ListEvents(t.Context(), receiver.EventQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		delete(acknowledged, e.Key)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged and lost", len(acknowledged))
	}
}

func TestTwoProcessesOnOneStoreBookEachPixOnce(t *testing.T) {
	t.Parallel()
	store := newMemory()
	name := func(n string) func(*live.ProcessConfig) {
		return func(c *live.ProcessConfig) {
			c.Receiver.Name, c.Log = n, slog.New(slog.DiscardHandler)
		}
	}
	a, b := run(t, store, name("a")), run(t, store, name("b"))
	_, text, _ := exchange(t, "POST", a.public+"/charges", keyed(apiToken, "key-1"), []byte(`{"reference":"sale-1","kind":"static","amount":"1.00"}`))
	var made struct{ TxID string }
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		body := callback(n, made.TxID)
		a.post(t, signed(secretA(), body), body, 200)
		b.post(t, signed(secretB(), body), body, 200)
	}
	for n := 0; n < 100; n++ {
		select {
		case <-a.booked:
		case <-b.booked:
		case <-time.After(patience):
			t.Fatalf("%d of 100 booked", n)
		}
	}
	_, text, _ = exchange(t, "GET", b.public+"/charges/sale-1", shown(apiToken), nil)
	if !strings.Contains(text, `"settled":"100.00"`) {
		t.Errorf("the charge: %s", text)
	}
}
