package live

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pixlab/pixlab/receiver"
)

// WatchBooks lets a scrape ask the store what waits for operators: dead letters,
// open cases, and how late each endpoint's next event is. ctx is the process's.
func (m *Metrics) WatchBooks(ctx context.Context, s receiver.Store, clock receiver.Clock, endpoints []receiver.Endpoint) {
	m.registry.MustRegister(&bookScrape{scrape{ctx: ctx, store: s, clock: clock}, endpoints})
}

// bookScrape is a collector that asks the store when it is asked itself.
type bookScrape struct {
	scrape
	endpoints []receiver.Endpoint
}

// Collect asks the store; where it does not answer its lines are left out.
func (s *bookScrape) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := s.clock.WithTimeout(s.ctx, scrapeTimeout)
	defer cancel()
	now, err := s.store.Now(ctx)
	if err != nil {
		return
	}
	for _, e := range s.endpoints {
		due, some, err := s.store.NextDue(ctx, receiver.OutboxQueue(e.Name))
		if err != nil {
			return
		}
		late := 0.0
		if some && due.Before(now) {
			late = now.Sub(due).Seconds()
		}
		to <- gaugeOf("outbox_late_seconds", "How long the endpoint's next event has been due.", late, "endpoint", e.Name)
		dead, err := s.store.ListOutbox(ctx, receiver.OutboxQuery{Endpoint: e.Name, Dead: true, Limit: maxListed})
		if err != nil {
			return
		}
		to <- gaugeOf("outbox_dead", "Dead letters that nobody has skipped, up to 1,000.", float64(len(dead)), "endpoint", e.Name)
	}
	open, err := s.store.ListCases(ctx, receiver.CaseQuery{State: receiver.CaseOpen, Limit: maxListed})
	if err != nil {
		return
	}
	oldest := 0.0
	for _, c := range open {
		oldest = max(oldest, now.Sub(c.OpenedAt).Seconds())
	}
	to <- gaugeOf("cases_open", "Open cases, up to 1,000.", float64(len(open)))
	to <- gaugeOf("case_oldest_seconds", "How long the oldest of the open cases looked at has been open.", oldest)
}
