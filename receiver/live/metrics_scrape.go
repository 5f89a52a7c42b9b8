package live

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// PoolStats is what a store tells of its connections.
type PoolStats struct {
	Max, Open, Idle, Busy int64
	// Acquires counts the times that a connection was asked for, Waits those of
	// them that had to wait, Waited how long all of them waited together.
	Acquires, Waits int64
	Waited          time.Duration
}

// Depths is how many events are in a state, and what the ledger holds,
// whichever process put them there.
type Depths struct {
	Received    int64
	Quarantined map[receiver.QuarantineKind]int64
	// Oldest is when the oldest event that has not ended came in; zero where
	// there is none, or the store does not say.
	Oldest time.Time
	// Totals are the ledger's; nil where the store does not say.
	Totals *Totals
}

// Totals are what the accounts of the ledger come to.
type Totals struct {
	Settlement pix.Amount // on psp:pix:liquidar
	InProcess  pix.Amount // on devolucao:em_processamento, a credit: below zero
	Blocked    pix.Amount // of memos not released
}

// Depther is a store that counts its events itself. The events of another are
// listed, up to maxListed of each sort.
type Depther interface {
	Depths(ctx context.Context) (Depths, error)
}

// maxListed bounds what is read of a store that cannot count.
const maxListed = 1000

// scrapeTimeout bounds what one scrape asks of the store.
const scrapeTimeout = 3 * time.Second

// Watch lets a scrape ask the store how much work it holds and how old the
// oldest is, and the pool, where there is one, how busy it is. A store that does
// not answer leaves its lines out; pixlab_receiver_store_up says so. ctx is the
// process's.
func (m *Metrics) Watch(ctx context.Context, s receiver.Store, clock receiver.Clock, pool func() PoolStats) {
	m.registry.MustRegister(&scrape{ctx: ctx, store: s, clock: clock})
	if pool == nil {
		return
	}
	gauge := func(name, help string, of func(PoolStats) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: metricPrefix + "pool_" + name, Help: help}, func() float64 { return of(pool()) }))
	}
	counter := func(name, help string, of func(PoolStats) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: metricPrefix + "pool_" + name, Help: help}, func() float64 { return of(pool()) }))
	}
	gauge("connections_max", "Connections that the pool may open.", func(p PoolStats) float64 { return float64(p.Max) })
	gauge("connections_open", "Connections that are open.", func(p PoolStats) float64 { return float64(p.Open) })
	gauge("connections_idle", "Connections that nobody uses.", func(p PoolStats) float64 { return float64(p.Idle) })
	gauge("connections_busy", "Connections in use.", func(p PoolStats) float64 { return float64(p.Busy) })
	counter("acquires_total", "Times that a connection was asked for.", func(p PoolStats) float64 { return float64(p.Acquires) })
	counter("waits_total", "Times that all connections were in use.", func(p PoolStats) float64 { return float64(p.Waits) })
	counter("wait_seconds_total", "Time spent waiting for a connection.", func(p PoolStats) float64 { return p.Waited.Seconds() })
}

// WatchBatcher tells how many items wait for a flush.
func (m *Metrics) WatchBatcher(b *receiver.Batcher) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: metricPrefix + "batch_waiting_items", Help: "Items of callbacks that wait for a flush."},
		func() float64 { return float64(b.Waiting()) }))
}

// scrape is a collector that asks the store when it is asked itself.
type scrape struct {
	ctx   context.Context
	store receiver.Store
	clock receiver.Clock
}

// Describe says nothing: what there is depends on the store's answer.
func (s *scrape) Describe(chan<- *prometheus.Desc) {}

// Collect asks the store.
func (s *scrape) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := s.clock.WithTimeout(s.ctx, scrapeTimeout)
	defer cancel()
	up := 0.0
	if err := s.collect(ctx, to); err == nil {
		up = 1
	}
	to <- gaugeOf("store_up", "Whether the store answered this scrape.", up)
}

func (s *scrape) collect(ctx context.Context, to chan<- prometheus.Metric) error {
	due, some, err := s.store.NextDue(ctx, receiver.QueueInbox)
	if err != nil {
		return err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	lag := 0.0
	if some && due.Before(now) {
		lag = now.Sub(due).Seconds()
	}
	to <- gaugeOf("inbox_lag_seconds", "How long the oldest due event has waited.", lag)
	if err := s.queues(ctx, now, to); err != nil {
		return err
	}
	d, err := depths(ctx, s.store)
	if err != nil {
		return err
	}
	age := 0.0
	if !d.Oldest.IsZero() && d.Oldest.Before(now) {
		age = now.Sub(d.Oldest).Seconds()
	}
	to <- gaugeOf("inbox_age_seconds", "Age of the oldest event that has not ended.", age)
	if t := d.Totals; t != nil {
		to <- gaugeOf("ledger_settlement_cents", "What has settled, by the ledger, in cents.", float64(t.Settlement))
		to <- gaugeOf("ledger_in_process_cents", "What refunds in process hold, in cents.", float64(-t.InProcess))
		to <- gaugeOf("ledger_blocked_cents", "What the PSP has blocked, in cents.", float64(t.Blocked))
	}
	to <- gaugeOf("inbox_depth", "Events received and not ended.", float64(d.Received))
	for _, kind := range []receiver.QuarantineKind{receiver.QuarantineWaiting, receiver.QuarantineBad} {
		to <- gaugeOf("quarantine_depth", "Events in quarantine, by who can wake them.", float64(d.Quarantined[kind]), "kind", string(kind))
	}
	return s.payouts(ctx, to, now)
}

// depths counts by the store, or by listing.
func depths(ctx context.Context, s receiver.Store) (Depths, error) {
	if own, ok := s.(Depther); ok {
		return own.Depths(ctx)
	}
	received, err := s.ListEvents(ctx, receiver.EventQuery{State: receiver.EventReceived, Limit: maxListed})
	if err != nil {
		return Depths{}, err
	}
	d := Depths{Received: int64(len(received)), Quarantined: map[receiver.QuarantineKind]int64{}}
	for i, e := range received {
		if i == 0 || e.ReceivedAt.Before(d.Oldest) {
			d.Oldest = e.ReceivedAt
		}
	}
	for _, kind := range []receiver.QuarantineKind{receiver.QuarantineWaiting, receiver.QuarantineBad} {
		aside, err := s.ListEvents(ctx, receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: kind, Limit: maxListed})
		if err != nil {
			return Depths{}, err
		}
		d.Quarantined[kind] = int64(len(aside))
	}
	return d, nil
}

func gaugeOf(name, help string, v float64, label ...string) prometheus.Metric {
	var names, values []string
	for i := 0; i+1 < len(label); i += 2 {
		names, values = append(names, label[i]), append(values, label[i+1])
	}
	return prometheus.MustNewConstMetric(prometheus.NewDesc(metricPrefix+name, help, names, nil), prometheus.GaugeValue, v, values...)
}
