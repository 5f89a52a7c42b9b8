package receiver

import (
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Channel says by which road an item reached the inbox.
type Channel string

// The roads into the inbox.
const (
	ChannelCallback Channel = "callback"
	ChannelSweep    Channel = "sweep"
	ChannelRepair   Channel = "repair"
)

// Credit is what an event says of one Pix received.
type Credit struct {
	EndToEndID pix.EndToEndID
	TxID       pix.TxID   // empty where the Pix carries none
	PixKey     pix.PixKey // empty where the sender left it out
	Amount     pix.Amount
	PaidAt     time.Time
}

// SameContent says whether two accounts of one Pix agree on amount, key and
// txid. A member that one of them leaves out is no disagreement.
func (c Credit) SameContent(o Credit) bool {
	return c.Amount == o.Amount &&
		(c.PixKey == o.PixKey || c.PixKey == "" || o.PixKey == "") &&
		(c.TxID == o.TxID || c.TxID == "" || o.TxID == "")
}

// Enriches says whether c tells something that o left out.
func (c Credit) Enriches(o Credit) bool {
	return c.SameContent(o) && (o.TxID == "" && c.TxID != "" || o.PixKey == "" && c.PixKey != "")
}

// merged is o with the members it lacks taken from c.
func (c Credit) merged(o Credit) Credit {
	if o.TxID == "" {
		o.TxID = c.TxID
	}
	if o.PixKey == "" {
		o.PixKey = c.PixKey
	}
	return o
}

// Enriched is the credit o completed by what c knows more.
func Enriched(o, c Credit) Credit { return c.merged(o) }

// CreditKey is the inbox key of a credit.
func CreditKey(id pix.EndToEndID) string { return "pix:" + string(id) }

// InboxItem is one item on its way into the inbox.
type InboxItem struct {
	// Source is the PSP account; with Key it is unique in the inbox.
	Source  string
	Key     string
	Channel Channel
	// One of Credit, Refund and Payout is set, none on an item that could not be
	// read; Invalid then says why.
	Credit  *Credit
	Refund  *RefundContent
	Payout  *PayoutContent
	Invalid string
	// Confirmed marks content that the PSP's own API gave us.
	Confirmed bool
	// Raw are the bytes as received.
	Raw        []byte
	ReceivedAt time.Time
}

// AppendResult is what became of an item.
type AppendResult string

// The fates of an item in [Store.AppendInbox].
const (
	AppendNew      AppendResult = "new"      // stored
	AppendKnown    AppendResult = "known"    // nothing that we did not know
	AppendEnriched AppendResult = "enriched" // brought a txid or key that was absent
	AppendVariant  AppendResult = "variant"  // same key, other content: kept, with a case
	AppendRevived  AppendResult = "revived"  // woke an event that was waiting in quarantine
)

// AppendOutcome answers one item.
type AppendOutcome struct {
	EventID int64
	Result  AppendResult
	// Confirmed says whether the event is confirmed now.
	Confirmed bool
}

// EventState is where an event stands.
type EventState string

// Every event ends PROCESSED or QUARANTINED.
const (
	EventReceived    EventState = "RECEIVED"
	EventProcessed   EventState = "PROCESSED"
	EventQuarantined EventState = "QUARANTINED"
)

// QuarantineKind says who can wake a quarantined event.
type QuarantineKind string

// Waiting events wake by themselves when a sweep brings their key again or
// what they waited for arrives; bad ones only by an operator.
const (
	QuarantineWaiting QuarantineKind = "waiting"
	QuarantineBad     QuarantineKind = "bad"
)

// Event is one item stored in the inbox.
type Event struct {
	ID      int64
	Source  string
	Key     string
	Channel Channel
	// Credit is the content to act on: the confirmed one once there is one,
	// until then the first received. Refund is the same for an event about a
	// refund, Payout of one about a payout. All are nil on an unreadable item.
	Credit     *Credit
	Refund     *RefundContent
	Payout     *PayoutContent
	Confirmed  bool
	Raw        []byte
	ReceivedAt time.Time

	State      EventState
	Quarantine QuarantineKind // set while quarantined
	Reason     string         // why it waits, was set aside or dropped
	Attempts   int
	DueAt      time.Time // while RECEIVED: not before; a lease moves it to its own end
	Version    int64     // fencing: rises with every claim
	Holder     string    // who claimed it last
}

// EndToEndID is the Pix that the event is about, empty on an unreadable one.
func (e Event) EndToEndID() pix.EndToEndID {
	switch {
	case e.Credit != nil:
		return e.Credit.EndToEndID
	case e.Refund != nil:
		return e.Refund.EndToEndID
	case e.Payout != nil:
		return e.Payout.EndToEndID
	}
	return ""
}

// Variant is other content that came under a key already known. Refund is set
// where the event is about one, and Payout likewise.
type Variant struct {
	EventID    int64
	Channel    Channel
	Credit     Credit
	Refund     *RefundContent
	Payout     *PayoutContent
	Confirmed  bool
	ReceivedAt time.Time
}

// ChargeState is where a charge stands as a call to the PSP.
type ChargeState string

// A charge is intended before the call, active once the PSP has it, failed
// when the PSP refused it; removed is the merchant's wish, carried out.
const (
	ChargeIntended ChargeState = "intended"
	ChargeActive   ChargeState = "active"
	ChargeFailed   ChargeState = "failed"
	ChargeRemoved  ChargeState = "removed"
)

// ChargeKind tells dynamic charges from static codes.
type ChargeKind string

// A dynamic charge is made at the PSP and paid once; a static code is
// registered here alone and paid any number of times.
const (
	ChargeDynamic ChargeKind = "dynamic"
	ChargeStatic  ChargeKind = "static"
)

// Charge is one sale.
type Charge struct {
	// Reference is the consumer's own number, unique per Consumer.
	Consumer  string
	Reference string
	Kind      ChargeKind
	TxID      pix.TxID
	PixKey    pix.PixKey
	// Due is what is to be paid; zero on a static code takes any amount.
	Due       pix.Amount
	ExpiresIn time.Duration
	State     ChargeState
	// CreatedAt is the PSP's calendario.criacao, zero while it is not known.
	CreatedAt time.Time
	// BRCode is the PSP's pixCopiaECola.
	BRCode string
	// Settled is what reached [AccountRevenue] for this charge; SettledBy the
	// Pix that paid it (the first, on a static code).
	Settled   pix.Amount
	SettledBy pix.EndToEndID
	// Problem is the PSP's refusal, once failed.
	Problem string

	Attempts int
	DueAt    time.Time // while intended: when to ask what became of the call
	Version  int64
}

// Paid says whether the charge is settled; a static code never is.
func (c Charge) Paid() bool { return c.Kind == ChargeDynamic && c.SettledBy != "" }

// Payable says whether a Pix of that instant may settle the charge.
func (c Charge) Payable(paidAt time.Time) bool {
	switch {
	case c.State == ChargeFailed || c.State == ChargeRemoved:
		return false
	case c.Kind == ChargeStatic:
		return true
	case c.CreatedAt.IsZero():
		return !c.Paid()
	}
	return !c.Paid() && !paidAt.After(c.CreatedAt.Add(c.ExpiresIn))
}

// Disposition says how a Pix met its charge.
type Disposition string

// The ways in which a Pix is booked.
const (
	DispositionExact        Disposition = "exact"
	DispositionOverpaid     Disposition = "overpaid"
	DispositionUnderpaid    Disposition = "underpaid"
	DispositionSecond       Disposition = "second"  // the charge was settled already
	DispositionLate         Disposition = "late"    // expired, removed or refused, and paid
	DispositionUnidentified Disposition = "unknown" // no charge of ours
)

// Payment is one Pix that is booked.
type Payment struct {
	EndToEndID  pix.EndToEndID
	TxID        pix.TxID
	PixKey      pix.PixKey
	Amount      pix.Amount // as booked, adjustments not included
	PaidAt      time.Time
	Charge      string // reference of the charge it is on, empty if none
	Consumer    string
	Disposition Disposition
	// Confirmed says that a GET or the statement vouches for it.
	Confirmed bool
	// InStatement says that its line of the account statement was seen.
	InStatement bool
	BookedAt    time.Time
	// Held is where its money sits now; Refunding what open refunds of ours
	// hold, Refunded what was returned.
	Held      Holdings
	Refunding pix.Amount
	Refunded  pix.Amount
	// Events counts the outbox events about it: the next one's number.
	Events int
}

// Unspendable is what is left of a Pix that nobody has vouched for yet. It is in
// the ledger, and covers no refund.
func (p Payment) Unspendable() pix.Amount {
	if p.Confirmed {
		return 0
	}
	return max(0, p.Held.Total())
}

// CaseState is open or closed.
type CaseState string

// The states of a case.
const (
	CaseOpen   CaseState = "open"
	CaseClosed CaseState = "closed"
)

// Case is a difference that a person has to look at.
type Case struct {
	// ID is made of what the case is about, so that it exists once.
	ID         string
	EndToEndID pix.EndToEndID
	// Account and Amount are the suspense that the case stands for; a case
	// about a mere contradiction has no account and zero.
	Account Account
	Amount  pix.Amount
	// Reasons are the findings, oldest first, each once.
	Reasons  []string
	State    CaseState
	OpenedAt time.Time
	ClosedAt time.Time
	Note     string // what the operator said when closing
}

// DivergenceCase names the case about a Pix whose amount does not fit.
func DivergenceCase(id pix.EndToEndID) string { return "divergencia:" + string(id) }

// UnidentifiedCase names the case about a Pix that names no charge of ours.
func UnidentifiedCase(id pix.EndToEndID) string { return "nao_identificado:" + string(id) }

// MissedCase names the case about a Pix that only the statement knew.
func MissedCase(id pix.EndToEndID) string { return "falta_no_ledger:" + string(id) }
