package receiver

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Store is the receiver's memory: named commands, each one transaction, with
// batches in and one outcome per item out, in the order of the items. One
// item's refusal never fails its batch. An error means that nothing is known
// of the batch: it may have committed ([ErrCommitUnknown]) or not.
//
// Two implementations exist, receiver/postgres and receiver/memory, held to
// the same behaviour by receiver/storetest.
type Store interface {
	KeyStore

	// Now is the store's own clock. Leases and due times are measured on it
	// alone, since the processes' clocks may differ.
	Now(ctx context.Context) (time.Time, error)

	// CreateCharges stores intentions before any call is made. A reference
	// that the consumer used before answers with what exists. Money that
	// waited for exactly this txid is attached in the same transaction.
	CreateCharges(ctx context.Context, in []NewCharge) ([]CreateOutcome, error)
	// FindCharges reads charges by consumer and reference; nil where unknown.
	FindCharges(ctx context.Context, in []ChargeRef) ([]*Charge, error)
	// RecordCalls stores the answers of calls about charges. A charge moves
	// forward only; a call that tells less than is known changes nothing.
	// With a key that was taken over meanwhile it changes nothing either.
	RecordCalls(ctx context.Context, in []ChargeCall) ([]CallOutcome, error)
	// LeaseCharges takes intended charges that are due, oldest first.
	LeaseCharges(ctx context.Context, in Lease) ([]Charge, error)

	// AppendInbox stores items; see [AppendResult] for what may become of one.
	AppendInbox(ctx context.Context, in []InboxItem) ([]AppendOutcome, error)
	// ClaimEvents takes due events for the lease's length, in the order
	// (due, id); rows that another transaction holds are skipped.
	ClaimEvents(ctx context.Context, in Lease) ([]Event, error)
	// ApplyEvents books events: state, ledger, outbox and inbox mark in one.
	ApplyEvents(ctx context.Context, in []Application) ([]ApplyOutcome, error)
	// FindPayments reads booked Pix; nil where unknown.
	FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*Payment, error)
	// DeferEvents puts claimed events off, or into quarantine. False: the
	// lease was lost and nothing changed.
	DeferEvents(ctx context.Context, in []Deferral) ([]bool, error)

	// ReserveRefunds stores intentions to refund before any call is made, and
	// takes their money aside; all under one lock with whatever else spends.
	ReserveRefunds(ctx context.Context, in []NewRefund) ([]ReserveOutcome, error)
	// FindRefunds reads the merchant's refunds; nil where unknown.
	FindRefunds(ctx context.Context, in []RefundRef) ([]*Refund, error)
	// LeaseRefunds takes the merchant's open refunds that are due, and counts
	// the attempt: from then on the PSP may have been asked (FirstCallAt).
	LeaseRefunds(ctx context.Context, in Lease) ([]Refund, error)
	// RecordRefunds stores what calls about refunds taught, and books the end of
	// one that is final. A refund moves forward only.
	RecordRefunds(ctx context.Context, in []RefundCall) ([]Refund, error)
	// ReservePayouts stores intentions to pay before any call is made, and takes
	// their money aside; all under one lock with whatever else spends.
	ReservePayouts(ctx context.Context, in []NewPayout) ([]ReservePayoutOutcome, error)
	// FindPayouts reads payouts; nil where unknown.
	FindPayouts(ctx context.Context, in []PayoutRef) ([]*Payout, error)
	// ListPayouts lists payouts in the order (consumer, reference).
	ListPayouts(ctx context.Context, q PayoutQuery) ([]Payout, error)
	// LeasePayouts takes open payouts that are due, see [Payout.Leased].
	LeasePayouts(ctx context.Context, in Lease) ([]Payout, error)
	// RecordPayouts stores what calls about payouts taught, and books the end of
	// one that is final. A payout moves forward only.
	RecordPayouts(ctx context.Context, in []PayoutCall) ([]Payout, error)
	// ResolvePayouts ends the wait of payouts in the conciliation queue, by an
	// operator's word, which is recorded. False: there was nothing to end.
	ResolvePayouts(ctx context.Context, in []PayoutResolution) ([]bool, error)
	// PutMemos notes money blocked under MED, or released. False: known as such.
	PutMemos(ctx context.Context, in []Memo) ([]bool, error)

	// BeginDuty takes a periodic duty that is due; false when it is not due or
	// another instance holds it.
	BeginDuty(ctx context.Context, in DutyClaim) (Duty, bool, error)
	// SaveDuty stores progress (cursor, watermark) under the duty's version;
	// done ends the turn and sets the next. False: the duty was lost.
	SaveDuty(ctx context.Context, d Duty, done bool) (bool, error)

	// LeaseOutbox takes due outbox events of [Lease.Endpoint]: of each payment
	// only the lowest number that is not out, so that order holds per endpoint and
	// payment.
	LeaseOutbox(ctx context.Context, in Lease) ([]OutboxEvent, error)
	// FinishOutbox stores what became of sends. False: the lease was lost.
	FinishOutbox(ctx context.Context, in []OutboxResult) ([]bool, error)

	// MatchStatement compares lines of the account statement with the ledger,
	// marks what it vouches for as seen, and notes what is not OK as a [Finding].
	MatchStatement(ctx context.Context, in []pix.StatementLine) ([]MatchOutcome, error)
	// RepairEvents books confirmed credits and refunds that the statement holds
	// and the ledger does not, through the same rules and references as
	// ApplyEvents, and opens a case for each that was missing.
	RepairEvents(ctx context.Context, in []Repair) ([]ApplyOutcome, error)
	// UnseenPayments lists booked payments without a line of the statement and
	// with money still on [AccountSettlement], booked up to an instant, in the
	// order (booked, id), after a cursor.
	UnseenPayments(ctx context.Context, q UnseenQuery) ([]Payment, error)
	// UnseenRefunds lists refunds that count as returned without a line of the
	// statement and with money still on theirs, finished up to an instant, in the
	// order (finished, rtrId), after a cursor.
	UnseenRefunds(ctx context.Context, q UnseenRefundQuery) ([]Refund, error)
	// ListFindings lists what the reconciliation found; see [Finding.Compare].
	ListFindings(ctx context.Context, q FindingQuery) ([]Finding, error)
	// CloseDay stores a day's report, once: the body that is there from then on.
	CloseDay(ctx context.Context, in DayClosing) ([]byte, error)
	// FindReport is the report of a closed day, false while it is not closed.
	FindReport(ctx context.Context, day string) ([]byte, bool, error)
	// RequestWindow notes that an operator wants a window reconciled, and makes
	// [DutyReconcile] due. It is recorded.
	RequestWindow(ctx context.Context, in Window) (Window, error)
	// ListWindows lists windows in the order asked for.
	ListWindows(ctx context.Context, q WindowQuery) ([]Window, error)
	// FinishWindow stores a window's report, once. False: it has one, or there is
	// no such window.
	FinishWindow(ctx context.Context, in Window) (bool, error)
	// PostAdjustments moves the ledger of a Pix to what the statement says,
	// against suspense, with a case. False: nothing was left to adjust.
	PostAdjustments(ctx context.Context, in []Adjustment) ([]bool, error)

	// Operators.

	// ListEvents lists events in the order of their ids.
	ListEvents(ctx context.Context, q EventQuery) ([]Event, error)
	// RequeueEvents wakes quarantined events; DropEvents closes them for good.
	// Both are recorded with the operator's name and note.
	RequeueEvents(ctx context.Context, in []Decision) ([]bool, error)
	DropEvents(ctx context.Context, in []Decision) ([]bool, error)
	// ListCases lists cases in the order of their ids.
	ListCases(ctx context.Context, q CaseQuery) ([]Case, error)
	// AttachPayments puts unidentified money on a charge, by an operator's word.
	AttachPayments(ctx context.Context, in []Attachment) ([]AttachOutcome, error)
	// CloseCases ends cases: what is in suspense goes to the account named.
	CloseCases(ctx context.Context, in []CaseClosing) ([]bool, error)
	// ListOutbox lists outbox events in the order of their ids.
	ListOutbox(ctx context.Context, q OutboxQuery) ([]OutboxEvent, error)
	// ReplayOutbox gives dead letters their tries again; SkipOutbox lets go what
	// waits behind them. Both are recorded. False: it is no dead letter.
	ReplayOutbox(ctx context.Context, in []Decision) ([]bool, error)
	SkipOutbox(ctx context.Context, in []Decision) ([]bool, error)
	// ListRecords reads the operators' book, oldest first.
	ListRecords(ctx context.Context, q RecordQuery) ([]OperatorRecord, error)

	// NextDue is the instant at which a queue has work, false when it has none.
	NextDue(ctx context.Context, q Queue) (time.Time, bool, error)
}

// Queue names what a step works on.
type Queue string

// The queues. A duty's queue is its name.
const (
	QueueInbox   Queue = "inbox"
	QueueCharges Queue = "charges"
	QueueRefunds Queue = "refunds"
	QueuePayouts Queue = "payouts"
	QueueOutbox  Queue = "outbox"
)

// The periodic duties. One instance at a time carries out each.
const (
	DutySweep     Queue = "sweep"     // GET /pix into the inbox
	DutyChanged   Queue = "changed"   // GET /pix of what was refunded
	DutyPending   Queue = "pending"   // waiting events by id
	DutyReconcile Queue = "reconcile" // account statement against ledger
	DutyRegister  Queue = "register"  // our callback URL at the PSP
	DutyKeys      Queue = "keys"      // answers kept long enough
)

// Lease asks for work to be held by one holder for a while.
type Lease struct {
	Holder string
	Now    time.Time // from [Store.Now]
	For    time.Duration
	Limit  int
	// Endpoint is whose events [Store.LeaseOutbox] takes, [DefaultEndpoint]'s if
	// empty.
	Endpoint string
}

// ChargeRef names a charge.
type ChargeRef struct{ Consumer, Reference string }

// NewCharge is the intention to charge.
type NewCharge struct {
	Charge Charge // State and DueAt set by the caller: intended, or active on a static code
	At     time.Time
	Key    *KeyClaim // of the request that wants it, if one does
}

// CreateOutcome is the charge as it stands; Created tells a new one from one
// that the reference already named. It is empty where the key says that nothing
// is to be done.
type CreateOutcome struct {
	Charge  Charge
	Created bool
	Key     KeyOutcome
}

// ChargeCall is what a call about a charge taught us.
type ChargeCall struct {
	Ref ChargeRef
	// State is the state learned; empty when the outcome is unknown.
	State     ChargeState
	CreatedAt time.Time
	BRCode    string
	Problem   string
	// DueAt is when to ask next, while unknown.
	DueAt time.Time
	// Key is the key of the request that made the call: its answer is stored with
	// what the call taught.
	Key *KeyHold
}

// CallOutcome is the charge as it stands, and what became of the key.
type CallOutcome struct {
	Charge Charge
	Key    KeyOutcome
}

// RefundRef names a refund of the merchant's.
type RefundRef struct{ Consumer, Reference string }

// NewRefund is the intention to refund; ID is chosen by the caller.
type NewRefund struct {
	Refund Refund
	At     time.Time
	Key    *KeyClaim // of the request that wants it, if one does
}

// ReserveOutcome is the refund as it stands, or why there is none.
// Result is empty where the key says that nothing is to be done.
type ReserveOutcome struct {
	Result ReserveResult
	Refund Refund
	Reason string
	Key    KeyOutcome
}

// RefundCall is what a call about a refund taught us.
type RefundCall struct {
	Ref RefundRef
	// ID is the id that the call was about: the word about one given up since is
	// not heeded. Empty is not checked.
	ID pix.RefundID
	// ReturnID and Status are what the PSP answered; both empty while the
	// outcome is unknown. Another refund's ReturnID is a clash.
	ReturnID pix.ReturnID
	Status   pix.RefundStatus
	// Refused ends the refund: the PSP will not make it. Problem says why.
	Refused bool
	Problem string
	// Answered says that no PUT left under the lease that may have taken effect
	// without our knowing.
	Answered bool
	// NewID replaces an id that is another refund's.
	NewID pix.RefundID
	// Version is that of the lease under which the call was made. What the PSP
	// said counts whoever asked; a refusal, or nothing learned, only from the one
	// who holds the refund.
	Version int64
	// DueAt is when to ask next, while open.
	DueAt time.Time
	Now   time.Time
}

// Application asks to book one claimed event.
type Application struct {
	EventID int64
	Version int64
	// Confirmed, when set, is what GET /pix/{e2eid} said just now; Refund the
	// same of a refund's own GET.
	Confirmed *Credit
	Refund    *RefundContent
	// Payout is the same of a payout's own GET: its state, or the return that the
	// event is about.
	Payout *PayoutContent
	// Denied says that a refund's or a payout's own GET answered that there is none.
	Denied bool
	Now    time.Time
}

// ApplyResult is what became of an application.
type ApplyResult string

// The fates of an application.
const (
	ApplyBooked  ApplyResult = "booked"
	ApplyKnown   ApplyResult = "known"   // booked before; the event is PROCESSED
	ApplyWait    ApplyResult = "wait"    // what it needs has not come; nothing changed
	ApplyConfirm ApplyResult = "confirm" // ask the PSP first; nothing changed
	ApplyAside   ApplyResult = "aside"   // quarantined, no posting
	ApplyLost    ApplyResult = "lost"    // the lease was lost; nothing changed
	ApplyFailed  ApplyResult = "failed"  // this item was refused; Reason says why
)

// ApplyOutcome answers one application.
type ApplyOutcome struct {
	Result ApplyResult
	Reason string
}

// Deferral puts a claimed event off.
type Deferral struct {
	EventID int64
	Version int64
	Until   time.Time
	Reason  string
	// Quarantine, when set, sets the event aside instead.
	Quarantine QuarantineKind
}

// DutyClaim asks for a duty's turn.
type DutyClaim struct {
	Name   Queue
	Holder string
	Now    time.Time
	For    time.Duration
}

// Duty is a periodic duty and how far it has come.
type Duty struct {
	Name      Queue
	Version   int64
	Watermark time.Time // everything up to here is done
	Cursor    string    // where the turn stands, empty at its start
	NextAt    time.Time // next turn
	HeldUntil time.Time // in SaveDuty, of a turn that goes on: its hold's new end; zero leaves it
}

// OutboxResult is what became of one send.
type OutboxResult struct {
	ID      int64
	Version int64
	Sent    bool
	Dead    bool
	DueAt   time.Time // next try, when neither
}

// MatchClass is the reconciliation's class of one line.
type MatchClass string

// The classes, by precedence.
const (
	MatchMissingInLedger MatchClass = "FALTA_NO_LEDGER"
	MatchMissingAtPSP    MatchClass = "FALTA_NO_PSP"
	MatchDivergent       MatchClass = "VALOR_DIVERGENTE"
	MatchDuplicate       MatchClass = "DUPLICADO"
	MatchNoCharge        MatchClass = "SEM_COBRANCA"
	MatchOK              MatchClass = "OK"
	// MatchInFlight is no difference: the event is still being worked on.
	MatchInFlight MatchClass = "EM_VOO"
)

// MatchOutcome is one line's class and what the ledger has for it.
type MatchOutcome struct {
	Class  MatchClass
	Ledger pix.Amount
}

// Repair is an event to book because the statement holds its line.
type Repair struct {
	Item InboxItem
	Now  time.Time
}

// UnseenQuery pages through payments that no statement line vouches for.
type UnseenQuery struct {
	BookedBefore time.Time
	AfterBooked  time.Time
	AfterID      pix.EndToEndID
	Limit        int
}

// UnseenRefundQuery pages through returned refunds that no statement line
// vouches for. AfterID goes with AfterFinished; no limit lists them all.
type UnseenRefundQuery struct {
	FinishedBefore time.Time // included
	AfterFinished  time.Time
	AfterID        pix.ReturnID
	Limit          int
}

// Adjustment asks to bring the net on [AccountSettlement] of one line, a Pix's
// credit or the refund with that rtrId, to Want: positive is money in.
type Adjustment struct {
	EndToEndID pix.EndToEndID
	ReturnID   pix.ReturnID
	Want       pix.Amount
	Reason     MatchClass
	Now        time.Time
}

// EventQuery filters events; zero values do not filter.
type EventQuery struct {
	State      EventState
	Quarantine QuarantineKind
	AfterID    int64
	ID         int64
	Limit      int
}

// Decision is an operator's word on one event.
type Decision struct {
	EventID  int64
	Operator string
	Note     string
	Now      time.Time
}

// CaseQuery filters cases; zero values do not filter.
type CaseQuery struct {
	State   CaseState
	ID      string
	Pix     []pix.EndToEndID // about any of these
	AfterID string
	Limit   int
}

// Attachment is an operator's word that a Pix belongs to a charge.
type Attachment struct {
	EndToEndID pix.EndToEndID
	Charge     ChargeRef
	Operator   string
	Note       string
	Now        time.Time
}

// AttachOutcome says whether money moved; Reason why not.
type AttachOutcome struct {
	Attached bool
	Reason   string
}

// CaseClosing ends a case; To takes what the case holds in suspense.
type CaseClosing struct {
	CaseID   string
	To       Account
	Operator string
	Note     string
	Now      time.Time
}

// OperatorRecord is one line of the operators' book.
type OperatorRecord struct {
	Number   int64 // its place in the book, set by [Store.ListRecords] alone
	At       time.Time
	Operator string
	Action   string
	Subject  string
	Note     string
}

// ChangeSet is everything one committed command changed, for whoever watches a
// store from inside the process. Rows are copies of the state after, with the
// state before where there was one.
type ChangeSet struct {
	Command      string
	Events       []EventChange
	Variants     []Variant
	Keys         []KeyChange
	Charges      []ChargeChange
	Payments     []PaymentChange
	Refunds      []RefundChange
	Payouts      []PayoutChange
	Memos        []Memo
	Transactions []Transaction
	Cases        []CaseChange
	Outbox       []OutboxChange
	Findings     []Finding
	Operators    []OperatorRecord
}

// EventChange is an event before (nil if new) and after.
type EventChange struct{ Before, After *Event }

// ChargeChange is a charge before (nil if new) and after.
type ChargeChange struct{ Before, After *Charge }

// PaymentChange is a payment before (nil if new) and after.
type PaymentChange struct{ Before, After *Payment }

// RefundChange is a refund before (nil if new) and after.
type RefundChange struct{ Before, After *Refund }

// PayoutChange is a payout before (nil if new) and after.
type PayoutChange struct{ Before, After *Payout }

// CaseChange is a case before (nil if new) and after.
type CaseChange struct{ Before, After *Case }

// OutboxChange is an outbox event before (nil if new) and after.
type OutboxChange struct{ Before, After *OutboxEvent }
