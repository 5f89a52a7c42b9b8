package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Wrap is the store, with everything counted that is done to it.
func (m *Metrics) Wrap(s receiver.Store, clock receiver.Clock) receiver.Store {
	return &counted{Store: s, m: m, clock: clock, claims: map[int64]claim{}}
}

// counted wraps the commands that move events and money; the others are not timed.
type counted struct {
	receiver.Store
	m     *Metrics
	clock receiver.Clock

	mu sync.Mutex
	// claims are the events that this process is at work on: an application
	// names its event by id alone.
	claims map[int64]claim
}

// claim is what an event is about: money in, or the end of a refund.
type claim struct {
	amount pix.Amount
	end    receiver.RefundState // of a refund; empty on a credit
	came   time.Time            // into the inbox; zero where that is not known
}

// maxClaims bounds claims: those of turns that ended in an error stay behind.
const maxClaims = 10_000

// timed counts one command that began then.
func (s *counted) timed(command string, began time.Time, err error) {
	s.m.commands.WithLabelValues(command).Observe(s.clock.Now().Sub(began).Seconds())
	if err != nil {
		s.m.failures.WithLabelValues(command, errorKind(err)).Inc()
	}
}

func errorKind(err error) string {
	switch {
	case errors.Is(err, receiver.ErrCommitUnknown):
		return "commit_unknown"
	case errors.Is(err, receiver.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "context"
	}
	return "other"
}

func (s *counted) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.AppendInbox(ctx, in)
	s.timed("append_inbox", began, err)
	for i, o := range out {
		s.m.items.WithLabelValues(string(in[i].Channel), string(o.Result)).Inc()
		if in[i].Invalid != "" && o.Result == receiver.AppendNew {
			s.m.quarantined.WithLabelValues("unreadable").Inc()
		}
	}
	return out, err
}

func (s *counted) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	began := s.clock.Now()
	out, err := s.Store.ClaimEvents(ctx, in)
	s.timed("claim_events", began, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.claims) > maxClaims {
		clear(s.claims)
	}
	for _, e := range out {
		switch {
		case e.Refund != nil:
			s.claims[e.ID] = claim{end: endOf(e.Refund.Status)}
		case e.Credit != nil:
			s.claims[e.ID] = claim{amount: e.Credit.Amount, came: e.ReceivedAt}
		}
	}
	return out, err
}

func (s *counted) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	began := s.clock.Now()
	out, err := s.Store.ApplyEvents(ctx, in)
	s.timed("apply_events", began, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range out {
		c, known := s.claims[in[i].EventID]
		switch {
		case in[i].Confirmed != nil:
			c.amount = in[i].Confirmed.Amount
		case in[i].Refund != nil:
			c.end = endOf(in[i].Refund.Status)
		}
		switch o.Result {
		case receiver.ApplyConfirm:
			continue // the same event comes again
		case receiver.ApplyBooked:
			s.booked(c, known)
		case receiver.ApplyAside:
			s.m.quarantined.WithLabelValues("refused").Inc()
		}
		delete(s.claims, in[i].EventID)
	}
	return out, err
}

func (s *counted) booked(c claim, known bool) {
	switch {
	case c.end != "":
		s.m.refunds.WithLabelValues(string(c.end)).Inc()
	case known:
		s.m.credits.Inc()
		s.m.cents.Add(float64(c.amount))
		if !c.came.IsZero() {
			s.m.ledger.Observe(s.clock.Now().Sub(c.came).Seconds())
		}
	}
}

// endOf is the end that a status is, or processing where it is none.
func endOf(s pix.RefundStatus) receiver.RefundState {
	switch s {
	case pix.RefundReturned:
		return receiver.RefundReturned
	case pix.RefundFailed:
		return receiver.RefundFailed
	}
	return receiver.RefundProcessing
}

func (s *counted) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	began := s.clock.Now()
	out, err := s.Store.DeferEvents(ctx, in)
	s.timed("defer_events", began, err)
	for i, done := range out {
		switch {
		case done && in[i].Quarantine != "":
			s.m.quarantined.WithLabelValues("tried_too_often").Inc()
		case done:
			s.m.retries.Inc()
		}
	}
	return out, err
}
