package receiver

import (
	"crypto/sha256"
	"time"
)

// KeyRef names an idempotency key: the same key of another consumer, or on
// another route, is another key.
type KeyRef struct{ Consumer, Route, Key string }

// BodyHash is the SHA-256 of a request's body, as it came.
type BodyHash [sha256.Size]byte

// HashBody hashes a request's body. Nothing is normalised: a space more is
// another body.
func HashBody(raw []byte) BodyHash { return sha256.Sum256(raw) }

// KeyState is where an idempotency key stands.
type KeyState string

// A key is in flight from the transaction that stores the intention to the one
// that stores effect and answer, and answered from then on. What is left of it
// when the answer is thrown away is purged: it still names its intention.
//
//	(none) ──▶ in_flight ──▶ answered ──▶ purged
//	               │  ▲
//	               └──┘ taken over, under a higher version
const (
	KeyInFlight KeyState = "in_flight"
	KeyAnswered KeyState = "answered"
	KeyPurged   KeyState = "purged"
)

// Key is one idempotency key.
type Key struct {
	KeyRef
	Hash  BodyHash
	State KeyState
	// Reference is that of the intention that the key led to, empty where the
	// request was refused and left nothing.
	Reference string
	// Answer is what a repeat gets, while the key is answered.
	Answer Answer
	// At is when the key got into its state.
	At time.Time
	// HeldUntil is when the request that is in flight counts as dead.
	HeldUntil time.Time
	// Version rises with each request that works under the key: whoever comes
	// back with a lower one changes nothing.
	Version int64
}

// KeyClaim asks for an idempotency key, for one request.
type KeyClaim struct {
	Ref  KeyRef
	Hash BodyHash
	// Window is how long the request may take: later its key may be taken over.
	Window time.Duration
	// TTL is how long an answer is kept.
	TTL time.Duration
}

// KeyResult is what a request got of its key.
type KeyResult string

// The fates of a claim. Only under the first two is anything done.
const (
	KeyMine      KeyResult = "mine"       // go on
	KeyTakenOver KeyResult = "taken_over" // the request before died: ask what became of it, then go on
	KeyBusy      KeyResult = "busy"       // another request is at it
	KeyOther     KeyResult = "other"      // the key stands for another body
	KeyDone      KeyResult = "done"       // there is an answer, new or kept
	KeyExpired   KeyResult = "expired"    // the answer is no longer kept; what it told of is
)

// KeyOutcome answers a claim. It is empty where a command was given no key.
type KeyOutcome struct {
	Result KeyResult
	// Version is that under which to go on.
	Version int64
	// Answer is set where Result is [KeyDone].
	Answer Answer
	// TookOver says that the key was an orphan's, which nobody had let go of: even
	// where its effect turned out to stand and Result is [KeyDone].
	TookOver bool
}

// Begin decides what a request gets of its key's row, nil where there is none.
// unsettled says that the intention it led to has no known end: its answer is
// kept however old. Where work is true, the command goes on and stores next, as
// [Key.Done] leaves it if there is an answer already.
func (c KeyClaim) Begin(row *Key, unsettled bool, at time.Time) (o KeyOutcome, next Key, work bool) {
	next = Key{KeyRef: c.Ref, Hash: c.Hash, State: KeyInFlight, At: at, HeldUntil: at.Add(c.Window), Version: 1}
	o.Result = KeyMine
	switch {
	case row == nil:
	case row.State != KeyInFlight && row.Reference == "" && c.expired(row, at):
		// It stood for a refusal that is forgotten.
		next.Version = row.Version + 1
	case row.Hash != c.Hash:
		return KeyOutcome{Result: KeyOther}, next, false
	case row.State == KeyInFlight && at.Before(row.HeldUntil):
		return KeyOutcome{Result: KeyBusy}, next, false
	case row.State == KeyInFlight:
		o.Result, o.TookOver = KeyTakenOver, row.HeldUntil.Sub(row.At) >= c.Window
		next.Version, next.Reference = row.Version+1, row.Reference
	case row.State == KeyAnswered && (unsettled || !c.expired(row, at)):
		return KeyOutcome{Result: KeyDone, Answer: row.Answer}, next, false
	default:
		return KeyOutcome{Result: KeyExpired}, next, false
	}
	o.Version = next.Version
	return o, next, true
}

// expired says whether a row's answer is no longer to be given.
func (c KeyClaim) expired(row *Key, at time.Time) bool {
	return row.State == KeyPurged || !at.Before(row.At.Add(c.TTL))
}

// Done is the key with its answer, which is about the intention of a reference.
func (k Key) Done(a Answer, reference string, at time.Time) Key {
	k.State, k.Answer, k.Reference, k.At, k.HeldUntil = KeyAnswered, a, reference, at, time.Time{}
	return k
}

// Purged is what is left of the key without its answer.
func (k Key) Purged(at time.Time) Key {
	k.State, k.Answer, k.At, k.HeldUntil = KeyPurged, Answer{}, at, time.Time{}
	return k
}

// KeyHold is the word of a request that works under a key: version and instant.
type KeyHold struct {
	Ref     KeyRef
	Version int64
	At      time.Time
}

// Holds says whether a row is still the request's own.
func (h KeyHold) Holds(row *Key) bool {
	return row != nil && row.State == KeyInFlight && row.Version == h.Version
}

// Lost is what a request gets whose key was taken over: the answer, if the other
// one has it.
func (h KeyHold) Lost(row *Key) KeyOutcome {
	if row != nil && row.State == KeyAnswered {
		return KeyOutcome{Result: KeyDone, Answer: row.Answer}
	}
	return KeyOutcome{Result: KeyBusy}
}

// Release lets go of a row: the next request may take it over at once.
func (h KeyHold) Release(row Key) Key {
	row.HeldUntil = h.At
	return row
}

// Conclude ends a claim on a new charge whose row is next, once the charge
// stands: a charge whose call is still owed leaves the key in flight.
func (n NewCharge) Conclude(o CreateOutcome, next Key) (CreateOutcome, Key) {
	if o.Charge.Consumer == n.Charge.Consumer {
		next.Reference = o.Charge.Reference
	}
	if next.Reference != "" && o.Charge.State == ChargeIntended {
		return o, next
	}
	a := n.Answer(o.Charge)
	o.Key.Result, o.Key.Answer = KeyDone, a
	return o, next.Done(a, next.Reference, n.At)
}

// Conclude ends a call about a charge that now stands as c: the answer of the
// request that made it is stored under its key. Without one there is no row.
func (call ChargeCall) Conclude(c Charge, row *Key) (CallOutcome, *Key) {
	if call.Key == nil {
		return CallOutcome{Charge: c}, nil
	}
	a := c.answer()
	next := row.Done(a, row.Reference, call.Key.At)
	return CallOutcome{Charge: c, Key: KeyOutcome{Result: KeyDone, Version: row.Version, Answer: a}}, &next
}

// Conclude ends a claim on a new refund whose row is next: intention, key and
// answer are one. An answer that holds for now only leaves no key.
func (n NewRefund) Conclude(o ReserveOutcome, next Key) (ReserveOutcome, *Key) {
	a := n.Answer(o)
	o.Key.Result, o.Key.Answer = KeyDone, a
	if !a.Kept() {
		return o, nil
	}
	reference := ""
	if a.Status < 300 {
		reference = o.Refund.Reference
	}
	next = next.Done(a, reference, n.At)
	return o, &next
}
