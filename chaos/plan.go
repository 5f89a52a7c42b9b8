package chaos

import "time"

// Format names the plan file's layout. A reader refuses any other.
const Format = "pixlab.plan/1"

// Generator counts the changes that moved a draw. It informs and binds nobody:
// a committed plan goes on working whatever its generator was.
const Generator = 3

// Plan is everything a seed decided, drawn before anything runs. It is the
// whole input of a run: the seed inside only keys the run-time draws (order of
// steps, their latency, ids).
//
// All times are milliseconds from Start; all money is whole cents.
type Plan struct {
	Format    string    `json:"format"`
	Generator int       `json:"generator"`
	Seed      Seed      `json:"seed"`
	Profile   string    `json:"profile"`
	Start     time.Time `json:"start"`
	HorizonMS int64     `json:"horizon_ms"`
	// Live marks a plan for live runs: all of it within [MaxLiveMS].
	Live     bool        `json:"live,omitempty"`
	Settings Settings    `json:"settings"`
	Charges  []Charge    `json:"charges"`
	Payments []Payment   `json:"payments"`
	Refunds  []Refund    `json:"refunds,omitempty"`
	Disputes []Dispute   `json:"disputes,omitempty"`
	Payouts  []Payout    `json:"payouts,omitempty"`
	Faults   []Deviation `json:"faults"`
	// Operator is what an operator of the receiver does; nothing in a plan that
	// was drawn.
	Operator []OperatorAct `json:"operator,omitempty"`
	// Schedule, if any, orders the steps in place of the seed.
	Schedule *Schedule `json:"schedule,omitempty"`
}

// Settings are the habits of both sides during one run.
type Settings struct {
	// Instances is the number of receiver processes, Workers the workers in each.
	Instances int `json:"instances"`
	Workers   int `json:"workers"`
	// Retry names the PSP's retry table, see [RetryTable].
	Retry string `json:"retry"`
	// CallbackTimeoutMS is how long the PSP waits for an answer to a callback.
	CallbackTimeoutMS int64 `json:"callback_timeout_ms"`
	// SweepEveryMS is the pause between two sweeps of new Pix.
	SweepEveryMS int64 `json:"sweep_every_ms"`
	// StatementLagMS is how long a settled Pix stays out of GET /pix and GET /extrato.
	StatementLagMS int64 `json:"statement_lag_ms"`
	// RefundRepeat is how the PSP answers a refund's id used again with the same
	// body: "same" (the refund as it stands), "400" or "409".
	RefundRepeat string `json:"refund_repeat,omitempty"`
	// PayoutIDs is when the endToEndId of a payout is known: "assigned" in the
	// PSP's answer, or at the payee's "lookup"; absent is assigned.
	PayoutIDs string `json:"payout_ids,omitempty"`
	// PayoutKeyTTLMS is how long the PSP remembers a payout's Idempotency-Key;
	// absent is a day.
	PayoutKeyTTLMS int64 `json:"payout_key_ttl_ms,omitempty"`
	// StepMS is how long a step of either side takes on average, for plans that
	// are made to be watched; absent, a step takes less than a millisecond.
	StepMS int64 `json:"step_ms,omitempty"`
	// WireMS is how long a request to the receiver travels on average; absent, no
	// longer than a step.
	WireMS int64 `json:"wire_ms,omitempty"`
	// PageSize is how many rows the receiver asks for in one page of a list.
	PageSize int `json:"page_size"`
}

// ChargeKind tells a dynamic charge (made at the PSP, paid once) from a static
// code (registered at the receiver alone, paid any number of times).
type ChargeKind string

// The kinds of charge.
const (
	ChargeDynamic ChargeKind = "dynamic"
	ChargeStatic  ChargeKind = "static"
)

// Charge is one sale that the merchant wants paid.
type Charge struct {
	// ID is the subject's name in fault addresses: "c0", "c1", …
	ID string `json:"id"`
	// Reference is the merchant's own number; the txid is drawn from it.
	Reference string     `json:"reference"`
	Kind      ChargeKind `json:"kind"`
	// AmountCents is what is due; zero on a static code lets the payer choose.
	AmountCents int64 `json:"amount_cents"`
	CreateAtMS  int64 `json:"create_at_ms"`
	// ExpiresInS is calendario.expiracao, in seconds; dynamic charges only.
	ExpiresInS int64 `json:"expires_in_s,omitempty"`
	// Elsewhere marks a charge that another system of the merchant made at the
	// PSP under our key; the receiver learns of it at AdoptAtMS, or never (zero).
	Elsewhere bool  `json:"elsewhere,omitempty"`
	AdoptAtMS int64 `json:"adopt_at_ms,omitempty"`
	// RemoveAtMS is when the merchant removes the charge; zero is never.
	RemoveAtMS int64 `json:"remove_at_ms,omitempty"`
}

// Payment is one Pix that a payer will try to make.
type Payment struct {
	// ID is the subject's name in fault addresses: "p0", "p1", …
	ID string `json:"id"`
	// Charge is the charge's ID, empty for a Pix sent to the bare key.
	Charge      string `json:"charge,omitempty"`
	EndToEndID  string `json:"end_to_end_id"`
	AmountCents int64  `json:"amount_cents"`
	AtMS        int64  `json:"at_ms"`
	// NotifyAfterMS is how long after settlement the PSP sends its callback.
	NotifyAfterMS int64 `json:"notify_after_ms"`
}
