package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/memory"
)

// patience bounds waits that end long before, unless something is broken.
const patience = 30 * time.Second

const (
	ourKey     = pix.PixKey("loja@example.com")
	adminToken = "operators-only-please"
	apiToken   = "merchants-only-please"
)

func secretA() pix.Secret { return pix.Secret{ID: "a", Key: []byte("0123456789abcdef")} }
func secretB() pix.Secret { return pix.Secret{ID: "b", Key: []byte("fedcba9876543210")} }

// nowhere is a PSP that cannot be reached.
type nowhere struct{}

func (nowhere) Do(*http.Request) (*http.Response, error) { return nil, errors.New("nobody is there") }

func config() receiver.Config {
	return receiver.Config{
		PixKeys: []pix.PixKey{ourKey}, PSPURL: "http://psp.invalid", CallbackURL: "http://us.invalid",
		Secrets: []pix.Secret{secretA(), secretB()}, MaxBody: 64 << 10,
		Consumers: map[string]receiver.TokenDigest{"merchant": receiver.DigestToken(apiToken)},
		HTTP:      nowhere{}, Clock: live.Clock{}, Jitter: live.Jitter, NewID: live.NewID,
	}
}

func newMemory() *memory.Store {
	return memory.New(memory.Config{Rules: receiver.Rules{Keys: []pix.PixKey{ourKey}}, Now: time.Now})
}

// await fails the test unless a value comes.
func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited for %s in vain", what)
		panic("unreachable")
	}
}

// stub is a store of which only some commands are there. What is nil is never due,
// and finds nothing.
type stub struct {
	receiver.Store
	now    func() time.Time
	due    func(receiver.Queue) (time.Time, bool, error)
	claim  func(context.Context) ([]receiver.Event, error)
	append func(context.Context, []receiver.InboxItem) ([]receiver.AppendOutcome, error)
}

func (s *stub) Now(context.Context) (time.Time, error) {
	if s.now == nil {
		return time.Unix(1000, 0), nil
	}
	return s.now(), nil
}

func (s *stub) NextDue(_ context.Context, q receiver.Queue) (time.Time, bool, error) {
	if s.due == nil {
		return time.Time{}, false, nil
	}
	return s.due(q)
}

func (s *stub) ClaimEvents(ctx context.Context, _ receiver.Lease) ([]receiver.Event, error) {
	if s.claim == nil {
		return nil, nil
	}
	return s.claim(ctx)
}

func (s *stub) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return s.append(ctx, in)
}

func (s *stub) RequeueEvents(context.Context, []receiver.Decision) ([]bool, error) {
	return []bool{true}, nil
}

// sleep is one wait on a handClock, over when woken.
type sleep struct {
	d    time.Duration
	wake func()
}

// handClock stands still: each sleep is handed to the test, which ends it.
type handClock struct {
	live.Clock
	sleeps chan sleep
}

func newHandClock() handClock { return handClock{sleeps: make(chan sleep)} }

func (c handClock) Sleep(ctx context.Context, d time.Duration) error {
	woken := make(chan struct{})
	select {
	case c.sleeps <- sleep{d, sync.OnceFunc(func() { close(woken) })}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-woken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// item is an item of a callback, under a key of its own.
func item(n int) receiver.InboxItem {
	id := endToEndID(n)
	return receiver.InboxItem{
		Source: "psp", Key: receiver.CreditKey(id), Channel: receiver.ChannelCallback,
		Credit: &receiver.Credit{EndToEndID: id, PixKey: ourKey, Amount: 100, PaidAt: time.Unix(1000, 0)},
		Raw:    []byte("{}"), ReceivedAt: time.Unix(1000, 0),
	}
}

func endToEndID(n int) pix.EndToEndID {
	return pix.EndToEndID(fmt.Sprintf("E12345678202601021200%011d", n))
}

// callback is the body of a callback with one Pix; without a txid it has none.
func callback(n int, txid string) []byte {
	if txid != "" {
		txid = fmt.Sprintf(`"txid":%q,`, txid)
	}
	return fmt.Appendf(nil, `{"pix":[{"endToEndId":%q,%s"valor":"1.00","chave":%q,"horario":"2026-01-02T12:00:00.000Z"}]}`,
		endToEndID(n), txid, ourKey)
}

// ListPayouts finds none.
func (s *stub) ListPayouts(context.Context, receiver.PayoutQuery) ([]receiver.Payout, error) {
	return nil, nil
}
