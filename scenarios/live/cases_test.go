package live

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/pix"
)

// TestRefundsAtOnceNeverExceedThePix asks two processes at the same moment for
// up to twenty refunds of 60.00 of one Pix of 100.00: one is accepted and made,
// the others are refused in words, and so are 0.00 and a negative amount.
// PIXLAB_REFUND_ROUNDS says how often.
func TestRefundsAtOnceNeverExceedThePix(t *testing.T) {
	t.Parallel()
	l := newLab(t, usual(), nobody{}, false)
	rounds := l.pay(count(t, "PIXLAB_REFUND_ROUNDS", 5), 1)
	l.until("all Pix are confirmed", func() bool {
		n := 0
		for _, p := range l.rows().Payments {
			if p.After.Confirmed {
				n++
			}
		}
		return n == len(rounds)
	})
	for k, p := range rounds {
		answers := l.askBack(p.EndToEndID, k, 2+k%19)
		if answers[http.StatusAccepted] != 1 || answers[http.StatusAccepted]+answers[http.StatusUnprocessableEntity] != 2+k%19 {
			t.Errorf("round %d: answers %v, want one 202 and 422", k, answers)
		}
	}
	for i, amount := range []string{"0.00", "-5.00"} {
		status, text := l.call(l.receivers()[i].Public, "POST", "/refunds", map[string]any{
			"amount": amount, "endToEndId": rounds[0].EndToEndID, "reference": "odd" + amount,
		})
		if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", amount, status, text)
		}
	}
	l.judged()
	truth := must(l.psp.Truth(t.Context()))(t)
	made := map[pix.EndToEndID]int{}
	for _, r := range truth.Refunds {
		made[r.EndToEndID]++
	}
	for _, p := range rounds {
		if made[p.EndToEndID] != 1 {
			t.Errorf("Pix %s: the PSP was asked for %d refunds", p.EndToEndID, made[p.EndToEndID])
		}
	}
}

// askBack asks for n refunds of 60.00 at once, by turns at each receiver.
func (l *lab) askBack(id pix.EndToEndID, round, n int) map[int]int {
	to, gun := l.receivers(), make(chan struct{})
	statuses := make([]int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-gun
			statuses[i], _ = l.call(to[i%len(to)].Public, "POST", "/refunds", map[string]any{
				"amount": "60.00", "endToEndId": id, "reference": fmt.Sprintf("DEV-%d-%d", round, i),
			})
		})
	}
	close(gun)
	all.Wait()
	out := map[int]int{}
	for _, s := range statuses {
		out[s]++
	}
	return out
}

// gate stands between the receivers and the PSP, and holds every call while it
// is shut.
type gate struct {
	mu    sync.Mutex
	open  chan struct{} // closed while it is
	held  int
	proxy *httputil.ReverseProxy
}

// ServeHTTP lets a call through, now or later.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	open := g.open
	g.held++
	g.mu.Unlock()
	select {
	case <-open:
		g.proxy.ServeHTTP(w, r)
	case <-r.Context().Done():
	}
}

// TestNoLockIsHeldWhileThePSPIsAsked shuts the way to the PSP while many workers
// book, refunds are wanted and sweeps run, all of the same four Pix: callbacks
// are answered all the same, and no transaction is open while a call waits.
// When the way is open again, everything comes right and no deadlock was met.
func TestNoLockIsHeldWhileThePSPIsAsked(t *testing.T) {
	t.Parallel()
	shut, opened := make(chan struct{}), make(chan struct{})
	close(opened)
	g := &gate{open: opened, proxy: &httputil.ReverseProxy{ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(502) }}}
	h := usual()
	h.before, h.workers, h.more = g, 8, []string{"--call-timeout", "5s", "--lease", "15s", "--max-attempts", "100"}
	l := newLab(t, h, nobody{}, false)
	api := must(url.Parse(l.house.at.API))(t)
	g.proxy.Rewrite = func(r *httputil.ProxyRequest) { r.SetURL(api) }
	list := l.pay(4, later)
	for i := range list {
		list[i].PixKey = "" // nothing but the PSP's word says whose the money is
	}
	altered := append([]pix.Payment(nil), list...)
	for i := range altered {
		altered[i].Amount += pix.Amount(1 + i) // has to be asked about
	}
	g.mu.Lock()
	g.open, g.held = shut, 0
	g.mu.Unlock()
	l.mixed(list, altered)
	l.until("calls wait at the gate", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.held > 0 })
	l.mixed(list, altered)
	idle := must(query(t.Context(), l.house.db, `SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state = 'idle in transaction'`, scanInt))(t)
	if idle[0] != 0 {
		t.Errorf("%d transactions are open and wait", idle[0])
	}
	g.mu.Lock()
	g.open = opened
	g.mu.Unlock()
	close(shut)
	l.judged()
	locked := must(query(t.Context(), l.house.db, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`, scanInt))(t)
	if locked[0] != 0 {
		t.Errorf("%d deadlocks", locked[0])
	}
	for _, p := range list {
		if got := creditsOf(l.rows(), p.EndToEndID); got != 1 {
			t.Errorf("Pix %s was credited %d times", p.EndToEndID, got)
		}
	}
}

// mixed sends callbacks, true ones and others, and requests for refunds, all at
// once; each callback has to be answered 200.
func (l *lab) mixed(lists ...[]pix.Payment) {
	l.t.Helper()
	var all sync.WaitGroup
	for k := range 32 {
		all.Go(func() {
			to, list := l.receivers()[k%2].Public, lists[k/2%len(lists)]
			p := list[k/4%len(list)]
			if status, _ := l.callback(l.http, to, pix.EncodeCallback([]pix.Payment{p})); status != http.StatusOK {
				l.t.Errorf("callback %d was answered with %d", k, status)
			}
			if status, text := l.call(to, "POST", "/refunds", map[string]any{
				"amount": "1.00", "endToEndId": p.EndToEndID, "reference": fmt.Sprintf("DEV-%s", p.EndToEndID),
			}); status == 0 || status >= 500 {
				l.t.Errorf("refund %d was answered with %d %s", k, status, text)
			}
		})
	}
	all.Wait()
}
