package fakepsp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// script drives a PSP without an observer through one run: payments of
// payments, callbacks that fail now and then, and one list call every so many.
func script(tb testing.TB, payments, every int, faults *chaos.Faults) *PSP {
	now := labStart
	p, err := New(Config{
		PixKeys: []pix.PixKey{ourKey}, Now: func() time.Time { return now }, Start: labStart,
		Retry:  chaos.RetryTable{Delays: []time.Duration{time.Second, 5 * time.Second, time.Minute}},
		Secret: pix.Secret{ID: "k1", Key: []byte("secret")},
		Faults: faults, Subject: subjectOf,
	})
	if err != nil {
		tb.Fatal(err)
	}
	call := func(verb, target, body string) {
		r, err := http.NewRequest(verb, target, strings.NewReader(body))
		if err != nil {
			tb.Fatal(err)
		}
		if reply := p.Handle(r); reply.Status >= 300 {
			tb.Fatalf("%s %s: %d %s", verb, target, reply.Status, reply.Body)
		}
	}
	call("PUT", hookPath, `{"webhookUrl":"`+hookURL+`"}`)
	sent := 0
	for n := range payments {
		now = now.Add(50 * time.Millisecond)
		call("PUT", cobPath(n), cobBody("10.00"))
		if _, err := p.Pay(order(n, "10.00")); err != nil {
			tb.Fatal(err)
		}
		for a := p.Take(); a != nil; a = p.Take() {
			sent++
			p.Done(a, Answer{Status: 200 + 300*(sent%3%2)})
		}
		if n%every == 0 {
			from := now.Add(-time.Second).Format(time.RFC3339Nano)
			call("GET", "/v2/pix?inicio="+from+"&fim=2026-03-03T00:00:00Z", "")
		}
	}
	for due, ok := p.Due(); ok; due, ok = p.Due() {
		now = due
		for a := p.Take(); a != nil; a = p.Take() {
			p.Done(a, Answer{Status: 200})
		}
	}
	return p
}

func TestFiftyThousandPaymentsOfOnePlan(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := script(t, 50_000, 10, nil)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if !p.Quiet() || len(p.Settled()) != 50_000 || p.Balance() != 50_000_000 {
		t.Errorf("quiet %v, settled %d, balance %s", p.Quiet(), len(p.Settled()), p.Balance())
	}
}

// TestRefundsOfTenThousandPayments refunds the payments of one account, each
// in two parts, but for one in a hundred that a case takes.
func TestRefundsOfTenThousandPayments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const payments = 10_000
	now := labStart
	p, err := New(Config{
		PixKeys: []pix.PixKey{ourKey}, Now: func() time.Time { return now }, Start: labStart,
		Secret: pix.Secret{ID: "k1", Key: []byte("secret")},
		Terms: func(pix.EndToEndID, pix.RefundID) RefundTerms {
			return RefundTerms{SettleAfter: time.Hour, NotifyAfter: time.Second}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range payments {
		now = now.Add(50 * time.Millisecond)
		if _, err := p.Pay(PayOrder{EndToEndID: e2eOf(n), TxID: "STATIC", Static: true, Amount: 1000}); err != nil {
			t.Fatal(err)
		}
		parts := []string{"A", "B"}
		if n%100 == 0 {
			parts = nil
			if err := p.Report(disputeOf(n, "10.00", chaos.DisputeAccepted)); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range parts {
			r := httptest.NewRequest("PUT", refundPath(n, id), strings.NewReader(`{"valor":"3.00"}`))
			if reply := p.Handle(r); reply.Status != http.StatusCreated {
				t.Fatalf("got %d %s", reply.Status, reply.Body)
			}
		}
		for a := p.Take(); a != nil; a = p.Take() {
			p.Done(a, Answer{Status: 200})
		}
	}
	for due, ok := p.Due(); ok; due, ok = p.Due() {
		now = due
		for a := p.Take(); a != nil; a = p.Take() {
			p.Done(a, Answer{Status: 200})
		}
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	const cases = payments / 100
	if n, b := len(p.Refunds()), p.Balance(); n != 2*(payments-cases)+cases || b != 400*(payments-cases) {
		t.Errorf("%d refunds, balance %s", n, b)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	p, err := New(Config{
		PixKeys: []pix.PixKey{ourKey}, Now: func() time.Time { return labStart },
		Secret: pix.Secret{ID: "k1", Key: []byte("secret")}, Observe: NoObserver{},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Handle(httptest.NewRequest("PUT", hookPath, strings.NewReader(`{"webhookUrl":"`+hookURL+`"}`)))
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 100 {
				n := 1000*worker + i
				p.Handle(httptest.NewRequest("PUT", cobPath(n), strings.NewReader(cobBody("10.00"))))
				_, _ = p.Pay(order(n, "10.00"))
				_, _ = p.Pay(order(i, "10.00")) // a fight over worker 0's charges
				p.Handle(httptest.NewRequest("PUT", refundPath(n, "R1"), strings.NewReader(`{"valor":"1.00"}`)))
				_ = p.Report(disputeOf(n, "9.00", chaos.DisputeAccepted))
				if a := p.Take(); a != nil {
					p.Done(a, Answer{Status: 200})
				}
				p.Handle(httptest.NewRequest("GET", "/v2/pix?"+wholeDay, nil))
				p.Refunds()
				p.Disputes()
				for _, row := range p.SettledSince(0) {
					_ = row.Amount
				}
				p.Statement(labStart, labStart.Add(time.Hour))
			}
		})
	}
	all.Wait()
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if n := len(p.Settled()); n != 400 {
		t.Errorf("settled %d, want 400", n)
	}
}

// BenchmarkRun is what one simulated run costs inside this package and the
// building of its requests.
func BenchmarkRun(b *testing.B) {
	var faults []chaos.Deviation
	for n := range 10 {
		faults = append(faults,
			callback(n, chaos.Change{DelayMS: 500}),
			callbackAt(n, "credit", 1, 1, chaos.Change{CopyAfterMS: 700}),
			callbackAt(n, "credit", 0, 2, chaos.Change{Shape: []string{chaos.ShapeUnknownFields}}))
	}
	merged := (&chaos.Plan{Faults: faults}).Merge()
	for _, each := range []struct {
		name   string
		faults *chaos.Faults
	}{{"clean", nil}, {"faulted", merged}} {
		b.Run(each.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := script(b, 20, 1, each.faults)
				target := fmt.Sprintf("/v2/pix?inicio=%s&fim=2026-03-03T00:00:00Z", labStart.Format(time.RFC3339))
				for range 80 {
					r, err := http.NewRequest("GET", target, nil)
					if err != nil {
						b.Fatal(err)
					}
					p.Handle(r)
				}
			}
		})
	}
}
