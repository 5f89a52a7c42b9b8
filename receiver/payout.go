package receiver

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// PayoutContent is what an event says of one payout's state, or of one return
// of it.
type PayoutContent struct {
	// Key is the payout's Idempotency-Key at the PSP.
	Key        string
	EndToEndID pix.EndToEndID
	PixKey     pix.PixKey // of the payee
	// Amount is the payout's; the return's on an event about one.
	Amount pix.Amount
	Status pix.PayoutStatus // empty on an event about a return
	// ReturnID is set on an event about a return alone.
	ReturnID pix.ReturnID
}

// SameContent says whether two accounts of one payout agree.
func (c PayoutContent) SameContent(o PayoutContent) bool { return c == o }

// InboxKey is the inbox key: each state of a payout, and each return, is an event
// of its own.
func (c PayoutContent) InboxKey() string {
	if c.ReturnID != "" {
		return "payout-return:" + string(c.ReturnID)
	}
	return "payout:" + c.Key + ":" + string(c.Status)
}

// PayoutState is where a payout stands in our books.
type PayoutState string

// A reserved payout may have been asked for or not: nobody knows until the PSP
// has answered. Processing means that the PSP has it. The others are final.
const (
	PayoutReserved   PayoutState = "reserved"
	PayoutProcessing PayoutState = "processing"
	PayoutConfirmed  PayoutState = "confirmed"
	PayoutFailed     PayoutState = "failed"
)

// Final says whether the state is the last one.
func (s PayoutState) Final() bool { return s == PayoutConfirmed || s == PayoutFailed }

// PayoutReturn is money of a payout that came back.
type PayoutReturn struct {
	ReturnID    pix.ReturnID
	Amount      pix.Amount
	InStatement bool
}

// Payout is one Pix that the merchant sends.
type Payout struct {
	// Consumer and Reference name the merchant's intention.
	Consumer  string
	Reference string
	PixKey    pix.PixKey // of the payee
	Amount    pix.Amount
	// Key is the Idempotency-Key at the PSP: made with the intention, never anew.
	Key string
	// EndToEndID is the PSP's: empty until it was answered or handed out.
	EndToEndID pix.EndToEndID
	State      PayoutState
	// Queued marks a payout that waits for a person: its calls are used up, or the
	// PSP may no longer know its key. It is asked about, and sent no more.
	Queued  bool
	Problem string // the PSP's reason or an operator's, once failed
	// RefusedAt is when the PSP refused a repeated request, zero if it did not:
	// proof only once no earlier call can have taken effect unseen.
	RefusedAt   time.Time
	Returns     []PayoutReturn // in the order booked
	InStatement bool
	RequestedAt time.Time
	// FirstCallAt is when the first request may have left. LastCallAt is when the
	// last one may have left that nobody has an answer of, PriorCallAt the same
	// without the call under way. All are zero before.
	FirstCallAt time.Time
	LastCallAt  time.Time
	PriorCallAt time.Time
	FinishedAt  time.Time

	// Events counts the outbox events about it: the next one's number.
	Events   int
	Attempts int       // requests made, or about to be
	DueAt    time.Time // while open: when to call or ask
	Version  int64
}

// Subject is what the operators' book calls the payout.
func (p *Payout) Subject() string { return "payout " + p.Reference + " of " + p.Consumer }

// Unsent says whether the PSP may have the payout without our knowing its
// endToEndId, over so much.
func (p *Payout) Unsent(cents pix.Amount) bool {
	return p.State == PayoutReserved && p.Amount == cents
}

// Returned is what came back of it.
func (p *Payout) Returned() (sum pix.Amount) {
	for _, r := range p.Returns {
		sum += r.Amount
	}
	return sum
}

// HasReturn says whether a return is booked.
func (p *Payout) HasReturn(id pix.ReturnID) bool {
	return slices.ContainsFunc(p.Returns, func(r PayoutReturn) bool { return r.ReturnID == id })
}

// Leased is the payout under a lease of whoever calls about it now. A request may
// leave under it while the payout is not known to the PSP, and it counts.
func (p Payout) Leased(in Lease) Payout {
	p.DueAt = in.Now.Add(in.For)
	p.Version++
	if p.State != PayoutReserved || p.Queued {
		return p
	}
	p.Attempts++
	if p.FirstCallAt.IsZero() {
		p.FirstCallAt = in.Now
	}
	p.PriorCallAt, p.LastCallAt = p.LastCallAt, in.Now
	return p
}

// PayoutCase names the case about one payout.
func PayoutCase(key string) string { return "pagamento:" + key }

// tell is the event that tells of an effect on the payout, which counts it.
func (p *Payout) tell(kind string, cents pix.Amount, at time.Time) OutboxEvent {
	p.Events++
	return OutboxEvent{
		EndToEndID: p.EndToEndID, Payout: p.Reference, PayoutKey: p.Key,
		Number: p.Events, Kind: kind, Amount: cents, At: at, DueAt: at,
	}
}

// reference is a ledger reference of the payout.
func (p *Payout) reference(what string) string { return "pay:" + p.Key + ":" + what }
