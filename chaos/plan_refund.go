package chaos

import (
	"strconv"
	"strings"
)

// RefundOrigin says who asks for a refund.
type RefundOrigin string

// The merchant asks through the receiver's POST /refunds; the bank's own app
// asks past it, under an id of the bank's.
const (
	OriginMerchant RefundOrigin = "merchant"
	OriginBank     RefundOrigin = "bank"
)

// Refund is one devolução that somebody will ask for.
type Refund struct {
	// ID is the subject's name in fault addresses: "r30", "r31", … of payment
	// "p3" where the plan was drawn, so that no other payment's refunds move it.
	ID      string       `json:"id"`
	Payment string       `json:"payment"`
	Origin  RefundOrigin `json:"origin"`
	// Reference is the merchant's own number; the id at the PSP is drawn from
	// it. For the bank it is the id at the PSP itself.
	Reference   string `json:"reference"`
	AmountCents int64  `json:"amount_cents"`
	AtMS        int64  `json:"at_ms"`
	// SettleAfterMS is how long the PSP shows EM_PROCESSAMENTO; zero settles in
	// the answer itself.
	SettleAfterMS int64 `json:"settle_after_ms"`
	// Fails ends it NAO_REALIZADO.
	Fails bool `json:"fails,omitempty"`
	// NotifyAfterMS is how long after the final state its callback is sent.
	NotifyAfterMS int64 `json:"notify_after_ms"`
}

// DisputeOutcome is how a MED case ends.
type DisputeOutcome string

// A rejected or cancelled case unblocks the money; the API shows nothing of it.
const (
	DisputeAccepted  DisputeOutcome = "accepted"
	DisputeRejected  DisputeOutcome = "rejected"
	DisputeCancelled DisputeOutcome = "cancelled"
)

// Dispute is one MED case (Mecanismo Especial de Devolução) on one Pix: the
// report blocks what is there at once, the decision returns it or lets it go.
type Dispute struct {
	// ID is the subject's name in fault addresses: "m30", "m31", … of payment
	// "p3" where the plan was drawn.
	ID      string `json:"id"`
	Payment string `json:"payment"`
	// Nature is natureza on the wire: MED_FRAUDE or MED_OPERACIONAL.
	Nature      string         `json:"nature"`
	Outcome     DisputeOutcome `json:"outcome"`
	AmountCents int64          `json:"amount_cents"`
	ReportAtMS  int64          `json:"report_at_ms"`
	// DecideAfterMS is the length of the analysis, at most seven days.
	DecideAfterMS int64 `json:"decide_after_ms"`
	// Memo says that the PSP also tells the merchant of the block, by a channel
	// that API Pix does not have.
	Memo          bool  `json:"memo,omitempty"`
	NotifyAfterMS int64 `json:"notify_after_ms"`
}

// RefundNotice names the callback about a refund's final state.
func RefundNotice(id string) string { return "refund/" + id }

// DisputeNotice names the callback about the nth return (from 1) of a MED case.
func DisputeNotice(id string, nth int) string { return "med/" + id + "/" + itoa(nth) }

// returnOf says whether a notice is of a return, whichever, of the MED case.
func returnOf(id, notice string) bool {
	nth, ok := strings.CutPrefix(notice, "med/"+id+"/")
	n, err := strconv.Atoi(nth)
	return ok && err == nil && n >= 1 && nth == itoa(n)
}

// RefundID is the id of a refund at the PSP, 32 characters: [Seed.ID] of
// consumer and reference for the merchant's own (a further try after a clash has another
// key), the reference itself for the bank's.
func RefundID(seed Seed, r Refund) string {
	if r.Origin == OriginBank {
		return r.Reference
	}
	return seed.ID("refund", Consumer+"/"+r.Reference, 32)
}
