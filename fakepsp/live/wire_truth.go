package live

import (
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// Truth is what happened at the PSP, whatever anybody was told of it.
type Truth struct {
	BalanceCents  int64     `json:"balance_cents"`
	BlockedCents  int64     `json:"blocked_cents"`
	ReservedCents int64     `json:"reserved_cents"`
	Payments      []Settled `json:"payments"` // in the order of settlement
	Refunds       []Refund  `json:"refunds"`  // in the order of asking
	Disputes      []Dispute `json:"disputes"` // in the order of reporting
	Payouts       []Payout  `json:"payouts"`  // in the order of asking
}

// Settled is a Pix that arrived.
type Settled struct {
	EndToEndID  pix.EndToEndID `json:"end_to_end_id"`
	TxID        pix.TxID       `json:"txid,omitempty"`
	PixKey      pix.PixKey     `json:"pix_key"`
	AmountCents int64          `json:"amount_cents"`
	PaidAt      time.Time      `json:"paid_at"`
	Subject     string         `json:"subject,omitempty"` // the plan's ID of it
}

// Refund is a devolução as it stands.
type Refund struct {
	EndToEndID  pix.EndToEndID   `json:"end_to_end_id"`
	ID          pix.RefundID     `json:"id"`
	ReturnID    pix.ReturnID     `json:"rtr_id"`
	AmountCents int64            `json:"amount_cents"`
	Nature      string           `json:"nature"`
	Status      pix.RefundStatus `json:"status"`
	RequestedAt time.Time        `json:"requested_at"`
	SettledAt   time.Time        `json:"settled_at,omitzero"`
	Subject     string           `json:"subject,omitempty"` // the plan's ID of the refund or the case
	Part        int              `json:"part,omitempty"`    // counts the returns of a MED case from 1
}

// Dispute is a MED case as it stands.
type Dispute struct {
	ID            string               `json:"id"`
	EndToEndID    pix.EndToEndID       `json:"end_to_end_id"`
	Nature        string               `json:"nature"`
	Stage         fakepsp.DisputeStage `json:"stage"`
	BlockedCents  int64                `json:"blocked_cents"`
	GoalCents     int64                `json:"goal_cents"`
	ReturnedCents int64                `json:"returned_cents"`
	At            time.Time            `json:"at"` // when the stage began
}
