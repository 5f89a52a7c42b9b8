package chaos

// Change holds the fields that a deviation sets. When two deviations meet at
// one address each field has one merge rule, given beside it; nobody asks
// afterwards which kind set it.
type Change struct {
	// Callbacks.

	// DelayMS holds the attempt back. Merge: sum.
	DelayMS int64 `json:"delay_ms,omitempty"`
	// Behind names whose callback ought to leave first: a payment's credit, a
	// refund's end, the first return of a MED case, or a payout's. It lets the report tell a
	// reorder that came off from one that did not. Merge: greatest.
	Behind string `json:"behind,omitempty"`
	// CopyAfterMS makes the copy exist, sent that long after copy 0 is due.
	// 1 is "at once" (zero would be absent). Merge: least.
	CopyAfterMS int64 `json:"copy_after_ms,omitempty"`
	// AtMS is when an extra notice (forged, phantom, false_refund) is sent: nothing
	// true stands behind it, so it carries an instant of its own. Merge: least.
	AtMS int64 `json:"at_ms,omitempty"`
	// Frozen sends the bytes, timestamp and signature of copy 0, attempt 1 once
	// more. Merge: or.
	Frozen bool `json:"frozen,omitempty"`
	// Drop loses the callback for good, and the PSP believes it delivered. Merge: or.
	Drop bool `json:"drop,omitempty"`
	// AckLost delivers the request, of the PSP or of the merchant, and loses the
	// answer. Merge: or.
	AckLost bool `json:"ack_lost,omitempty"`
	// Signature is "missing" or "bad"; anything else is a good one. Merge: greatest.
	Signature string `json:"signature,omitempty"`
	// SayCents is the amount that the body states in place of the true one.
	// Merge: greatest.
	SayCents int64 `json:"say_cents,omitempty"`
	// SayEndToEndID makes the body speak of a Pix that never settled. Merge: greatest.
	SayEndToEndID string `json:"say_end_to_end_id,omitempty"`
	// SayTxID is the txid that the body states in place of the charge's. Merge: greatest.
	SayTxID string `json:"say_txid,omitempty"`
	// SayRefundCents and SayRefundID make the body tell of a refund, returned,
	// that never was. Merge: greatest.
	SayRefundCents int64  `json:"say_refund_cents,omitempty"`
	SayRefundID    string `json:"say_refund_id,omitempty"`
	// Shape bends the body, see the Shape constants. Merge: union, applied in
	// the order of the constants.
	Shape []string `json:"shape,omitempty"`
	// With are payments whose items ride in the same body. Merge: union.
	With []string `json:"with,omitempty"`

	// The PSP's API.

	// SlowMS delays the answer. Merge: sum.
	SlowMS int64 `json:"slow_ms,omitempty"`
	// Status is answered instead of acting. Merge: greatest.
	Status int `json:"status,omitempty"`
	// StatusAfter is answered after having acted; 0 with Cut cuts the
	// connection. Merge: greatest.
	StatusAfter int `json:"status_after,omitempty"`
	// Cut acts, then closes the connection without an answer. Merge: or.
	Cut bool `json:"cut,omitempty"`
	// HideMS keeps the effect out of GETs for that long. Merge: greatest.
	HideMS int64 `json:"hide_ms,omitempty"`
	// LagMS is added to the statement's lag. Merge: greatest.
	LagMS int64 `json:"lag_ms,omitempty"`
	// Shift makes rows move between two pages of a list. Merge: or.
	Shift bool `json:"shift,omitempty"`
	// RejectMS has the payout that the call begins rejected that much later. Merge:
	// greatest.
	RejectMS int64 `json:"reject_ms,omitempty"`
	// ReturnCents of the payout that the call begins come back ReturnMS after it
	// settled. Merge: greatest.
	ReturnMS    int64 `json:"return_ms,omitempty"`
	ReturnCents int64 `json:"return_cents,omitempty"`
	// Revoked refuses tokens given out before the window began. Merge: or.
	Revoked bool `json:"revoked,omitempty"`

	// The receiver.

	// Crash kills the instance, which restarts after RestartMS. Merge: or, greatest.
	Crash     bool  `json:"crash,omitempty"`
	RestartMS int64 `json:"restart_ms,omitempty"`
	// LoseCommit commits and answers with an error. Merge: or.
	LoseCommit bool `json:"lose_commit,omitempty"`
	// Down refuses everything at the place; Removed forgets the webhook. Merge: or.
	Down    bool `json:"down,omitempty"`
	Removed bool `json:"removed,omitempty"`
	// SkewMS moves a clock; negative is behind. Merge: sum.
	SkewMS int64 `json:"skew_ms,omitempty"`
	// PauseMS stops a worker that holds a lease. Merge: greatest.
	PauseMS int64 `json:"pause_ms,omitempty"`

	// The payer.

	// PayCents is paid in place of what is due. Merge: greatest.
	PayCents int64 `json:"pay_cents,omitempty"`
	// PayAtMS moves the payment's instant, past the charge's expiry or removal. Merge: greatest.
	PayAtMS int64 `json:"pay_at_ms,omitempty"`
	// RemoveAtMS is when the merchant removes the payment's charge. Merge: least.
	RemoveAtMS int64 `json:"remove_at_ms,omitempty"`
	// PayCharge pays another charge, one that is paid already. Merge: greatest.
	PayCharge string `json:"pay_charge,omitempty"`
	// Lax lets the PSP take what it should refuse. Merge: or.
	Lax bool `json:"lax,omitempty"`

	// The merchant as a caller.

	// AgainAfterMS sends the request once more, same key and body, that long after
	// the first. 1 is "at once" (zero would be absent). Merge: least.
	AgainAfterMS int64 `json:"again_after_ms,omitempty"`
	// AlteredAfterMS sends another amount under the same key, that long after the
	// first. Merge: least.
	AlteredAfterMS int64 `json:"altered_after_ms,omitempty"`
}

// Signatures that are not good ones.
const (
	SignatureMissing = "missing" // no signature header at all
	SignatureBad     = "bad"     // made with another key
)

// Shapes of a callback body, in the order in which they are applied.
const (
	ShapeUnknownFields = "unknown_fields" // extra members, numbers over 2^53, nesting
	ShapeUnknownEnums  = "unknown_enums"  // a refund nature and a status nobody knows
	ShapeNulls         = "nulls"          // optional members present and null
	ShapeRefundObject  = "refund_object"  // devolucoes as one object
	ShapeRootArray     = "root_array"     // [{…}] in place of {"pix":[…]}
	ShapeOversized     = "oversized"      // over the receiver's body limit
	ShapeTruncated     = "truncated"      // cut in the middle
)
