package receiver

import (
	"time"

	"github.com/pixlab/pixlab/pix"
)

// PayoutRef names a payout.
type PayoutRef struct{ Consumer, Reference string }

// NewPayout is the intention to pay; its key is chosen by the caller.
type NewPayout struct {
	Payout Payout
	At     time.Time
	Key    *KeyClaim // of the request that wants it, if one does
}

// ReservePayoutOutcome is the payout as it stands, or why there is none. Result is
// empty where the key says that nothing is to be done.
type ReservePayoutOutcome struct {
	Result ReserveResult
	Payout Payout
	Reason string
	Key    KeyOutcome
}

// PayoutCall is what a call about a payout taught us.
type PayoutCall struct {
	Ref PayoutRef
	// LookedUp says that nothing was asked for yet: EndToEndID was handed out.
	LookedUp   bool
	EndToEndID pix.EndToEndID
	// Status is what the PSP answered, empty while the outcome is unknown.
	Status pix.PayoutStatus
	// Refused ends the payout: the PSP has not made it and will not. RefusedAt is
	// when it refused a repeat, which alone proves nothing. Problem says why.
	Refused   bool
	RefusedAt time.Time
	Problem   string
	// Answered says that no request left under the lease that may have taken effect
	// without our knowing.
	Answered bool
	// Queue hands the payout to a person.
	Queue bool
	// Version is that of the lease under which the call was made. What the PSP
	// said counts whoever asked; anything else only from the one who holds it.
	Version int64
	// DueAt is when to call or ask next, while open.
	DueAt time.Time
	Now   time.Time
}

// PayoutQuery filters payouts; zero values do not filter.
type PayoutQuery struct {
	Queued bool // those in the conciliation queue
	Open   bool // those whose end is not known
	After  PayoutRef
	Limit  int
}

// PayoutResolution is an operator's word on a payout in the conciliation queue;
// Action is [ResolveRetry] or [ResolveFailed], and Note the reason.
type PayoutResolution struct {
	Ref      PayoutRef
	Action   string
	Operator string
	Note     string
	Now      time.Time
}
