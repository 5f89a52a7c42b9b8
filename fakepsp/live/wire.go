package live

import (
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// PayOrder is one Pix for POST /lab/payments. No fault is addressed to it.
type PayOrder struct {
	EndToEndID pix.EndToEndID `json:"end_to_end_id"`
	// TxID is that of a dynamic charge, or of a static code with Static; empty
	// pays to the key.
	TxID   pix.TxID `json:"txid,omitempty"`
	Static bool     `json:"static,omitempty"`
	// PixKey is the charge's, or the first of the account, if it is empty.
	PixKey      pix.PixKey `json:"pix_key,omitempty"`
	AmountCents int64      `json:"amount_cents"`
	PayerNote   string     `json:"payer_note,omitempty"`
	Payer       string     `json:"payer,omitempty"` // CPF or CNPJ
	// Lax has the PSP take what it should refuse, as that of fakepsp does.
	Lax           bool  `json:"lax,omitempty"`
	NotifyAfterMS int64 `json:"notify_after_ms,omitempty"`
}

// Paid is what came of one PayOrder: it settled, or it is void and why.
type Paid struct {
	EndToEndID pix.EndToEndID `json:"end_to_end_id"`
	SettledAt  time.Time      `json:"settled_at,omitzero"`
	Void       string         `json:"void,omitempty"`
}

// ChargeOrder is one dynamic charge for POST /lab/charges, made at the PSP as if
// a merchant's system had asked for it.
type ChargeOrder struct {
	TxID        pix.TxID `json:"txid"`
	AmountCents int64    `json:"amount_cents"`
	// PixKey is the first of the account, if it is empty.
	PixKey     pix.PixKey `json:"pix_key,omitempty"`
	ExpiresInS int64      `json:"expires_in_s"`
}

// Charged is a charge that the PSP made.
type Charged struct {
	TxID      pix.TxID  `json:"txid"`
	CreatedAt time.Time `json:"created_at"`
}

// RefundOrder is a refund made in the bank's own app, for POST /lab/refunds.
type RefundOrder struct {
	EndToEndID    pix.EndToEndID `json:"end_to_end_id"`
	ID            pix.RefundID   `json:"id"`
	AmountCents   int64          `json:"amount_cents"`
	Description   string         `json:"description,omitempty"`
	SettleAfterMS int64          `json:"settle_after_ms,omitempty"`
	NotifyAfterMS int64          `json:"notify_after_ms,omitempty"`
	Fails         bool           `json:"fails,omitempty"` // ends NAO_REALIZADO
}

// DisputeOrder is a MED report, for POST /lab/disputes.
type DisputeOrder struct {
	ID            string               `json:"id"`
	EndToEndID    pix.EndToEndID       `json:"end_to_end_id"`
	Nature        string               `json:"nature"` // MED_FRAUDE or MED_OPERACIONAL
	Outcome       chaos.DisputeOutcome `json:"outcome"`
	AmountCents   int64                `json:"amount_cents"`
	DecideAfterMS int64                `json:"decide_after_ms,omitempty"`
	NotifyAfterMS int64                `json:"notify_after_ms,omitempty"`
}

// PlanState is what became of a plan.
type PlanState struct {
	Hash    string    `json:"hash"`
	Seed    string    `json:"seed"`
	Profile string    `json:"profile"`
	BeganAt time.Time `json:"began_at"`
	// EndsAt is when the plan's last action is due.
	EndsAt time.Time `json:"ends_at"`
	// Pending counts what payers and the bank have still to do.
	Pending int    `json:"pending"`
	Void    []Void `json:"void"`
}

// Void is something that a plan wanted done and the PSP refused.
type Void struct {
	Subject string `json:"subject"` // the plan's ID of it
	Reason  string `json:"reason"`
}

// Verdict is whether the PSP agrees with itself.
type Verdict struct {
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

// Deliveries counts callbacks. Sent attempts are acknowledged, refused (another
// one follows), given up or on the way.
type Deliveries struct {
	Sent         int `json:"sent"`
	Acknowledged int `json:"acknowledged"`
	Refused      int `json:"refused"`
	GivenUp      int `json:"given_up"`
	OnTheWay     int `json:"on_the_way"`
	Dropped      int `json:"dropped"`    // by a fault, before they left
	NoWebhook    int `json:"no_webhook"` // had no URL to go to
	// Quiet is that the PSP owes nothing and has nothing more to do by itself;
	// what a plan has still to do is [PlanState.Pending].
	Quiet bool `json:"quiet"`
}

// Ack is one callback that was answered 2xx: what the receiver answers for.
type Ack struct {
	Subject string    `json:"subject,omitempty"`
	Notice  string    `json:"notice"`
	Copy    int       `json:"copy"`
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	SHA256  string    `json:"sha256"` // of the body, in hex
	Items   []AckItem `json:"items"`
	// Payouts are the items of a callback about payouts.
	Payouts []AckPayout `json:"payouts,omitempty"`
	// Malformed counts the items that cannot be read, Unreadable is that the
	// whole body cannot.
	Malformed int `json:"malformed,omitempty"`
	// Bad are the malformed items as they were sent.
	Bad        [][]byte `json:"bad,omitempty"`
	Unreadable bool     `json:"unreadable,omitempty"`
}

// AckItem is one Pix of an acknowledged body.
type AckItem struct {
	EndToEndID pix.EndToEndID `json:"end_to_end_id"`
	TxID       pix.TxID       `json:"txid,omitempty"`
	Refunds    []AckRefund    `json:"refunds,omitempty"`
}

// AckPayout is what an acknowledged callback said of a payout: how it ended, and
// what came back of it.
type AckPayout struct {
	Key     string           `json:"key"`
	Status  pix.PayoutStatus `json:"status"`
	Returns []pix.ReturnID   `json:"returns,omitempty"`
}

// AckRefund is one devolução of an acknowledged Pix.
type AckRefund struct {
	ID     pix.RefundID     `json:"id"`
	Status pix.RefundStatus `json:"status"`
}

// Faults counts a plan's deviations. Those that strike the receiver, its
// store or the merchant never fire at the PSP.
type Faults struct {
	Planned int         `json:"planned"`
	Fired   int         `json:"fired"`
	Healed  bool        `json:"healed"`
	Kinds   []FaultKind `json:"kinds"`
}

// FaultKind counts those of one kind.
type FaultKind struct {
	Kind    string `json:"kind"`
	Planned int    `json:"planned"`
	Fired   int    `json:"fired"`
}

// Addresses are the URLs of the two ports.
type Addresses struct {
	API string `json:"api"`
	Lab string `json:"lab"`
}
