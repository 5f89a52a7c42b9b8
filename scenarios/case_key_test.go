package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// What becomes of a request's idempotency key when its process dies, and when
// its time is over.

// The times of a receiver's keys, by default.
const (
	keyWindow = time.Minute
	keyTTL    = 24 * time.Hour
)

// keyed asks the nth receiver for a charge under a key and wants a status.
func (l *lab) keyed(n, want int, key, amount string) *httptest.ResponseRecorder {
	l.t.Helper()
	rec := l.request(n, http.MethodPost, "/charges", key, `{"reference":"PED-`+key+`","amount":"`+amount+`"}`)
	if rec.Code != want {
		l.t.Fatalf("key %s: got %d %s, want %d", key, rec.Code, rec.Body, want)
	}
	return rec
}

// sameAnswer wants an answer to be given again in every byte.
func (l *lab) sameAnswer(got, want *httptest.ResponseRecorder) {
	l.t.Helper()
	if got.Code != want.Code || got.Body.String() != want.Body.String() || got.Header().Get("Content-Type") != want.Header().Get("Content-Type") {
		l.t.Errorf("got %d %s, want %d %s", got.Code, got.Body, want.Code, want.Body)
	}
}

// puts counts the PUTs of charges that reach the PSP from now on.
func (l *lab) puts() *int {
	n := 0
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if isChargePut(req) {
			n++
		}
		return call()
	}
	return &n
}

func isChargePut(req *http.Request) bool {
	return req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/cob/")
}

func (l *lab) putOnce(puts *int) {
	l.t.Helper()
	if *puts != 1 {
		l.t.Errorf("the PSP was asked %d times, want once", *puts)
	}
}

// A process that dies with the key reserved, before its call, leaves an orphan:
// 409 at once, and after the window the charge is made, once.
func TestOrphanOfNoCallIsMadeOnce(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	puts := l.puts()
	l.store.after["CreateCharges"] = func() error { return receiver.ErrCommitUnknown }
	l.keyed(0, http.StatusServiceUnavailable, "K1", "80.00")
	if rec := l.keyed(1, http.StatusConflict, "K1", "80.00"); rec.Header().Get("Retry-After") == "" {
		t.Error("nothing says when to come again")
	}
	l.clock.advance(keyWindow)
	done := l.keyed(1, http.StatusCreated, "K1", "80.00")
	l.sameAnswer(l.keyed(0, http.StatusCreated, "K1", "80.00"), done)
	l.putOnce(puts)
}

// One that dies when the PSP has acted: the charge is found by a question, and
// not sent again.
func TestOrphanWhoseCallWasMadeIsFoundByAsking(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	puts := l.puts()
	dead := func() error { return receiver.ErrUnavailable }
	l.store.before["RecordCalls"], l.store.before["ReleaseKeys"] = dead, dead
	l.keyed(0, http.StatusServiceUnavailable, "K1", "80.00")
	l.keyed(1, http.StatusConflict, "K1", "80.00")
	l.clock.advance(keyWindow)
	done := l.keyed(1, http.StatusCreated, "K1", "80.00")
	l.sameAnswer(l.keyed(0, http.StatusCreated, "K1", "80.00"), done)
	l.putOnce(puts)
}

// A handler that ends with an error lets go of its key: no window to wait for.
func TestFailedRequestLetsGoOfItsKey(t *testing.T) {
	l := newLab(t, labOptions{})
	puts := l.puts()
	l.store.before["RecordCalls"] = func() error { return receiver.ErrUnavailable }
	l.keyed(0, http.StatusServiceUnavailable, "K1", "80.00")
	l.keyed(0, http.StatusCreated, "K1", "80.00")
	l.putOnce(puts)
}

// A request that was given up for dead and is not changes nothing when it comes
// back, and says what the other one said.
func TestLateOriginalChangesNothing(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	var other *httptest.ResponseRecorder
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if isChargePut(req) && other == nil {
			other = httptest.NewRecorder()
			l.clock.advance(keyWindow)
			other = l.keyed(1, http.StatusCreated, "K1", "80.00")
			l.clock.advance(time.Second)
		}
		return call()
	}
	var late *httptest.ResponseRecorder
	l.unmovedSince(&other, func() { late = l.keyed(0, http.StatusCreated, "K1", "80.00") })
	l.sameAnswer(late, other)
}

// unmovedSince wants the charge of key K1 to stay as the other request, which
// runs within do, has left it.
func (l *lab) unmovedSince(other **httptest.ResponseRecorder, do func()) {
	l.t.Helper()
	do()
	found, err := l.mem.FindCharges(context.Background(), []receiver.ChargeRef{{Consumer: "merchant", Reference: "PED-K1"}})
	if err != nil || *other == nil || found[0] == nil {
		l.t.Fatalf("no charge, or no other request: %v", err)
	}
	if found[0].Attempts != 1 {
		l.t.Errorf("%d calls count, want that of the one who holds the key", found[0].Attempts)
	}
}

// Within its time a key gives the same answer; after it, what there is; another
// body gets neither; and nothing is ever sent again.
func TestKeyOutlivesItsAnswer(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	puts := l.puts()
	first := l.keyed(0, http.StatusCreated, "K1", "80.00")
	l.clock.advance(keyTTL - time.Second)
	l.sameAnswer(l.keyed(1, http.StatusCreated, "K1", "80.00"), first)
	l.keyed(1, http.StatusUnprocessableEntity, "K1", "81.00")
	l.clock.advance(2 * time.Second)
	l.keyed(1, http.StatusOK, "K1", "80.00")
	l.keyed(1, http.StatusUnprocessableEntity, "K1", "81.00")
	l.duty("keys")
	rows, err := l.mem.FindKeys(context.Background(), []receiver.KeyRef{{Consumer: "merchant", Route: receiver.RouteCharges, Key: "K1"}})
	if err != nil || rows[0] == nil || rows[0].State != receiver.KeyPurged {
		t.Errorf("the purge left %+v, %v", rows[0], err)
	}
	l.keyed(0, http.StatusOK, "K1", "80.00")
	l.keyed(0, http.StatusUnprocessableEntity, "K1", "81.00")
	l.putOnce(puts)
}

// The key of a charge of which nobody knows what became is not purged, however
// old; its answer is given on, and a repeat sends nothing.
func TestKeyOfUnknownOutcomeIsNotPurged(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	sent := 0
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if !strings.Contains(req.URL.Path, "/cob/") {
			return call()
		}
		if isChargePut(req) {
			sent++
		}
		return nil, errCut
	}
	first := l.keyed(0, http.StatusAccepted, "K1", "80.00")
	l.clock.advance(keyTTL + time.Second)
	l.duty("keys")
	l.sameAnswer(l.keyed(1, http.StatusAccepted, "K1", "80.00"), first)
	if sent != 1 {
		t.Errorf("sent %d times, want once", sent)
	}
}

// The key of a refund, too: one answer while it is kept, then the refund, and
// never a second one.
func TestKeyOfARefundOutlivesItsAnswer(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	ask := func(n int, amount string) *httptest.ResponseRecorder {
		return l.request(n, http.MethodPost, "/refunds", "K1", refundBody("DEV-1", p.EndToEndID, amount))
	}
	first := ask(0, "30.00")
	if first.Code != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202", first.Code, first.Body)
	}
	l.rest()
	l.sameAnswer(ask(1, "30.00"), first)
	if rec := ask(1, "40.00"); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("another body: got %d %s, want 422", rec.Code, rec.Body)
	}
	l.clock.advance(keyTTL)
	for range 2 {
		if rec := ask(1, "30.00"); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"returned"`) {
			t.Errorf("after its time: got %d %s, want the refund", rec.Code, rec.Body)
		}
		l.duty("keys")
	}
	l.rest()
	l.putOnly(tp, refundID("DEV-1", 0))
	l.returned(p.EndToEndID, "30.00")
}

// And that of a payout: within its time the same bytes, then the payout, purged or
// not; another body is refused whenever it comes; and while nobody knows whether
// the payout went out, its answer is not thrown away, however old.
func TestKeyOfAPayoutOutlivesItsAnswer(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	ask := func(n int, key, reference, amount string) *httptest.ResponseRecorder {
		body := fmt.Sprintf(`{"reference":%q,"pix_key":%q,"amount":%q}`, reference, payeeKey, amount)
		return l.request(n, http.MethodPost, "/payouts", key, body)
	}
	first := ask(0, "K1", "PAG-1", "80.00")
	if first.Code != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202", first.Code, first.Body)
	}
	l.rest()
	began := l.clock.Now()
	for range 30 { // nobody hears of this one
		tp.on(http.MethodPost, never)
		tp.on(http.MethodGet, never, never, never, never, never, never, never, never, never, never)
	}
	unknown := ask(0, "K2", "PAG-2", "10.00")
	l.work()
	l.sameAnswer(ask(1, "K1", "PAG-1", "80.00"), first)
	if rec := ask(1, "K1", "PAG-1", "79.00"); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("another body: got %d %s, want 422", rec.Code, rec.Body)
	}
	l.clock.until(began.Add(keyTTL + time.Second))
	for range 2 {
		if rec := ask(1, "K1", "PAG-1", "80.00"); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"confirmed"`) {
			t.Errorf("after its time: got %d %s, want the payout", rec.Code, rec.Body)
		}
		if rec := ask(0, "K1", "PAG-1", "79.00"); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("another body after its time: got %d %s, want 422", rec.Code, rec.Body)
		}
		l.sameAnswer(ask(1, "K2", "PAG-2", "10.00"), unknown)
		l.duty("keys")
	}
	l.sent("80.00")
}

// A refusal is given again while it is kept; what was too early is not kept.
func TestRefusalIsKeptAndTooEarlyIsNot(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.sold("PED-1", "100.00")
	over := l.request(0, http.MethodPost, "/refunds", "K1", refundBody("DEV-1", p.EndToEndID, "100.01"))
	if !refusedFor(over, receiver.ReasonOverCap) {
		t.Fatalf("got %d %s", over.Code, over.Body)
	}
	l.sameAnswer(l.request(0, http.MethodPost, "/refunds", "K1", refundBody("DEV-1", p.EndToEndID, "100.01")), over)
	q := l.pay(l.sale("PED-2", "50.00"), "50.00")
	early := refundBody("DEV-2", q.EndToEndID, "50.00")
	if rec := l.request(0, http.MethodPost, "/refunds", "K2", early); rec.Code != http.StatusConflict || rec.Header().Get("Retry-After") == "" {
		t.Fatalf("too early: got %d %s", rec.Code, rec.Body)
	}
	l.deliver()
	l.sweep()
	l.credited(q.EndToEndID, "50.00")
	if rec := l.request(0, http.MethodPost, "/refunds", "K2", early); rec.Code != http.StatusAccepted {
		t.Errorf("in time: got %d %s, want 202", rec.Code, rec.Body)
	}
}

// A receiver does not start if it forgets answers before it stops retrying.
func TestReceiverWantsKeysToOutliveItsRetries(t *testing.T) {
	l := newLab(t, labOptions{})
	for name, c := range map[string]struct {
		change func(*receiver.Config)
		says   string
	}{
		"a short TTL":     {func(c *receiver.Config) { c.KeyTTL = time.Hour }, "longest retry"},
		"long retries":    {func(c *receiver.Config) { c.MaxAttempts, c.BackoffCap = 400, time.Hour }, "longest retry"},
		"a short window":  {func(c *receiver.Config) { c.KeyWindow = 29 * time.Second }, "key window"},
		"no consumer":     {func(c *receiver.Config) { c.Open = false }, "consumer"},
		"a shared token":  {func(c *receiver.Config) { c.Consumers = sharedToken() }, "token"},
		"the usual times": {func(*receiver.Config) {}, ""},
	} {
		cfg := l.config(1)
		c.change(&cfg)
		_, err := receiver.New(cfg, l.store)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sharedToken() map[string]receiver.TokenDigest {
	return map[string]receiver.TokenDigest{"a": receiver.DigestToken("x"), "b": receiver.DigestToken("x")}
}
