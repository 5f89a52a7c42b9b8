package chaos

import (
	"strconv"
	"strings"
)

// PayoutOutcome is how a payout ends at the PSP.
type PayoutOutcome string

// A confirmed payout is money out; a rejected one never was.
const (
	PayoutConfirmed PayoutOutcome = "confirmed"
	PayoutRejected  PayoutOutcome = "rejected"
)

// Payout is one Pix that the merchant will send, through the receiver.
type Payout struct {
	// ID is the subject's name in fault addresses: "o3" where the plan was drawn
	// beside payment "p3".
	ID string `json:"id"`
	// Reference is the merchant's own number; the key at the PSP is drawn from it.
	Reference string `json:"reference"`
	// Payee is the Pix key that the money goes to.
	Payee       string `json:"payee"`
	AmountCents int64  `json:"amount_cents"`
	AtMS        int64  `json:"at_ms"`
	// SettleAfterMS is how long the PSP shows EM_PROCESSAMENTO; zero ends it in
	// the answer itself.
	SettleAfterMS int64         `json:"settle_after_ms"`
	Outcome       PayoutOutcome `json:"outcome"`
	// NotifyAfterMS is how long after the end, and after each return, the
	// callback is sent.
	NotifyAfterMS int64 `json:"notify_after_ms"`
	// Returns are what the payee's bank sends back of a confirmed payout.
	Returns []PayoutReturn `json:"returns,omitempty"`
}

// PayoutReturn is money of a payout that comes back.
type PayoutReturn struct {
	// AfterMS is how long after the payout settled.
	AfterMS     int64 `json:"after_ms"`
	AmountCents int64 `json:"amount_cents"`
}

// Who makes the endToEndId of a payout known, as [Settings] says it.
const (
	PayoutIDsAssigned = "assigned" // the PSP, in its answer
	PayoutIDsLookup   = "lookup"   // the PSP, when the payee's key is looked up
)

// The notices of one payout.
const (
	// NoticePayout is the callback that says how a payout ended.
	NoticePayout = "payout"
	// returnNotice begins the name of a callback about one return.
	returnNotice = NoticePayout + "/return/"
)

// ReturnNotice names the callback about the nth return (from 1) of a payout.
func ReturnNotice(nth int) string { return returnNotice + itoa(nth) }

// returnNumber is the n of the notice about the nth return.
func returnNumber(notice string) (int, bool) {
	text, ok := strings.CutPrefix(notice, returnNotice)
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && n >= 1 && text == itoa(n)
}

// AboutPayout says whether a notice is about a payout.
func AboutPayout(notice string) bool {
	_, back := returnNumber(notice)
	return notice == NoticePayout || back
}

// PayoutKey is the Idempotency-Key of a payout at the PSP, 32 characters:
// [Seed.ID] of consumer and reference.
func PayoutKey(seed Seed, p Payout) string { return seed.ID("payout", Consumer+"/"+p.Reference, 32) }

// endMS is when the payout ends.
func (p *Payout) endMS() int64 { return p.AtMS + p.SettleAfterMS }

// lastReturnMS is when its last return has come, or its end if there is none.
func (p *Payout) lastReturnMS() int64 {
	last := p.endMS()
	for _, r := range p.Returns {
		last = max(last, p.endMS()+r.AfterMS)
	}
	return last
}
