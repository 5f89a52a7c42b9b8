package live

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
)

// TestSignatureIsOverTheBytesSent posts what a PSP may send and what it never
// would: the former is stored, the latter refused, with nothing in the inbox
// that could become money. What was refused still comes by the sweep.
func TestSignatureIsOverTheBytesSent(t *testing.T) {
	t.Parallel()
	h := usual()
	h.sweepEvery = time.Hour // until it is asked for
	l := newLab(t, h, nobody{}, false)
	p := l.pay(1, later)[0]
	odd := []byte("{ \"pix\" : [ {\n\t\"valor\": \"100.00\", \"infoPagador\": \"caf\\u00e9\", \"endToEndId\": \"" + string(p.EndToEndID) +
		"\", \"txid\": \"" + string(p.TxID) + "\", \"horario\": \"" + pix.FormatTime(p.PaidAt) + "\" } ] }")
	plain := pix.EncodeCallback([]pix.Payment{p})
	changed := bytes.Replace(odd, []byte("100.00"), []byte("900.00"), 1)
	now := time.Now()
	for name, c := range map[string]struct{ body, signed []byte }{
		"written anew": {plain, odd}, "one byte changed": {changed, odd}, "another body's": {odd, []byte("{}")},
	} {
		if got := l.signed(c.body, pix.Sign(l.house.secret, now, c.signed)); got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	for name, header := range map[string]string{
		"missing": "", "six minutes old": pix.Sign(l.house.secret, now.Add(-6*time.Minute), odd), "six minutes ahead": pix.Sign(l.house.secret, now.Add(6*time.Minute), odd),
	} {
		if got := l.signed(odd, header); got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	if rows := l.rows(); len(rows.Events) != 0 {
		t.Errorf("%d events are in the inbox", len(rows.Events))
	}
	if got := l.signed(odd, pix.Sign(l.house.secret, now, odd)); got != http.StatusOK {
		t.Errorf("as it was signed: %d", got)
	}
	l.until("it is credited", func() bool { return creditsOf(l.rows(), p.EndToEndID) == 1 })
}

// signed posts a body under a signature's header, "" for none.
func (l *lab) signed(body []byte, header string) int {
	l.t.Helper()
	req, err := http.NewRequest(http.MethodPost, l.receivers()[0].Public+"/pix", bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	if header != "" {
		req.Header.Set(pix.SignatureHeader, header)
	}
	resp, err := l.http.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestStormOfOldCallbacksChangesNothing sends callbacks of long booked Pix again
// and again while the database answers slowly: whoever finds the queue full is
// told to come back, health stays up, nothing is lost and the ledger does not
// move. PIXLAB_STORM says how many callbacks, each sent five times.
func TestStormOfOldCallbacksChangesNothing(t *testing.T) {
	t.Parallel()
	h := usual()
	h.more = []string{"--flush-waiting", "8"}
	l := newLab(t, h, nobody{}, false)
	l.deaf = false
	list := l.pay(count(t, "PIXLAB_STORM", 200), 1)
	l.until("all are credited", func() bool { return len(l.rows().Payments) == len(list) })
	if pending := must(l.rest(t.Context(), patience))(t); len(pending) > 0 {
		t.Fatal(pending)
	}
	before := l.rows()
	var turned, taken atomic.Int64
	free := l.slowDatabase(func() bool { return turned.Load() > 0 })
	var all sync.WaitGroup
	for k := range 64 {
		all.Go(func() {
			for i := k; i < 5*len(list); i += 64 {
				status, header := l.callback(l.http, l.receivers()[i%2].Public, pix.EncodeCallback(list[i%len(list):i%len(list)+1]))
				switch {
				case status == http.StatusOK:
					taken.Add(1)
				case (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && header.Get("Retry-After") != "":
					turned.Add(1)
				default:
					t.Errorf("answered with %d %v", status, header)
				}
			}
		})
	}
	for healthy := range 10 {
		if status, _ := l.call(l.receivers()[healthy%2].Admin, "GET", "/healthz", nil); status != http.StatusOK {
			t.Errorf("health: %d", status)
		}
		time.Sleep(20 * time.Millisecond)
	}
	all.Wait()
	free()
	if taken.Load() == 0 || turned.Load() == 0 {
		t.Errorf("%d were taken and %d turned away; want some of each", taken.Load(), turned.Load())
	}
	l.judged()
	if what := moved(before, l.rows()); what != "" {
		t.Error(what)
	}
	t.Logf("%d of %d taken, %d turned away", taken.Load(), 5*len(list), turned.Load())
}

// slowDatabase holds the inbox locked for most of the time, at first until
// enough is so.
func (l *lab) slowDatabase(enough func() bool) (free func()) {
	l.t.Helper()
	conn := must(pgx.Connect(l.t.Context(), l.house.db.url()))(l.t)
	ctx, cancel := context.WithCancel(l.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer conn.Close(context.WithoutCancel(ctx))
		for sleep(ctx, 10*time.Millisecond) {
			_, err := conn.Exec(context.WithoutCancel(ctx), `BEGIN; LOCK TABLE inbox_event IN EXCLUSIVE MODE`)
			for held := true; held && err == nil; held = !enough() && ctx.Err() == nil {
				time.Sleep(50 * time.Millisecond)
			}
			if _, e := conn.Exec(context.WithoutCancel(ctx), `COMMIT`); err != nil || e != nil {
				l.t.Error(err, e)
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
