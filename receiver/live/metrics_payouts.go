package live

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pixlab/pixlab/receiver"
)

// payouts tells of payouts whose end is not known: how many there are, how many
// of them wait for a person, and how old the oldest is. An alert stands on the
// last two.
func (s *scrape) payouts(ctx context.Context, to chan<- prometheus.Metric, now time.Time) error {
	open, err := s.store.ListPayouts(ctx, receiver.PayoutQuery{Open: true, Limit: maxListed})
	if err != nil {
		return err
	}
	queued, oldest := 0, 0.0
	for _, p := range open {
		if p.Queued {
			queued++
		}
		oldest = max(oldest, now.Sub(p.RequestedAt).Seconds())
	}
	to <- gaugeOf("payouts_open", "Payouts whose end is not known.", float64(len(open)))
	to <- gaugeOf("payouts_queued", "Payouts in the conciliation queue: a person has to look.", float64(queued))
	to <- gaugeOf("payouts_oldest_seconds", "How long the oldest payout without an end has been open.", oldest)
	return nil
}
