package receiver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// dispatcher tells one endpoint of the merchant's of committed effects. It holds
// a lease while sending and no transaction; what it reports back counts only
// while the lease is its own. Each endpoint has its own, so that one that is
// down, or slow, holds up no other.
type dispatcher struct {
	r  *Receiver
	to Endpoint
}

func (s dispatcher) Name() string { return "dispatcher/" + s.to.Name }
func (s dispatcher) Queue() Queue { return OutboxQueue(s.to.Name) }

// maxSends is the tries after which an event is a dead letter.
const maxSends = 12

// merchantEvent is the body of one event. Payment and number name the effect, and
// on an event about a payout its key and number: who has seen that pair before has
// seen the effect.
type merchantEvent struct {
	ID         int64          `json:"id"`
	Kind       string         `json:"kind"`
	EndToEndID pix.EndToEndID `json:"endToEndId,omitempty"` // none of a payout that never went out
	Number     int            `json:"number"`
	Cents      int64          `json:"cents"`
	Charge     string         `json:"charge,omitempty"`
	Refund     pix.RefundID   `json:"refund,omitempty"`
	Payout     string         `json:"payout,omitempty"`
	PayoutKey  string         `json:"payoutKey,omitempty"`
	At         string         `json:"at"`
}

// RunOnce sends one batch.
func (s dispatcher) RunOnce(ctx context.Context) (Progress, error) {
	now, err := s.r.now(ctx)
	if err != nil {
		return Progress{}, err
	}
	lease := s.r.cfg.lease(now, 1)
	lease.Endpoint = s.to.Name
	events, err := s.r.store.LeaseOutbox(ctx, lease)
	if err != nil || len(events) == 0 {
		return Progress{}, err
	}
	results := make([]OutboxResult, len(events))
	for i, e := range events {
		results[i] = OutboxResult{ID: e.ID, Version: e.Version}
		if err := s.send(ctx, e); err == nil {
			results[i].Sent = true
			continue
		}
		s.r.cfg.reached(MarkSendAgain)
		results[i].Dead = e.Attempts >= maxSends
		results[i].DueAt = now.Add(s.r.cfg.backoff(fmt.Sprintf("outbox:%s:%s:%d", s.to.Name, e.Line(), e.Number), e.Attempts+2))
	}
	held, err := s.r.store.FinishOutbox(ctx, results)
	s.r.cfg.reachedIf(slices.Contains(held, false), MarkSendLost)
	return Progress{Done: len(events)}, err
}

func (s dispatcher) send(ctx context.Context, e OutboxEvent) error {
	body, err := json.Marshal(merchantEvent{
		ID: e.ID, Kind: e.Kind, EndToEndID: e.EndToEndID, Number: e.Number,
		Cents: int64(e.Amount), Charge: e.Charge, Refund: e.Refund, Payout: e.Payout, PayoutKey: e.PayoutKey,
		At: pix.FormatTime(e.At),
	})
	if err != nil {
		return fmt.Errorf("encode event %d: %w", e.ID, err)
	}
	ctx, cancel := s.r.cfg.Clock.WithTimeout(ctx, s.r.cfg.CallTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("event %d: %w", e.ID, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(pix.SignatureHeader, pix.Sign(s.to.Secret, s.r.cfg.Clock.Now().Truncate(time.Second), body))
	resp, err := s.r.cfg.HTTP.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the endpoint answered %d", resp.StatusCode)
	}
	return nil
}
