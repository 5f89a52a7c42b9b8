package receiver

import (
	"context"
	"time"
)

// KeyStore is the part of a [Store] about idempotency keys. Keys are claimed by
// the commands that store an intention and answered by those that store its
// effect, each in one transaction: [NewCharge], [ChargeCall] and [NewRefund]
// carry them. What is left is here.
type KeyStore interface {
	// FindKeys reads keys; nil where unknown.
	FindKeys(ctx context.Context, in []KeyRef) ([]*Key, error)
	// ReleaseKeys lets go of keys whose request ended without an answer to keep:
	// the next request takes them over at once. False: the key was lost.
	ReleaseKeys(ctx context.Context, in []KeyHold) ([]bool, error)
	// PurgeKeys throws away answers that were kept long enough, oldest first, and
	// says how many. A key that led to an intention stays, without its answer; and
	// with it, as long as the intention has no known end. Keys that led to none go.
	PurgeKeys(ctx context.Context, in KeyPurge) (int, error)
}

// KeyPurge asks to throw away the answers of keys not touched since Before.
type KeyPurge struct {
	Before time.Time // included
	Now    time.Time
	Limit  int
}

// KeyChange is a key before (nil if new) and after (nil if it went).
type KeyChange struct{ Before, After *Key }
