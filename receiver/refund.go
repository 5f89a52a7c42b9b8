package receiver

import (
	"time"

	"github.com/pixlab/pixlab/pix"
)

// RefundContent is what an event says of one refund (devolução).
type RefundContent struct {
	EndToEndID pix.EndToEndID
	// ID is unique within its Pix alone; ReturnID (rtrId) everywhere.
	ID       pix.RefundID
	ReturnID pix.ReturnID
	Amount   pix.Amount
	Nature   string // as received, whatever it says
	Status   pix.RefundStatus
}

// SameContent says whether two accounts of one refund agree on rtrId, amount
// and status.
func (c RefundContent) SameContent(o RefundContent) bool {
	return c.ReturnID == o.ReturnID && c.Amount == o.Amount && c.Status == o.Status
}

// Key is the inbox key: each state of a refund is an event of its own.
func (c RefundContent) Key() string {
	return "dev:" + string(c.EndToEndID) + ":" + string(c.ID) + ":" + string(c.Status)
}

// RefundOrigin says who asked for a refund.
type RefundOrigin string

// A refund is the merchant's, asked for through this receiver, or the PSP's:
// MED, or the bank's own app.
const (
	RefundByMerchant RefundOrigin = "merchant"
	RefundByPSP      RefundOrigin = "psp"
)

// RefundState is where a refund stands in our books.
type RefundState string

// A reserved refund may have been asked for or not: nobody knows until the PSP
// has answered. Processing means that the PSP has it. The others are final.
const (
	RefundReserved   RefundState = "reserved"
	RefundProcessing RefundState = "processing"
	RefundReturned   RefundState = "returned"
	RefundFailed     RefundState = "failed"
)

// Final says whether the state is the last one.
func (s RefundState) Final() bool { return s == RefundReturned || s == RefundFailed }

// Part is some of a refund's money and the account that it came from.
type Part struct {
	Account Account
	Cents   pix.Amount
}

// Refund is one refund in our books.
type Refund struct {
	// Consumer and Reference name the merchant's intention; both are empty on
	// the PSP's own.
	Consumer   string
	Reference  string
	EndToEndID pix.EndToEndID
	// ID is the id at the PSP. It is chosen anew (Rekeys counts) when it turns
	// out to be another refund's.
	ID       pix.RefundID
	Rekeys   int
	ReturnID pix.ReturnID // empty until the PSP told it
	Amount   pix.Amount
	Nature   string
	Origin   RefundOrigin
	State    RefundState
	// Source is where the money came from, so that a failure puts it back.
	Source []Part
	// Excess marks a refund that exceeded what was left of its Pix and stands
	// in the statement all the same: it was booked against suspense.
	Excess bool
	// Clash marks an id that the PSP uses for another refund.
	Clash       bool
	Problem     string // the PSP's reason, once failed
	InStatement bool
	RequestedAt time.Time
	// FirstCallAt is when the first PUT may have left. LastCallAt is when the last
	// one may have left that nobody has an answer of, PriorCallAt the same without
	// the call under way. All are zero before.
	FirstCallAt time.Time
	LastCallAt  time.Time
	PriorCallAt time.Time
	FinishedAt  time.Time

	Attempts int
	DueAt    time.Time // while open and ours: when to call or ask
	Version  int64
}

// Leased is the refund under a lease of whoever calls about it now: a PUT may
// leave under it, but for one whose id is another's.
func (r Refund) Leased(in Lease) Refund {
	r.DueAt = in.Now.Add(in.For)
	r.Version++
	r.Attempts++
	if r.Clash {
		return r
	}
	if r.FirstCallAt.IsZero() {
		r.FirstCallAt = in.Now
	}
	r.PriorCallAt, r.LastCallAt = r.LastCallAt, in.Now
	return r
}

// Intention is what ledger references of the merchant's refund are made of.
func (r Refund) Intention() string { return IntentionKey(r.Consumer, r.Reference) }

// IntentionKey is what ids of a consumer's intention are made of: one reference
// of two consumers is two intentions.
func IntentionKey(consumer, reference string) string { return consumer + "/" + reference }

// Holdings is where a Pix's money sits now.
type Holdings struct {
	Revenue      pix.Amount // merchant:receita, net of merchant:devolucoes
	ToReturn     pix.Amount // merchant:credito_a_devolver
	Unidentified pix.Amount // suspense:nao_identificado
	Divergent    pix.Amount // suspense:divergencia; below zero where the ledger was too high
}

// Total is what is left of the Pix.
func (h Holdings) Total() pix.Amount {
	return h.Revenue + h.ToReturn + h.Unidentified + h.Divergent
}

// on is the holding that an account stands for.
func (h *Holdings) on(a Account) *pix.Amount {
	switch a {
	case AccountToReturn:
		return &h.ToReturn
	case AccountUnidentified:
		return &h.Unidentified
	case AccountDivergence:
		return &h.Divergent
	}
	return &h.Revenue
}

// take takes cents out, from what is owed to the payer anyway first and from
// revenue last, and says from where. The caller has compared with Total.
func (h *Holdings) take(cents pix.Amount) []Part {
	var parts []Part
	for _, a := range []Account{AccountToReturn, AccountUnidentified, AccountDivergence, AccountRefunds} {
		held := h.on(a)
		part := min(cents, *held)
		if part <= 0 {
			continue
		}
		*held -= part
		cents -= part
		parts = append(parts, Part{a, part})
	}
	return parts
}

// give puts parts back.
func (h *Holdings) give(parts []Part) {
	for _, p := range parts {
		*h.on(p.Account) += p.Cents
	}
}

// RefundCase names the case about one refund.
func RefundCase(id pix.EndToEndID, refund pix.RefundID) string {
	return "devolucao:" + string(id) + ":" + string(refund)
}

// caseOf is the case that a suspense account's money on a Pix stands in.
func caseOf(a Account, id pix.EndToEndID) string {
	if a == AccountUnidentified {
		return UnidentifiedCase(id)
	}
	return DivergenceCase(id)
}

// Memo is money that the PSP has blocked under MED. It moves nothing and lowers
// what can be spent until it is released.
type Memo struct {
	ID         string
	EndToEndID pix.EndToEndID
	Amount     pix.Amount
	Released   bool
	At         time.Time
}
