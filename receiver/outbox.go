package receiver

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Endpoint is one URL of the merchant's that takes events. Each has a line of
// its own per payment: one that is down holds up no other.
type Endpoint struct {
	// Name tells it from its fellows, in the outbox too; a new name is a new
	// endpoint, which hears of what happens from then on.
	Name string
	URL  string
	// Secret signs what is sent.
	Secret pix.Secret
	// Disabled keeps its events and sends none, until it is enabled again.
	Disabled bool
}

// DefaultEndpoint is the one that events are kept for where none is named: what
// happens before there is an endpoint is told once there is.
const DefaultEndpoint = "merchant"

// OutboxQueue is the queue of one endpoint's events; [QueueOutbox] stands for
// those of all.
func OutboxQueue(endpoint string) Queue { return QueueOutbox + ":" + Queue(endpoint) }

// Endpoint is the name that an [OutboxQueue] was made of, false for any other.
func (q Queue) Endpoint() (string, bool) {
	const prefix = QueueOutbox + ":"
	if len(q) <= len(prefix) || q[:len(prefix)] != prefix {
		return "", false
	}
	return string(q[len(prefix):]), true
}

// OutboxEvent tells one endpoint of one committed effect.
type OutboxEvent struct {
	ID       int64
	Endpoint string
	// EndToEndID is the payment, or the payout where it has one; Number counts the
	// effects of its line from 1, and is the same at every endpoint.
	EndToEndID pix.EndToEndID
	Number     int
	Kind       string
	Amount     pix.Amount
	Charge     string
	Refund     pix.RefundID // on events about a refund
	// Payout is the reference of the payout that the event is about, and PayoutKey
	// its key. Such an event belongs to the payout's line, not to a Pix's: its
	// endToEndId may not be known, or become another.
	Payout    string
	PayoutKey string
	At        time.Time

	Sent     bool
	Dead     bool // given up: an operator's, and nothing behind it goes
	Skipped  bool // dead, and an operator let what is behind it go
	Attempts int
	DueAt    time.Time
	Version  int64
}

// The kinds of outbox event.
const (
	OutboxCredited     = "pix.credited"     // receita
	OutboxUnidentified = "pix.unidentified" // suspense, no charge
	OutboxDivergent    = "pix.divergent"    // suspense, wrong amount
	OutboxToReturn     = "pix.to_return"    // credito_a_devolver
	OutboxMatched      = "pix.matched"      // left suspense for a charge
	OutboxAdjusted     = "pix.adjusted"     // by reconciliation
	OutboxRefunded     = "refund.returned"  // ours, or the PSP's
	OutboxRefundFailed = "refund.failed"    // ours, and the money is back

	OutboxPayoutConfirmed = "payout.confirmed"
	OutboxPayoutFailed    = "payout.failed"   // and the money is back
	OutboxPayoutReturned  = "payout.returned" // wholly or in part, by the payee's bank
	OutboxPayoutAdjusted  = "payout.adjusted" // it counts as failed and went out all the same
)

// Line is what the event's order holds in: its payment, or its payout.
func (o *OutboxEvent) Line() string {
	if o.PayoutKey != "" {
		return PayoutLineOf(o.PayoutKey)
	}
	return string(o.EndToEndID)
}

// PayoutLineOf is the line of the payout with that key.
func PayoutLineOf(key string) string { return "payout:" + key }

// For is the event as each endpoint is told of it.
func (o OutboxEvent) For(endpoints []string) []OutboxEvent {
	if o.Endpoint != "" {
		return []OutboxEvent{o}
	}
	out := make([]OutboxEvent, len(endpoints))
	for i, name := range endpoints {
		out[i] = o
		out[i].Endpoint = name
	}
	return out
}

// Told are the names of the endpoints that hear of every effect.
func (r Rules) Told() []string {
	if len(r.Endpoints) == 0 {
		return []string{DefaultEndpoint}
	}
	return r.Endpoints
}

// Out says whether the event holds nothing up any more.
func (o *OutboxEvent) Out() bool { return o.Sent || o.Skipped }

// After is the outbox event after a send, and whether that result counts: the
// lease was not lost. What is out or dead changes no more, and telling the same
// of it again counts.
func (o OutboxEvent) After(r OutboxResult) (OutboxEvent, bool) {
	switch {
	case o.Version != r.Version:
		return o, false
	case o.Sent || o.Dead:
		return o, o.Sent == r.Sent && o.Dead == (r.Dead && !r.Sent)
	case r.Sent:
		o.Sent = true
	case r.Dead:
		o.Dead = true
	default:
		o.DueAt = r.DueAt
	}
	return o, true
}

// Replay gives a dead letter its tries again. False: it is none.
func (o *OutboxEvent) Replay(now time.Time) bool {
	if !o.Dead {
		return false
	}
	o.Dead, o.Skipped, o.Attempts, o.DueAt = false, false, 0, now
	o.Version++ // whoever still holds it has nothing to say
	return true
}

// Skip lets go what waits behind a dead letter, which stays unsent. False: it is
// none, or was skipped.
func (o *OutboxEvent) Skip() bool {
	if !o.Dead || o.Skipped {
		return false
	}
	o.Skipped = true
	return true
}

// Subject is what the operators' book calls the event.
func (o *OutboxEvent) Subject() string {
	return fmt.Sprintf("outbox %d: %s %d to %s", o.ID, o.Line(), o.Number, o.Endpoint)
}

// OutboxQuery filters outbox events; zero values do not filter.
type OutboxQuery struct {
	Endpoint string
	// Dead asks for dead letters that nobody has skipped.
	Dead    bool
	ID      int64
	AfterID int64
	Limit   int
}

// RecordQuery pages through the operators' book.
type RecordQuery struct {
	After int64 // number of the last one seen
	Limit int
}
