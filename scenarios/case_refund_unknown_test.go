package scenarios_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: a time-out or a 504 was written down as "not sent". The money
// was free again, and went a second time.
func TestRefundOfUnknownOutcomeStaysReserved(t *testing.T) {
	for name, c := range map[string]struct {
		first bend
		heard string
	}{
		"the answer was lost":                     {lost, "PUT 0"},
		"a 504 stands in front of the effect":     {afterwards(http.StatusGatewayTimeout), "PUT 504"},
		"a 500 stands in front of the effect":     {afterwards(http.StatusInternalServerError), "PUT 500"},
		"a 408 stands in front of the effect":     {afterwards(http.StatusRequestTimeout), "PUT 408"},
		"a 409 stands in front of the effect":     {following(problem(http.StatusConflict)), "PUT 409"},
		"a 401 stands in front of the effect":     {following(problem(http.StatusUnauthorized)), "PUT 401"},
		"an answer that is none stands before it": {afterwards(http.StatusCreated), "PUT 201"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, c.first)
			l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
			l.work() // one PUT, and the next batch finds nothing that is due
			id := refundID("DEV-1", 0)
			l.calls(tp, id, c.heard)
			l.reserved(p, "80.00", "20.00")

			tp.on(http.MethodGet, never, instead(http.StatusServiceUnavailable)) // the query fails twice
			for range 2 {
				l.clock.advance(5 * time.Second)
				l.work()
				l.reserved(p, "80.00", "20.00")
			}
			l.rest()
			l.calls(tp, id, c.heard, "GET 0", "GET 503", "GET 200")
			l.stands("DEV-1", receiver.RefundReturned)
			l.returned(p.EndToEndID, "80.00")
			l.endOfDay()
		})
	}
}

// reserved wants so much of a Pix to be on its way back, for all that is known,
// and so much to be left: no more can be spent.
func (l *lab) reserved(p pix.Payment, onItsWay, left string) {
	l.t.Helper()
	l.stands("DEV-1", receiver.RefundReserved)
	l.holds(receiver.AccountInProcess, onItsWay)
	l.holds(receiver.AccountSettlement, p.Amount.String())
	l.left(p.EndToEndID, left)
	l.overCap("DEV-9", p, (pix.MustAmount(left) + 1).String())
}

// "Not found" is no proof that nothing will come: the same id is put again, and
// no other, however often.
func TestNotFoundLeadsToTheSameIdOnly(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	tp.on(http.MethodPut, never, never, instead(http.StatusGatewayTimeout))
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 0", "GET 404", "PUT 0", "GET 404", "PUT 504", "GET 404", "PUT 201")
	l.putOnly(tp, refundID("DEV-1", 0))
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "80.00")
	l.endOfDay()
}

// The same where the effect is there and the query is behind for a while: each
// repeat is the same refund, by whatever habit the PSP has for that.
func TestQueryThatIsBehindMakesNoSecondRefund(t *testing.T) {
	for _, habit := range habits() {
		t.Run(habit, func(t *testing.T) {
			l := newLab(t, labOptions{psp: repeats(habit)})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, lost, lost, lost)
			tp.on(http.MethodGet, instead(http.StatusNotFound), instead(http.StatusNotFound))
			l.refund(http.StatusAccepted, "DEV-1", p, "40.00") // twice would fit
			l.rest()
			l.calls(tp, refundID("DEV-1", 0), "PUT 0", "GET 404", "PUT 0", "GET 404", "PUT 0", "GET 200")
			l.putOnly(tp, refundID("DEV-1", 0))
			l.returned(p.EndToEndID, "40.00")
			l.endOfDay()
		})
	}
}

// A PSP that does not know the Pix itself may not know it yet. For as long as that
// can be, the same id is put again; after that it is a refusal, and the money is
// put back.
func TestPutAnsweredNotFoundIsRepeatedAndNotForEver(t *testing.T) {
	unknown := instead(http.StatusNotFound)
	t.Run("for a while", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.record()
		p := l.sold("PED-1", "100.00")
		tp.on(http.MethodPut, unknown, unknown, unknown)
		l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
		l.rest()
		l.calls(tp, refundID("DEV-1", 0), "PUT 404", "GET 404", "PUT 404", "GET 404", "PUT 404", "GET 404", "PUT 201")
		l.returned(p.EndToEndID, "80.00")
		l.endOfDay()
	})
	t.Run("for ever", func(t *testing.T) {
		l := newLab(t, labOptions{})
		tp := l.record()
		p := l.sold("PED-1", "100.00")
		for range 500 {
			tp.on(http.MethodPut, unknown)
		}
		start := l.clock.Now()
		l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
		l.rest()
		l.stands("DEV-1", receiver.RefundFailed)
		if took := l.clock.Now().Sub(start); took < time.Hour || took > 2*time.Hour {
			t.Errorf("it was given up after %s, want between one and two hours", took)
		}
		l.putOnly(tp, refundID("DEV-1", 0))
		said := tp.said(refundID("DEV-1", 0))
		if n := len(said); said[n-3] != "GET 404" || said[n-2] != "PUT 404" || said[n-1] != "GET 404" {
			t.Errorf("the last calls: %q, want a last question after the last PUT", said)
		}
		l.left(p.EndToEndID, "100.00")
		l.holds(receiver.AccountInProcess, "0.00")
		l.refund(http.StatusAccepted, "DEV-2", p, "80.00")
		l.stands("DEV-2", receiver.RefundReserved)
		l.openCases()
	})
}

// 429 says that nothing was done: later, under the same id.
func TestRefundPutOffByThePspKeepsItsId(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	tp.on(http.MethodPut, instead(http.StatusTooManyRequests), instead(http.StatusTooManyRequests))
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.work()
	l.reserved(p, "80.00", "20.00")
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 429", "GET 404", "PUT 429", "GET 404", "PUT 201")
	l.returned(p.EndToEndID, "80.00")
	l.endOfDay()
}

// The PSP says when to come back. Sooner is a call for nothing.
func TestRetryAfterOfThePspIsHeeded(t *testing.T) {
	for _, header := range []string{"120", "Mon, 02 Mar 2026 12:02:00 GMT"} {
		t.Run(header, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, comeBack(header))
			l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
			l.work()
			l.clock.until(labStart().Add(119 * time.Second))
			l.work()
			l.calls(tp, refundID("DEV-1", 0), "PUT 429")
			l.rest()
			l.returned(p.EndToEndID, "80.00")
		})
	}
}

// comeBack answers 429 for the PSP, which never hears of the call.
func comeBack(retryAfter string) bend {
	return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return respond(req, http.StatusTooManyRequests, http.Header{"Retry-After": {retryAfter}}, nil), nil
	}
}

// A wait that is too long, or none at all, is not heeded: the refund would never
// go, or the PSP be asked without pause.
func TestRetryAfterIsHeededWithinReason(t *testing.T) {
	for _, c := range []struct {
		header string
		within time.Duration
	}{
		{"864000", time.Hour}, {"99999999999999999999", time.Minute}, {"-5", time.Minute}, {"0", time.Minute},
		{"soon", time.Minute}, {"Mon, 02 Mar 2026 11:00:00 GMT", time.Minute}, {"Sun, 01 Mar 2099 11:00:00 GMT", time.Hour},
	} {
		t.Run(c.header, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			start := l.clock.Now()
			tp.on(http.MethodPut, comeBack(c.header))
			l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
			l.rest()
			l.returned(p.EndToEndID, "80.00")
			if took := l.clock.Now().Sub(start); took > c.within || took <= 0 {
				t.Errorf("it took %s, want up to %s", took, c.within)
			}
		})
	}
}

// The same of questions about a Pix, and of calls about a charge.
func TestRetryAfterOfAQuestionAboutAPixIsHeeded(t *testing.T) {
	l := newLab(t, labOptions{})
	txid, asked := l.sale("PED-1", "10.00"), 0
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if req.Method != http.MethodGet || !strings.HasPrefix(req.URL.Path, "/v2/pix/") {
			return call()
		}
		if asked++; asked == 1 {
			return comeBack("120")(req, call)
		}
		return call()
	}
	p := l.payAndTell(txid, "9.00", lax) // not what is due: the PSP is asked
	l.clock.advance(119 * time.Second)
	l.work()
	if l.credited(p.EndToEndID); asked != 1 {
		t.Errorf("the PSP was asked %d times within two minutes, want once", asked)
	}
	l.rest()
	l.credited(p.EndToEndID, "9.00")
	l.endOfDay()
}

func TestRetryAfterOfAChargesCallIsHeeded(t *testing.T) {
	l := newLab(t, labOptions{})
	made := 0
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if !strings.HasPrefix(req.URL.Path, "/v2/cob/") {
			return call()
		}
		if made++; made == 1 {
			return comeBack("120")(req, call)
		}
		return call()
	}
	rec := l.call(http.MethodPost, "/charges", `{"reference":"PED-1","amount":"10.00"}`)
	if rec.Code != http.StatusAccepted {
		t.Fatalf("POST /charges: got %d %s, want 202", rec.Code, rec.Body)
	}
	l.clock.advance(119 * time.Second)
	l.work()
	if made != 1 {
		t.Errorf("the PSP was called %d times within two minutes, want once", made)
	}
	l.rest()
	l.settled("PED-1", "0.00", false)
}

// The callback says what became of it before any query does.
func TestCallbackDoesNotEndACallOfUnknownOutcomeTwice(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	tp.on(http.MethodPut, lost)
	tp.on(http.MethodGet, never, never, never)
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.work()
	l.news()
	l.rest()
	l.stands("DEV-1", receiver.RefundReturned)
	if rows := l.refunds(p.EndToEndID); len(rows) != 1 || rows[0].Origin != receiver.RefundByMerchant {
		t.Errorf("the refunds are %+v", rows)
	}
	l.returned(p.EndToEndID, "80.00")
	l.openCases()
	l.endOfDay()
}

// The account statement does not book a refund as somebody else's while our own
// call for as much has no answer.
func TestStatementWaitsForOurOwnCall(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	tp.on(http.MethodPut, lost)
	for range 40 { // as long as the reconciliation needs to come
		tp.on(http.MethodGet, instead(http.StatusServiceUnavailable))
	}
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.work()
	l.clock.advance(time.Second)
	l.lose()
	l.clock.advance(labGrace + time.Minute)
	l.duty("reconcile")
	l.work()
	if rows := l.refunds(p.EndToEndID); len(rows) != 1 || rows[0].State != receiver.RefundReserved {
		t.Errorf("the refunds are %+v, want ours, still open", rows)
	}
	l.rest()
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "80.00")
	l.openCases()
	l.endOfDay()
}

// tokened is a lab whose PSP wants a token; one is good for an hour.
func tokened(o labOptions) labOptions {
	o.psp = func(c *fakepsp.Config) {
		c.Clients = []fakepsp.Client{{ID: "loja", Secret: "segredo"}}
		c.TokenTTL = time.Hour
	}
	o.receiver = func(r *receiver.Config) {
		r.TokenURL, r.ClientID, r.ClientSecret = labPSP+"/oauth/token", "loja", "segredo"
	}
	return o
}

// From the field: the token ran out in the middle of a refund, the repeat went
// under a new id, and both were made. It is renewed once, and the call is the
// same.
func TestExpiredTokenIsRenewedOnceUnderTheSameId(t *testing.T) {
	const revokedAt = 30 * 60 * 1000
	l := newLab(t, tokened(labOptions{faults: []chaos.Deviation{{
		Kind: "token_expired", Set: chaos.Change{Revoked: true},
		Target: chaos.Target{Window: &chaos.Window{Place: chaos.PlaceToken, FromMS: revokedAt, ToMS: revokedAt + 1000}},
	}}}))
	p := l.sold("PED-1", "100.00")
	l.clock.until(labStart().Add(revokedAt*time.Millisecond + time.Second))
	tp := l.record()
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 401", "PUT 201")
	l.calls(tp, "", "token 200")
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "80.00")
	l.endOfDay()
}

// A token that has run out by our own clock is renewed before the call.
func TestOldTokenIsRenewedBeforeTheCall(t *testing.T) {
	l := newLab(t, tokened(labOptions{}))
	p := l.sold("PED-1", "100.00")
	l.clock.advance(2 * time.Hour)
	tp := l.record()
	l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
	l.refund(http.StatusAccepted, "DEV-2", p, "20.00")
	l.rest()
	l.calls(tp, "", "token 200")
	l.calls(tp, refundID("DEV-1", 0), "PUT 201")
	l.calls(tp, refundID("DEV-2", 0), "PUT 201")
	l.endOfDay()
}

// A PSP that refuses every token has not refused the refund.
func TestTokenRefusedTwiceIsNoRefusalOfTheRefund(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			l := newLab(t, tokened(labOptions{}))
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, problem(status), problem(status))
			l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
			l.work()
			l.reserved(p, "80.00", "20.00")
			l.rest()
			l.putOnly(tp, refundID("DEV-1", 0))
			l.returned(p.EndToEndID, "80.00")
			l.endOfDay()
		})
	}
}

// The token's endpoint is down for a while: nothing is lost, nothing is taken
// for refused, and what was asked for goes when it is up.
func TestTokenEndpointDownLosesNothing(t *testing.T) {
	for name, down := range map[string]bend{
		"503": instead(http.StatusServiceUnavailable), "401": instead(http.StatusUnauthorized), "cut": never,
		"no token in the answer": instead(http.StatusOK),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, tokened(labOptions{}))
			p := l.sold("PED-1", "100.00")
			l.clock.advance(2 * time.Hour)
			second := l.pay(l.code("BALCAO", ""), "50.00")
			tp := l.record()
			for range 12 {
				tp.on("token", down)
			}
			l.refund(http.StatusAccepted, "DEV-1", p, "80.00")
			l.work()
			l.clock.advance(20 * time.Second)
			l.work()
			l.reserved(p, "80.00", "20.00")
			l.putOnly(tp)
			if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK { // callbacks want none
				t.Errorf("a callback meanwhile: got %v, want 200", got)
			}
			l.rest()
			l.stands("DEV-1", receiver.RefundReturned)
			l.returned(p.EndToEndID, "80.00")
			l.credited(second.EndToEndID, "50.00")
			said := tp.said(refundID("DEV-1", 0))
			if puts := slices.DeleteFunc(slices.Clone(said), func(s string) bool { return s != "PUT 201" }); len(puts) != 1 {
				t.Errorf("calls: %q, want one PUT", said)
			}
			l.endOfDay()
		})
	}
}
