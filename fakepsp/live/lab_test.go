package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

const (
	ourKey   pix.PixKey = "pix@loja.example"
	labToken            = "a-token-of-the-lab"
	patience            = 30 * time.Second // far above what any wait here takes
)

func secret() pix.Secret { return pix.Secret{ID: "k1", Key: []byte("0123456789abcdef")} }

// bench is one PSP's process within this one.
type bench struct {
	*Client
	t      *testing.T
	server *Server
	api    string
	http   *http.Client // for the API
	stop   context.CancelFunc
	ended  chan error
}

// start runs a PSP until the test ends.
func start(t *testing.T, change func(*Options)) *bench {
	t.Helper()
	o := Options{
		API: listen(t), Lab: listen(t), PixKeys: []pix.PixKey{ourKey}, Secret: secret(), LabToken: labToken,
		Clients: []fakepsp.Client{{ID: "loja", Secret: "the merchant's"}},
		Retry:   chaos.RetryTable{Name: "test", Timeout: 10 * time.Second, Delays: []time.Duration{1, 1, 1, time.Millisecond}},
		Grace:   patience,
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	at := s.Addresses()
	b := &bench{
		Client: &Client{URL: at.Lab, Token: labToken, HTTP: &http.Client{Transport: &http.Transport{}}},
		t:      t, server: s, api: at.API, http: &http.Client{Transport: &http.Transport{}}, stop: stop, ended: make(chan error, 1),
	}
	go func() { b.ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		b.Client.HTTP.CloseIdleConnections()
		b.http.CloseIdleConnections()
		select {
		case err := <-b.ended:
			if err != nil {
				t.Errorf("the server ended with: %v", err)
			}
		case <-time.After(patience):
			t.Error("the server does not end")
		}
	})
	return b
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// until waits for a condition to hold.
func (b *bench) until(what string, holds func() bool) {
	b.t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); !holds(); {
		select {
		case <-tick.C:
		case <-deadline:
			d, err := b.Deliveries(b.t.Context())
			b.t.Fatalf("still not so: %s (deliveries %+v, %v)", what, d, err)
		}
	}
}

// quiet waits until the plan, if there is one, and the courier are done.
func (b *bench) quiet() Deliveries {
	b.t.Helper()
	var d Deliveries
	b.until("all is quiet", func() bool {
		state, err := b.Plan(b.t.Context())
		if err == nil && state.Pending > 0 {
			return false
		}
		d = must(b.Deliveries(b.t.Context()))(b.t)
		return d.Quiet
	})
	return d
}

// must is the value of a call that has to go well.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refusedWith wants a call to have been refused so.
func refusedWith(t *testing.T, err error, status int, says ...string) {
	t.Helper()
	if !refusedIs(err, status) {
		t.Fatalf("got %v, want a refusal with %d", err, status)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

func refusedIs(err error, status int) bool {
	var p pix.Problem
	return errors.As(err, &p) && p.Status == status
}

// call is one call of the API.
func (b *bench) call(method, path, body string) (int, string) {
	b.t.Helper()
	status, text, err := b.try(method, path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	return status, text
}

func (b *bench) try(method, path, body string) (int, string, error) {
	token, err := b.token()
	if err != nil {
		return 0, "", err
	}
	return b.tryWith(token, method, path, body)
}

func (b *bench) tryWith(token, method, path, body string) (int, string, error) {
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.api+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := b.http.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func (b *bench) token() (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"loja"}, "client_secret": {"the merchant's"}}
	resp, err := b.http.PostForm(b.api+"/oauth/token", form)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("token: %d, %w", resp.StatusCode, err)
	}
	return answer.AccessToken, nil
}

// truthText is the truth as it was answered, to be compared.
func (b *bench) truthText() string {
	b.t.Helper()
	text, err := json.Marshal(must(b.Truth(b.t.Context()))(b.t))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// sink is a receiver that checks signatures and keeps what it got.
type sink struct {
	*httptest.Server
	// answer gives the status for the nth body (from 1) about a Pix; nil is 200.
	answer func(id pix.EndToEndID, nth int) int

	mu   sync.Mutex
	bad  []string // what was wrong with a signature
	seen map[pix.EndToEndID]int
	path map[string]int
}

func newSink(t *testing.T, answer func(id pix.EndToEndID, nth int) int) *sink {
	s := &sink{answer: answer, seen: map[pix.EndToEndID]int{}, path: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP takes one callback.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		v := pix.Verifier{Secrets: []pix.Secret{secret()}, Tolerance: patience}
		err = v.Verify(r.Header.Get(pix.SignatureHeader), body, time.Now())
	}
	items, parseErr := pix.ParseCallback(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.path[r.URL.Path]++
	if err = errors.Join(err, parseErr); err != nil {
		s.bad = append(s.bad, err.Error())
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	status := http.StatusOK
	for _, it := range items {
		id := it.Payment.EndToEndID
		s.seen[id]++
		if s.answer != nil {
			status = max(status, s.answer(id, s.seen[id]))
		}
	}
	if status == http.StatusTemporaryRedirect {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
}

// times is how often a Pix was told of; bad are the signatures that were not good.
func (s *sink) times(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[e2e(n)]
}

func (s *sink) unsigned() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bad
}

func e2e(n int) pix.EndToEndID { return pix.EndToEndID(fmt.Sprintf("E99999008202603101200%011d", n)) }

// planOf is a plan of n payments, each of a dynamic charge, that takes a moment.
func planOf(n int, faults ...chaos.Deviation) *chaos.Plan {
	p := &chaos.Plan{
		Format: chaos.Format, Generator: chaos.Generator, Seed: 7, Profile: "by hand",
		Start: time.Date(2026, 3, 10, 3, 0, 0, 0, time.UTC), HorizonMS: 20_000,
		Settings: chaos.Settings{
			Instances: 1, Workers: 1, Retry: "generic", CallbackTimeoutMS: 2000, SweepEveryMS: 1000, PageSize: 10,
		},
		Faults: faults,
	}
	for i := range n {
		p.Charges = append(p.Charges, chaos.Charge{
			ID: fmt.Sprintf("c%d", i), Reference: fmt.Sprintf("REF-%d", i), Kind: chaos.ChargeDynamic,
			AmountCents: 1000, ExpiresInS: 3600,
		})
		p.Payments = append(p.Payments, chaos.Payment{
			ID: fmt.Sprintf("p%d", i), Charge: fmt.Sprintf("c%d", i), EndToEndID: string(e2e(i)), AmountCents: 1000, AtMS: int64(10 + i),
		})
	}
	return p
}

// callbackFault is a deviation of the credit's first attempt.
func callbackFault(kind string, payment int, set chaos.Change) chaos.Deviation {
	at := chaos.CallbackAddress{Subject: fmt.Sprintf("p%d", payment), Notice: chaos.NoticeCredit, Attempt: 1}
	return chaos.Deviation{Kind: kind, Target: chaos.Target{Callback: &at}, Set: set}
}

// raw is one call of the lab port, as no client of ours would make it.
func (b *bench) raw(method, path, token, body string) int {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := b.Client.HTTP.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
