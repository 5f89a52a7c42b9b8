package live

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pixlab/pixlab/receiver"
)

// waits count what does not come to an end by itself: calls without a known
// outcome, lines of the statement that the ledger does not have so, a callback
// URL that was gone.
type waits struct {
	attempts *prometheus.HistogramVec // what
	lines    *prometheus.CounterVec   // class
	adjusted *prometheus.CounterVec   // class
	calls    *prometheus.CounterVec   // route, method, status
}

func (m *Metrics) waiting() {
	m.attempts = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: metricPrefix + "pending_attempts", Help: "Which attempt each turn about a charge or refund of unknown outcome was.",
		Buckets: []float64{1, 2, 5, 10, 20, 50},
	}, []string{"what"})
	m.registry.MustRegister(m.attempts)
	m.lines = m.counters("statement_lines_total", "Lines of the account statement compared with the ledger.", "class")
	m.adjusted = m.counters("adjustments_total", "Adjustments that brought the ledger to the statement, by the difference.", "class")
	m.calls = m.counters("calls_total", "Calls made, to the PSP or the merchant.", "route", "method", "status")
	for _, what := range []string{pendingCharge, pendingRefund} {
		m.attempts.WithLabelValues(what)
	}
	for _, class := range []receiver.MatchClass{receiver.MatchMissingInLedger, receiver.MatchMissingAtPSP, receiver.MatchDivergent} {
		m.lines.WithLabelValues(string(class))
		m.adjusted.WithLabelValues(string(class))
	}
	m.calls.WithLabelValues("webhook", http.MethodPut, "200")
}

const (
	pendingCharge = "charge"
	pendingRefund = "refund"
)

func (s *counted) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	began := s.clock.Now()
	out, err := s.Store.LeaseCharges(ctx, in)
	s.timed("lease_charges", began, err)
	for _, c := range out {
		s.m.attempts.WithLabelValues(pendingCharge).Observe(float64(c.Attempts))
	}
	return out, err
}

func (s *counted) LeaseRefunds(ctx context.Context, in receiver.Lease) ([]receiver.Refund, error) {
	began := s.clock.Now()
	out, err := s.Store.LeaseRefunds(ctx, in)
	s.timed("lease_refunds", began, err)
	for _, x := range out {
		s.m.attempts.WithLabelValues(pendingRefund).Observe(float64(x.Attempts))
	}
	return out, err
}

// matched counts what a comparison with the statement came to.
func (m *Metrics) matched(out []receiver.MatchOutcome) {
	for _, o := range out {
		if o.Class != "" {
			m.lines.WithLabelValues(string(o.Class)).Inc()
		}
	}
}

// Calls counts the calls made through next.
func (m *Metrics) Calls(next receiver.Doer) receiver.Doer { return countedCalls{next, m} }

type countedCalls struct {
	receiver.Doer
	m *Metrics
}

// Do sends one request. A call without an answer has the status 0.
func (c countedCalls) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.Doer.Do(req)
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	c.m.calls.WithLabelValues(callRoute(req.URL.Path), req.Method, strconv.Itoa(status)).Inc()
	return resp, err
}

// callRoute is what a path is about, as one of a few words.
func callRoute(path string) string {
	_, after, api := strings.Cut(path, "/v2/")
	switch first, _, _ := strings.Cut(after, "/"); {
	case strings.Contains(after, "/devolucao/"):
		return "devolucao"
	case api && (first == "cob" || first == "pix" || first == "webhook"):
		return first
	case strings.HasSuffix(path, "/extrato"):
		return "extrato"
	case strings.HasSuffix(path, "/token"):
		return "token"
	}
	return "other"
}

// queues tells how late each queue is, and each duty.
func (s *scrape) queues(ctx context.Context, now time.Time, to chan<- prometheus.Metric) error {
	for _, q := range []receiver.Queue{
		receiver.QueueInbox, receiver.QueueCharges, receiver.QueueRefunds, receiver.QueueOutbox,
		receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.DutyReconcile, receiver.DutyRegister,
	} {
		due, some, err := s.store.NextDue(ctx, q)
		if err != nil {
			return err
		}
		lag := 0.0
		if some && due.Before(now) {
			lag = now.Sub(due).Seconds()
		}
		to <- gaugeOf("queue_lag_seconds", "How long the oldest due work of a queue, or a duty, has waited.", lag, "queue", string(q))
	}
	return nil
}

func (s *counted) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	began := s.clock.Now()
	out, err := s.Store.PostAdjustments(ctx, in)
	s.timed("post_adjustments", began, err)
	for i, posted := range out {
		if posted {
			s.m.adjusted.WithLabelValues(string(in[i].Reason)).Inc()
		}
	}
	return out, err
}
