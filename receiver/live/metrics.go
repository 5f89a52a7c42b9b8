package live

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pixlab/pixlab/receiver"
)

// Metrics count what one process does, as it does it, in a registry of their
// own. Their methods may be called by many goroutines. Make them with
// [NewMetrics].
type Metrics struct {
	registry *prometheus.Registry

	callbacks *prometheus.CounterVec // status
	refusals  *prometheus.CounterVec // reason
	ack       prometheus.Histogram
	requests  *prometheus.CounterVec // route, status
	panics    prometheus.Counter

	items       *prometheus.CounterVec // channel, result
	credits     prometheus.Counter
	cents       prometheus.Counter
	ledger      prometheus.Histogram
	refunds     *prometheus.CounterVec // end
	quarantined *prometheus.CounterVec // cause
	retries     prometheus.Counter
	orphans     *prometheus.CounterVec // route

	turns    *prometheus.CounterVec   // step, outcome
	commands *prometheus.HistogramVec // command
	failures *prometheus.CounterVec   // command, kind

	flushes    *prometheus.CounterVec // outcome
	flushItems prometheus.Histogram

	waits
}

// NewMetrics makes metrics that read zero.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.front()
	m.money()
	m.waiting()
	m.turns = m.counters("step_turns_total", "Turns of background steps.", "step", "outcome")
	m.commands = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: metricPrefix + "store_command_seconds", Help: "Time that commands of the store took.", Buckets: latencyBuckets(),
	}, []string{"command"})
	m.failures = m.counters("store_errors_total", "Commands of the store that failed.", "command", "kind")
	m.flushes = m.counters("batch_flushes_total", "Flushes of callbacks that shared a commit.", "outcome")
	m.flushItems = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: metricPrefix + "batch_items", Help: "Items in one flush.", Buckets: prometheus.ExponentialBuckets(1, 2, 11),
	})
	m.registry.MustRegister(m.commands, m.flushItems)
	return m
}

const metricPrefix = "pixlab_receiver_"

func (m *Metrics) front() {
	m.callbacks = m.counters("callbacks_total", "Callbacks answered.", "status")
	m.refusals = m.counters("callback_refusals_total", "Callbacks refused, by reason.", "reason")
	m.ack = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: metricPrefix + "ack_seconds", Help: "Time from a callback's header to its 200.", Buckets: latencyBuckets(),
	})
	m.requests = m.counters("api_requests_total", "Requests of the merchant's API answered.", "route", "status")
	m.panics = m.counter("handler_panics_total", "Panics of handlers, answered with 500.")
	m.registry.MustRegister(m.ack)
}

func (m *Metrics) money() {
	m.items = m.counters("inbox_items_total", "Items put into the inbox; known ones are duplicates.", "channel", "result")
	m.credits = m.counter("credits_total", "Pix booked by this process.")
	m.cents = m.counter("credited_cents_total", "Money of those Pix, in cents.")
	m.ledger = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: metricPrefix + "ledger_seconds", Help: "Time from a Pix's first word to the commit of its credit.", Buckets: latencyBuckets(),
	})
	m.registry.MustRegister(m.ledger)
	m.refunds = m.counters("refunds_total", "Refunds whose end this process booked.", "end")
	m.quarantined = m.counters("quarantined_total", "Events that this process set aside: unreadable, refused by the rules, or tried too often.", "cause")
	m.retries = m.counter("event_retries_total", "Events that this process put off.")
	m.orphans = m.counters("orphans_taken_over_total", "Idempotency keys whose request had died, taken over by this process.", "route")
	m.orphans.WithLabelValues(receiver.RouteCharges) // there from the start: the first one counts as a rise
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: metricPrefix + name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricPrefix + name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

// latencyBuckets reach from a quarter of a millisecond to the limits of a request.
func latencyBuckets() []float64 {
	return []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// Handler serves the metrics in Prometheus' own format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Turn hears of a step's turn; see [Options].
func (m *Metrics) Turn(step string, p receiver.Progress, err error) {
	kind, _, _ := strings.Cut(step, "/") // worker/3 is a worker
	outcome := "idle"
	switch {
	case isPanic(err):
		outcome = "panic"
	case err != nil:
		outcome = "error"
	case p.Done > 0:
		outcome = "worked"
	}
	m.turns.WithLabelValues(kind, outcome).Inc()
}

// Flushed hears of a batcher's flush; see [receiver.BatchConfig].
func (m *Metrics) Flushed(_, items int, err error) {
	outcome := "stored"
	if err != nil {
		outcome = "failed"
	}
	m.flushes.WithLabelValues(outcome).Inc()
	m.flushItems.Observe(float64(items))
}

// Panicked hears of a handler's panic; see [ServerConfig].
func (m *Metrics) Panicked() { m.panics.Inc() }
