package live

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// insiders is one client, the one of number 0 under the name that the lab keeps
// for itself.
func insiders(n int) []fakepsp.Client {
	return []fakepsp.Client{{ID: []string{insider, "loja"}[n], Secret: "x"}}
}

// static is a Pix that wants no charge.
func static(n int) PayOrder {
	return PayOrder{EndToEndID: e2e(n), AmountCents: 1000, TxID: "STATIC", Static: true}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	to := newSink(t, func(pix.EndToEndID, int) int { return http.StatusTemporaryRedirect })
	b := start(t, func(o *Options) { o.WebhookURL = to.URL })
	must(b.Pay(t.Context(), static(0)))(t)
	if d := b.quiet(); d.Sent != 5 || d.GivenUp != 1 || d.Refused != 4 || d.Acknowledged != 0 {
		t.Errorf("deliveries %+v", d)
	}
	if to.path["/pix"] != 5 || len(to.path) != 1 {
		t.Errorf("paths %v", to.path)
	}
}

func TestUnreachableReceiver(t *testing.T) {
	t.Parallel()
	gone := listen(t)
	gone.Close()
	b := start(t, func(o *Options) { o.WebhookURL = "http://" + gone.Addr().String() })
	must(b.Pay(t.Context(), static(0)))(t)
	if d := b.quiet(); d.GivenUp != 1 || d.Sent != 5 {
		t.Errorf("deliveries %+v", d)
	}
}

// TestSilentReceiver has the first attempt run into its time-out.
func TestSilentReceiver(t *testing.T) {
	t.Parallel()
	var once sync.Once
	first := make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not notice that the caller is gone
		once.Do(func() {
			<-r.Context().Done()
			close(first)
		})
	}))
	t.Cleanup(to.Close)
	b := start(t, func(o *Options) {
		o.WebhookURL, o.CallbackTimeout, o.Retry.Delays = to.URL, 300*time.Millisecond, []time.Duration{1, 1, 1}
	})
	must(b.Pay(t.Context(), static(0)))(t)
	<-first
	if d := b.quiet(); d.Refused < 1 || d.Acknowledged+d.GivenUp != 1 {
		t.Errorf("deliveries %+v", d)
	}
}

// TestSendersAreBounded has a receiver that answers none of its callbacks until
// as many are there as may be.
func TestSendersAreBounded(t *testing.T) {
	t.Parallel()
	const senders, payments = 3, 20
	var mu sync.Mutex
	now, most := 0, 0
	full, all := make(chan struct{}, payments), make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		now++
		if most = max(most, now); now == senders {
			full <- struct{}{}
		}
		mu.Unlock()
		<-all
		mu.Lock()
		now--
		mu.Unlock()
	}))
	t.Cleanup(to.Close)
	b := start(t, func(o *Options) { o.WebhookURL, o.Senders = to.URL, senders })
	orders := make([]PayOrder, payments)
	for i := range orders {
		orders[i] = static(i)
	}
	must(b.Pay(t.Context(), orders...))(t)
	<-full
	if d := must(b.Deliveries(t.Context()))(t); d.OnTheWay != senders {
		t.Errorf("on the way %d, want %d", d.OnTheWay, senders)
	}
	close(all)
	if d := b.quiet(); d.Acknowledged != payments || most > senders {
		t.Errorf("deliveries %+v, %d at once", d, most)
	}
}

// TestGracefulStop ends a server while a callback is on its way.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	there, answer := make(chan struct{}), make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(there)
		<-answer
	}))
	t.Cleanup(to.Close)
	b := start(t, func(o *Options) { o.WebhookURL = to.URL })
	must(b.Pay(t.Context(), static(0)))(t)
	<-there
	b.stop()
	b.until("the port is closed", func() bool { return b.Healthy(t.Context()) != nil })
	if d := b.server.m.deliveries(); d.OnTheWay != 1 {
		t.Errorf("stopped, and on the way: %+v", d)
	}
	close(answer)
	if err := <-b.ended; err != nil {
		t.Error(err)
	}
	b.ended <- nil // for the end of the test
	if d := b.server.m.deliveries(); d.Acknowledged != 1 || !d.Quiet {
		t.Errorf("deliveries %+v", d)
	}
}

// TestGraceEnds has a callback and a call that never come back.
func TestGraceEnds(t *testing.T) {
	t.Parallel()
	there := make(chan struct{})
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(there)
		<-r.Context().Done()
	}))
	t.Cleanup(to.Close)
	b := start(t, func(o *Options) { o.WebhookURL, o.Grace, o.CallbackTimeout = to.URL, 10*time.Millisecond, time.Hour })
	must(b.Pay(t.Context(), static(0)))(t)
	<-there
	b.stop()
	if err := <-b.ended; err != nil {
		t.Error(err)
	}
	b.ended <- nil
	if d := b.server.m.deliveries(); d.Acknowledged != 0 || d.OnTheWay != 0 {
		t.Errorf("deliveries %+v", d)
	}
}

func TestPortThatFails(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.server.listen.api.Close()
	err := <-b.ended
	if err == nil {
		t.Error("a server without a port ended well")
	}
	b.ended <- nil
}

func TestLoopsWaitForTheBell(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	b := newBell()
	b.ring()
	b.ring()
	if !b.wait(ctx, time.Hour, true) || !b.wait(ctx, 0, true) {
		t.Error("a bell that was rung, and a wait of no length, end")
	}
	stop()
	if b.wait(ctx, 0, false) {
		t.Error("the end of the context ends the wait")
	}
}

func TestRetryEndsWithinAMinute(t *testing.T) {
	t.Parallel()
	if table := Retry(); table.Total() > time.Minute || table.Timeout <= 0 {
		t.Errorf("%+v takes %s", table, table.Total())
	}
	for _, other := range chaos.RetryTables() {
		if other.Name == Retry().Name {
			t.Error("plans of a day draw the table of live runs")
		}
	}
}
