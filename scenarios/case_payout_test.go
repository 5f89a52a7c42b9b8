package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: each try got a key of its own, and the PSP, which could not see
// that it was the same, sent the money twice. Here ten answers are lost, the
// sender is restarted between two of them, and the caller asks again.
func TestPayoutUnansweredTenTimesGoesOutOnce(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	for range 10 {
		tp.on(http.MethodPost, lost)
		tp.on(http.MethodGet, never)
	}
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	for n := range 5 {
		l.sendOnce(n % 2) // another process each time
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		l.clock.advance(time.Minute)
	}
	if got := l.queued(); !slices.Equal(got, []string{"PAG-1"}) {
		t.Fatalf("in the conciliation queue: %v, want PAG-1", got)
	}
	l.aside("80.00", "20.00")
	for range 5 {
		l.clock.advance(20 * time.Minute)
		l.sendOnce(0) // asks, and sends no more
	}
	l.payoutStands("PAG-1", receiver.PayoutReserved)
	l.oneKey(tp, "PAG-1")
	l.sent("80.00")

	l.clock.advance(20 * time.Minute)
	tp.bends[http.MethodGet] = nil // the line is mended
	l.rest()
	got := l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	if rec := l.payoutRequest("PAG-1", "80.00"); rec.Code != http.StatusAccepted || !strings.Contains(rec.Body.String(), string(got.EndToEndID)) {
		t.Errorf("the caller asks again: got %d %s, want the same payment", rec.Code, rec.Body)
	}
	l.sent("80.00")
	l.holds(receiver.AccountInTransit, "0.00")
	l.endOfDay()
}

// A time-out, a 504 from in front and a 429 are written down as what they are.
// Until the query has answered nothing is sent again, and the money is not free.
func TestPayoutOfUnknownOutcomeStaysReserved(t *testing.T) {
	for name, c := range map[string]struct {
		first bend
		heard string
	}{
		"the answer was lost after the debit":  {lost, "POST 0"},
		"a 504 stands in front of the debit":   {afterwards(http.StatusGatewayTimeout), "POST 504"},
		"a 500 stands in front of the debit":   {afterwards(http.StatusInternalServerError), "POST 500"},
		"a 408 stands in front of the debit":   {afterwards(http.StatusRequestTimeout), "POST 408"},
		"a 409 says that it is in flight":      {following(instead(http.StatusConflict)), "POST 409"},
		"an answer that is none stands before": {afterwards(http.StatusCreated), "POST 201"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.listen()
			l.sold("PED-1", "100.00")
			tp.on(http.MethodPost, c.first)
			l.payOut(http.StatusAccepted, "PAG-1", "80.00")
			l.work() // the next batch finds nothing that is due
			l.about(tp, "PAG-1", c.heard)
			l.aside("80.00", "20.00")

			tp.on(http.MethodGet, never, instead(http.StatusServiceUnavailable))
			for range 2 {
				l.clock.advance(15 * time.Second)
				l.work()
				l.payoutStands("PAG-1", receiver.PayoutReserved)
				l.aside("80.00", "20.00")
			}
			l.rest()
			l.about(tp, "PAG-1", c.heard, "GET 0", "GET 503", "GET 200")
			l.payoutStands("PAG-1", receiver.PayoutConfirmed)
			l.sent("80.00")
			l.endOfDay()
		})
	}
}

// "Not found" is no proof that nothing will come: the same key is sent again, and
// no other.
func TestPayoutNotFoundIsSentAgainUnderItsKeyOnly(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, never, instead(http.StatusServiceUnavailable), instead(http.StatusTooManyRequests))
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.rest()
	l.about(tp, "PAG-1", "POST 0", "GET 404", "POST 503", "GET 404", "POST 429", "GET 404", "POST 201")
	l.oneKey(tp, "PAG-1")
	l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	l.sent("80.00")
	l.endOfDay()
}

// The PSP says when to come back. Sooner is a call for nothing.
func TestPayoutPutOffWaitsAsLongAsItIsTold(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, comeBack("120"))
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.work()
	l.clock.advance(119 * time.Second)
	l.work()
	l.about(tp, "PAG-1", "POST 429")
	l.clock.advance(time.Second)
	l.work()
	l.about(tp, "PAG-1", "POST 429", "GET 404", "POST 201")
}

// A refused first request ends a payout. A refused repeat does not: an earlier
// call may have taken effect. It ends it once the PSP can no longer hide that.
func TestPayoutRefusedAtFirstIsPutBackAndLaterNotSoon(t *testing.T) {
	refused := problem(http.StatusUnprocessableEntity)
	t.Run("at first", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		tp.on(http.MethodPost, refused)
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		l.rest()
		l.about(tp, "PAG-1", "POST 422")
		l.payoutStands("PAG-1", receiver.PayoutFailed)
		l.aside("0.00", "100.00")
		l.sent()
		l.endOfDay()
	})
	t.Run("later, and it was made", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		gone := instead(http.StatusNotFound)
		tp.on(http.MethodPost, lost, refused, refused, refused, refused)
		tp.on(http.MethodGet, gone, gone, gone, gone, gone, gone)
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		l.rest()
		l.payoutStands("PAG-1", receiver.PayoutConfirmed)
		l.sent("80.00")
		l.endOfDay()
	})
	t.Run("later, as the key stands for something", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		inUse := rewritten(`"devolucao.valor"`, `"Idempotency-Key"`)
		taken := func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			return inUse(req, func() (*http.Response, error) { return refused(req, nil) })
		}
		tp.on(http.MethodPost, never, taken, taken, taken, taken)
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		for range 200 { // and the PSP knows of no payout all the while
			l.clock.advance(time.Minute)
			l.work()
		}
		l.payoutStands("PAG-1", receiver.PayoutReserved)
		l.aside("80.00", "20.00")
		l.sent()
	})
	t.Run("later, and it never was", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		tp.on(http.MethodPost, never, refused, refused, refused, refused)
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		began := l.clock.Now()
		l.rest()
		l.payoutStands("PAG-1", receiver.PayoutFailed)
		if took := l.clock.Now().Sub(began); took < time.Hour || took > 90*time.Minute {
			t.Errorf("it was given up after %s, want an hour and not much more", took)
		}
		l.aside("0.00", "100.00")
		l.sent()
	})
}

// A process dies at any point between the intention and its end, and another one
// takes over: at once nothing is sent, after the lease it is asked about first.
func TestPayoutOfADeadProcessIsAskedAboutBeforeItIsSent(t *testing.T) {
	dead := func() error { return receiver.ErrUnavailable }
	t.Run("before the call", func(t *testing.T) {
		l := newLab(t, labOptions{receivers: 2})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		if _, err := l.store.LeasePayouts(t.Context(), receiver.Lease{Holder: "dead", Now: l.clock.Now(), For: 30 * time.Second, Limit: 1}); err != nil {
			t.Fatal(err)
		}
		l.work() // at once: it is somebody's
		l.about(tp, "PAG-1")
		l.clock.advance(31 * time.Second)
		l.sendOnce(1)
		l.about(tp, "PAG-1", "GET 404", "POST 201")
		l.sent("80.00")
		l.rest()
		l.endOfDay()
	})
	t.Run("between the debit and the storing of the answer", func(t *testing.T) {
		l := newLab(t, labOptions{receivers: 2})
		tp := l.listen()
		l.sold("PED-1", "100.00")
		l.payOut(http.StatusAccepted, "PAG-1", "80.00")
		l.store.before["RecordPayouts"] = dead
		if _, err := l.steps[0]["payouts"].RunOnce(t.Context()); err == nil {
			t.Fatal("the store was down and nobody noticed")
		}
		l.work()
		l.about(tp, "PAG-1", "POST 201")
		l.payoutStands("PAG-1", receiver.PayoutReserved)
		l.clock.advance(31 * time.Second)
		l.sendOnce(1)
		l.about(tp, "PAG-1", "POST 201", "GET 200")
		l.payoutStands("PAG-1", receiver.PayoutConfirmed)
		l.sent("80.00")
		l.endOfDay()
	})
	t.Run("in the request itself", func(t *testing.T) {
		l := newLab(t, labOptions{})
		l.sold("PED-1", "100.00")
		l.store.before["ReservePayouts"] = dead
		const key = "one intention"
		body := fmt.Sprintf(`{"reference":"PAG-1","pix_key":%q,"amount":"80.00"}`, payeeKey)
		if rec := l.request(0, http.MethodPost, "/payouts", key, body); rec.Code != http.StatusServiceUnavailable {
			t.Fatalf("got %d %s, want 503", rec.Code, rec.Body)
		}
		first := l.request(0, http.MethodPost, "/payouts", key, body) // at once
		l.rest()
		again := l.request(0, http.MethodPost, "/payouts", key, body)
		if first.Code != http.StatusAccepted || again.Code != first.Code || again.Body.String() != first.Body.String() {
			t.Errorf("got %d %s, then %d %s; want 202 and the same bytes", first.Code, first.Body, again.Code, again.Body)
		}
		l.sent("80.00")
		l.endOfDay()
	})
}

// A rejection after the balance was taken puts it back, once, however often it is
// told of.
func TestPayoutRejectedLateIsPutBackOnce(t *testing.T) {
	l := newLab(t, labOptions{psp: payoutTerms(map[string]fakepsp.PayoutTerms{"PAG-1": {SettleAfter: 10 * time.Minute, Rejects: true}})})
	l.sold("PED-1", "100.00")
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.work()
	l.payoutStands("PAG-1", receiver.PayoutProcessing)
	l.aside("80.00", "20.00")
	l.news()
	row := l.psp.Payouts()[0].Payout
	for range 3 {
		l.payoutNews(row)
		l.rest()
	}
	l.payoutStands("PAG-1", receiver.PayoutFailed)
	l.aside("0.00", "100.00")
	l.openCases()
	l.endOfDay()
}

// What comes back of a payout is an entry of its own, once.
func TestPayoutReturnIsAnEntryOfItsOwn(t *testing.T) {
	l := newLab(t, labOptions{psp: payoutTerms(map[string]fakepsp.PayoutTerms{
		"PAG-1": {Returns: []fakepsp.ReturnTerms{{After: 10 * time.Minute, Amount: 8000}}},
	})})
	l.sold("PED-1", "100.00")
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.work()
	l.news()
	for range 2 {
		l.payoutNews(l.psp.Payouts()[0].Payout)
		l.rest()
	}
	if got := l.payoutStands("PAG-1", receiver.PayoutConfirmed); got.Returned != "80.00" {
		t.Errorf("came back: %s, want 80.00", got.Returned)
	}
	l.holds(receiver.AccountUndecided, "80.00")
	l.holds(receiver.AccountSettlement, "100.00")
	l.aside("0.00", "100.00")
	l.endOfDay()
}

// A rejection of an older attempt that comes after the confirmation is ignored,
// and a person hears of it.
func TestPayoutRejectedAfterItsConfirmationIsIgnoredAndReported(t *testing.T) {
	l := newLab(t, labOptions{})
	l.sold("PED-1", "100.00")
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.rest()
	late := l.psp.Payouts()[0].Payout
	late.Status, late.SettledAt = pix.PayoutRejected, time.Time{}
	l.payoutNews(late)
	l.rest()
	l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	l.aside("0.00", "20.00")
	l.openCases(receiver.PayoutCase(payoutKey("PAG-1")))
	l.endOfDay()
}

// Two processes whose clocks are minutes apart judge one lease by the store's
// clock: no payout is handled by both, and one of a dead process is taken over as
// soon as its lease is over.
func TestTwoClocksShareTwentyPayouts(t *testing.T) {
	for name, skew := range map[string]time.Duration{"ahead": 5 * time.Minute, "behind": -5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{receivers: 2, receiver: func(c *receiver.Config) {
				if c.Name == "receiver/2" {
					c.Clock = skewedClock{c.Clock, skew}
				}
			}})
			tp := l.listen()
			l.sold("PED-1", "1000.00")
			for n := range 20 {
				l.payOut(http.StatusAccepted, fmt.Sprintf("PAG-%02d", n), "10.00")
			}
			l.work() // both in turn, until nothing is due
			for n := range 20 {
				l.about(tp, fmt.Sprintf("PAG-%02d", n), "POST 201")
			}
			l.sent(slices.Repeat([]string{"10.00"}, 20)...)

			l.payOut(http.StatusAccepted, "PAG-LAST", "10.00")
			if _, err := l.store.LeasePayouts(t.Context(), receiver.Lease{Holder: "dead", Now: l.clock.Now(), For: time.Minute, Limit: 1}); err != nil {
				t.Fatal(err)
			}
			l.clock.advance(59 * time.Second)
			l.work()
			l.about(tp, "PAG-LAST")
			l.clock.advance(time.Second)
			l.sendOnce(1)
			l.about(tp, "PAG-LAST", "GET 404", "POST 201")
			l.rest()
			l.endOfDay()
		})
	}
}

// skewedClock is a process's clock that is wrong by so much.
type skewedClock struct {
	receiver.Clock
	by time.Duration
}

func (c skewedClock) Now() time.Time { return c.Clock.Now().Add(c.by) }

func (c skewedClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return c.Clock.WithTimeout(ctx, d)
}
