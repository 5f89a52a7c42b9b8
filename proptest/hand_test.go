package proptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

const (
	ourKey   pix.PixKey = "pix@loja.example"
	endpoint            = "merchant.lab"
)

// hand is a PSP, a store and two instances of a receiver, moved by hand: no
// world, no scheduler; nothing happens but what a test does next.
type hand struct {
	now       time.Time
	seed      chaos.Seed
	psp       *fakepsp.PSP
	store     kept
	build     scenarios.Build
	pageSize  int
	instances [2]scenarios.Built
	secret    pix.Secret
	told      [][]byte // events that the merchant got
	requests  int      // of the merchant: each has a key of its own
}

// newHand sets everything up on a store of the stock, for a receiver; nil is the
// reference.
func newHand(t subject, s stock, build scenarios.Build, lag time.Duration, pageSize int) (*hand, error) {
	if build == nil {
		build = scenarios.Reference().Build
	}
	h := &hand{
		now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), seed: 1, build: build, pageSize: pageSize,
		secret: pix.Secret{ID: "k1", Key: []byte("a key that both sides hold")},
	}
	var err error
	h.psp, err = fakepsp.New(fakepsp.Config{
		PixKeys: []pix.PixKey{ourKey}, Now: h.time, Start: h.now, Retry: chaos.RetryTables()[0],
		StatementLag: lag, Secret: h.secret,
	})
	if err != nil {
		return nil, err
	}
	if h.store, err = s.open(t, ourRules(), h.time, nil); err != nil {
		return nil, err
	}
	for i := range h.instances {
		if err := h.rebuild(i); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *hand) time() time.Time { return h.now }

// rebuild starts an instance anew on the same store, as after a crash.
func (h *hand) rebuild(i int) error {
	var err error
	h.instances[i], err = h.build(scenarios.Env{Config: h.config(i), Store: handStore{h.store}, Workers: 1})
	return err
}

func (h *hand) config(i int) receiver.Config {
	return receiver.Config{
		Name: fmt.Sprintf("receiver/%d", i+1), PixKeys: []pix.PixKey{ourKey}, Open: true,
		PSPURL: "https://psp.lab", CallbackURL: "https://receiver.lab", Secrets: []pix.Secret{h.secret},
		Endpoints: []receiver.Endpoint{{
			Name: receiver.DefaultEndpoint, URL: "https://" + endpoint + "/events", Secret: pix.Secret{ID: "m1", Key: []byte("a key of the merchant's")},
		}},
		PageSize: h.pageSize, SweepBack: 60 * 24 * time.Hour, // a test may never sweep for days
		HTTP: handWire{h}, Clock: handClock{h}, Jitter: h.seed.Jitter, NewID: h.seed.ID,
	}
}

// handStore gives broken receivers the transactions of their own that a world
// gives them.
type handStore struct{ kept }

// Exec runs one.
func (s handStore) Exec(ctx context.Context, command string, _ []string, fn func(tx *memory.Tx) error) error {
	return exec(ctx, s.kept, command, fn)
}

// handClock is a clock that a test moves.
type handClock struct{ h *hand }

// Now is where it stands.
func (c handClock) Now() time.Time { return c.h.now }

// Sleep moves it.
func (c handClock) Sleep(ctx context.Context, d time.Duration) error {
	c.h.now = c.h.now.Add(d)
	return ctx.Err()
}

// WithTimeout never fires: answers come at once.
func (c handClock) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// handWire carries a receiver's calls to the PSP and to the merchant, at once.
// A caller that died on the way neither sends nor hears.
type handWire struct{ h *hand }

// Do sends one request.
func (w handWire) Do(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	answer := &http.Response{StatusCode: http.StatusOK, Request: req}
	var body []byte
	switch req.URL.Host {
	case endpoint:
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		w.h.told = append(w.h.told, raw)
	default:
		reply := w.h.psp.Handle(req)
		answer.StatusCode, answer.Header, body = reply.Status, reply.Header, reply.Body
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

// mortal is the context of a process that dies after a number of moves: store
// commands, calls sent and answers heard. The store and the wire ask it once
// for each, and refuse everything after its death.
type mortal struct {
	context.Context
	left *int
}

func newMortal(moves int) mortal { return mortal{context.Background(), &moves} }

// Err is set once the process is dead.
func (m mortal) Err() error {
	if *m.left <= 0 {
		return context.Canceled
	}
	*m.left--
	return nil
}

// send puts a request to one instance and gives its answer.
func (h *hand) send(ctx context.Context, i int, method, path string, header http.Header, body []byte) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	for name, values := range header {
		req.Header[name] = values
	}
	if method == http.MethodPost {
		h.requests++
		req.Header.Set(receiver.IdempotencyHeader, strconv.Itoa(h.requests))
	}
	rec := httptest.NewRecorder()
	h.instances[i].Handler.ServeHTTP(rec, req)
	return rec
}

// callback posts a body under a signature of now.
func (h *hand) callback(ctx context.Context, i int, secret pix.Secret, body []byte) int {
	sign := http.Header{pix.SignatureHeader: {pix.Sign(secret, h.now, body)}}
	return h.send(ctx, i, http.MethodPost, "/pix", sign, body).Code
}

// charge asks an instance for a charge.
func (h *hand) charge(ctx context.Context, i int, c saleAsked) int {
	body := fmt.Appendf(nil, `{"reference":%q,"kind":%q,"amount":%q}`, c.reference, c.kind, c.due)
	return h.send(ctx, i, http.MethodPost, "/charges", nil, body).Code
}

// saleAsked is a charge that the merchant asked for.
type saleAsked struct {
	reference string
	kind      receiver.ChargeKind
	due       pix.Amount
}

// txid is the one that the receiver gives it.
func (h *hand) txid(c saleAsked) pix.TxID {
	kind := chaos.ChargeDynamic
	if c.kind == receiver.ChargeStatic {
		kind = chaos.ChargeStatic
	}
	return pix.TxID(chaos.Txid(h.seed, chaos.Charge{Reference: c.reference, Kind: kind}))
}

// step runs the steps of one queue once, on one instance.
func (h *hand) step(ctx context.Context, i int, q receiver.Queue) error {
	var errs error
	for _, s := range h.instances[i].Steps {
		if s.Queue() == q {
			_, err := s.RunOnce(ctx)
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// until moves the clock to where a queue has work, false if it has none.
func (h *hand) until(q receiver.Queue) bool {
	due, ok, err := h.store.NextDue(context.Background(), q)
	if err != nil || !ok {
		return false
	}
	if due.After(h.now) {
		h.now = due
	}
	return true
}

// rest works off whatever is due, in the order in which it is due.
func (h *hand) rest() error {
	for range 2_000 {
		q, ok := h.soonest()
		if !ok {
			return nil
		}
		h.until(q)
		if err := h.step(context.Background(), 0, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return errors.New("the receiver does not come to rest")
}

func (h *hand) soonest() (first receiver.Queue, any bool) {
	var at time.Time
	for _, q := range []receiver.Queue{receiver.QueueInbox, receiver.QueueCharges, receiver.OutboxQueue(receiver.DefaultEndpoint)} {
		due, ok, err := h.store.NextDue(context.Background(), q)
		if err == nil && ok && (!any || due.Before(at)) {
			first, at, any = q, due, true
		}
	}
	return first, any
}

// settle lets a whole day's end come: work, sweeps, and a reconciliation of
// everything, twice, so that it meets what it did itself.
func (h *hand) settle() error {
	ctx := context.Background()
	for range 2 {
		for _, q := range []receiver.Queue{receiver.DutySweep, receiver.DutyPending, receiver.DutyReconcile} {
			if err := h.rest(); err != nil {
				return err
			}
			if q == receiver.DutyReconcile {
				h.now = h.now.Add(2 * time.Hour) // past the grace
			}
			h.until(q)
			if err := h.step(ctx, 0, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
	}
	return h.rest()
}

// settled are the Pix that are truth.
func (h *hand) settled() []pix.Payment {
	rows := h.psp.Settled()
	out := make([]pix.Payment, len(rows))
	for i, row := range rows {
		out[i] = row.Payment
	}
	return out
}

// events are the inbox.
func (h *hand) events() ([]receiver.Event, error) {
	return h.store.ListEvents(context.Background(), receiver.EventQuery{})
}

// merchantCents are the cents of the events that the merchant got of a Pix.
func (h *hand) merchantCents(id pix.EndToEndID) ([]int64, error) {
	var out []int64
	for _, raw := range h.told {
		var e struct {
			EndToEndID pix.EndToEndID `json:"endToEndId"`
			Cents      int64          `json:"cents"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		if e.EndToEndID == id {
			out = append(out, e.Cents)
		}
	}
	return slices.Clip(out), nil
}
