package scenarios_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// From the field: two refunds looked at the remainder at once, both found
// enough, and both went. Two processes, 2 to 20 requests at a time.
func TestRefundsAtOnceNeverExceedThePix(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.record()
	code := l.code("BALCAO", "")
	var paid []pix.Payment
	for range 100 {
		paid = append(paid, l.pay(code, "100.00"))
	}
	l.deliver()
	l.sweep()
	for round, p := range paid {
		requests := 2 + round%19
		answers := make([]*httptest.ResponseRecorder, requests)
		var all sync.WaitGroup
		for n := range requests {
			all.Go(func() {
				reference := fmt.Sprintf("DEV-%d-%d", round, n)
				answers[n] = l.request(n%2, http.MethodPost, "/refunds", reference, refundBody(reference, p.EndToEndID, "60.00"))
			})
		}
		all.Wait()
		accepted, refused := 0, 0
		for _, rec := range answers {
			switch {
			case rec.Code == http.StatusAccepted:
				accepted++
			case refusedFor(rec, receiver.ReasonOverCap):
				refused++
			default:
				t.Errorf("round %d: got %d %s", round, rec.Code, rec.Body)
			}
		}
		if accepted != 1 || refused != requests-1 {
			t.Errorf("round %d: %d accepted and %d refused, want 1 and %d", round, accepted, refused, requests-1)
		}
	}
	l.sendAtOnce()
	if got := len(tp.calls); got != 100 || len(tp.put()) != 100 {
		t.Errorf("the PSP had %d calls about %d refunds, want 100 about 100", got, len(tp.put()))
	}
	for _, p := range paid {
		l.returned(p.EndToEndID, "60.00")
		l.left(p.EndToEndID, "40.00")
	}
	l.endOfDay()
}

// sendAtOnce has the senders of both processes work at the same time until
// neither finds anything.
func (l *lab) sendAtOnce() {
	l.t.Helper()
	for {
		done := make([]int, len(l.steps))
		var all sync.WaitGroup
		for n, steps := range l.steps {
			all.Go(func() {
				p, err := steps["refunds"].RunOnce(l.t.Context())
				if err != nil {
					l.t.Error(err)
				}
				done[n] = p.Done
			})
		}
		all.Wait()
		if done[0]+done[1] == 0 {
			return
		}
	}
}

// One reference, asked for many times at once, is one refund.
func TestOneReferenceAtOnceIsOneRefund(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			rec := l.request(n%2, http.MethodPost, "/refunds", fmt.Sprint("key ", n), refundBody("DEV-1", p.EndToEndID, "5.00"))
			if rec.Code != http.StatusAccepted {
				t.Errorf("request %d: got %d %s, want 202", n, rec.Code, rec.Body)
			}
		})
	}
	all.Wait()
	l.sendAtOnce()
	l.calls(tp, refundID("DEV-1", 0), "PUT 201")
	l.returned(p.EndToEndID, "5.00")
	l.endOfDay()
}

// A refund of nothing, or of less, is no refund; nor is one without a Pix.
func TestRefundThatIsNoneIsRefused(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.unmoved("what is no refund", func() {
		for _, amount := range []string{"0.00", "-5.00", "", "5", "5,00", " 5.00", "1e1", "5.001"} {
			l.refund(http.StatusBadRequest, "DEV-1", p, amount)
		}
		for _, ask := range []string{
			``, `{}`, `[]`, `{"reference":"DEV-1","amount":"5.00"}`,
			refundBody("", p.EndToEndID, "5.00"), refundBody("DEV-1", "E1", "5.00"),
			strings.Replace(refundBody("DEV-1", p.EndToEndID, "5.00"), `"5.00"`, `5.00`, 1),
		} {
			if rec := l.call(http.MethodPost, "/refunds", ask); rec.Code != http.StatusBadRequest {
				t.Errorf("POST /refunds %s: got %d %s, want 400", ask, rec.Code, rec.Body)
			}
		}
		l.rest()
	})
	l.putOnly(tp)
	l.overCap("DEV-1", p, "100.01")
	l.refund(http.StatusAccepted, "DEV-1", p, "100.00")
	l.rest()
	l.returned(p.EndToEndID, "100.00")
	l.endOfDay()
}

// The same race in a whole world, where the seed decides who comes first.
func TestRefundsOfOneInstantNeverExceedThePix(t *testing.T) {
	t.Parallel()
	winners := map[string]int{}
	for seed := range chaos.Seed(30) {
		p := worldPlan(t, seed, 1)
		for n := range 4 {
			p.Refunds = append(p.Refunds, chaos.Refund{
				ID: fmt.Sprintf("r%d", n), Payment: "p0", Origin: chaos.OriginMerchant, Reference: fmt.Sprintf("DEV-%d", n),
				AmountCents: 600, AtMS: 3 * hourMS, SettleAfterMS: int64(n) * 200, NotifyAfterMS: 50,
			})
		}
		var trace bytes.Buffer
		r := playRefunds(t, p, &trace)
		if r.Refunds != 1 || r.RefundedCents != 600 || r.LedgerCents != 400 || r.CasesOpen != 0 {
			t.Errorf("seed %s: %d refunds of %d cents, %d in the ledger, %d cases; want 1, 600, 400, 0",
				seed, r.Refunds, r.RefundedCents, r.LedgerCents, r.CasesOpen)
		}
		answers := answersOf(t, &trace, "refund.answer")
		won := ""
		for subject, list := range answers {
			if list[len(list)-1] == "202" {
				won += subject
			}
		}
		if asked := answersOf(t, &trace, "refund.asked"); len(answers) != 4 || len(won) != len("r0") || len(asked[""]) != 1 {
			t.Errorf("seed %s: the merchant was answered %v, the PSP was asked for %v; want one accepted and asked for", seed, answers, asked)
		}
		winners[won]++
	}
	if len(winners) < 2 {
		t.Errorf("the first is always %v: the seed decides nothing", winners)
	}
}

// playRefunds runs a plan with refunds and wants every invariant to hold.
func playRefunds(t *testing.T, p *chaos.Plan, trace *bytes.Buffer) *scenarios.Report {
	t.Helper()
	w, err := scenarios.NewWorld(p, scenarios.Options{Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Run()
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != scenarios.Held {
		for _, i := range r.Invariants {
			if !i.Held {
				t.Errorf("seed %s: %s broke: %s", p.Seed, i.ID, i.Detail)
			}
		}
		t.Fatalf("seed %s: %s, pending %v", p.Seed, r.Verdict, r.Pending)
	}
	return r
}

// answersOf are the details of a trace's events of one kind, by subject.
func answersOf(t *testing.T, trace *bytes.Buffer, kind string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(trace.Bytes()))
	for lines.Scan() {
		var e struct {
			Kind, Detail string
			IDs          map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == kind {
			out[e.IDs["subject"]] = append(out[e.IDs["subject"]], e.Detail)
		}
	}
	return out
}

// Two processes must not send one refund twice, either: the second finds it
// leased, and when the lease is over it asks before it repeats.
func TestSecondSenderAsksBeforeItRepeats(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "60.00")
	tp.on(http.MethodPut, func(_ *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		resp, err := call()
		if _, err := l.steps[1]["refunds"].RunOnce(t.Context()); err != nil { // at once
			t.Error(err)
		}
		l.clock.advance(31 * time.Second) // the lease is over
		if _, err := l.steps[1]["refunds"].RunOnce(t.Context()); err != nil {
			t.Error(err)
		}
		return resp, err
	})
	if err := l.step("refunds"); err != nil {
		t.Fatal(err)
	}
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "GET 200", "PUT 201") // noted as they were answered
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "60.00")
	l.endOfDay()
}
