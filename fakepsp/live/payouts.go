package live

import (
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// Payout is a Pix that was sent, as it stands.
type Payout struct {
	Key         string           `json:"key"`
	EndToEndID  pix.EndToEndID   `json:"end_to_end_id"`
	PixKey      pix.PixKey       `json:"pix_key"` // the payee's
	AmountCents int64            `json:"amount_cents"`
	Status      pix.PayoutStatus `json:"status"`
	RequestedAt time.Time        `json:"requested_at"`
	SettledAt   time.Time        `json:"settled_at,omitzero"`
	Returns     []PayoutReturn   `json:"returns,omitempty"`
	Subject     string           `json:"subject,omitempty"` // the plan's ID of it
}

// PayoutReturn is what came back of one.
type PayoutReturn struct {
	ReturnID    pix.ReturnID `json:"rtr_id"`
	AmountCents int64        `json:"amount_cents"`
	SettledAt   time.Time    `json:"settled_at"`
}

func payoutOf(row fakepsp.PayoutRow) Payout {
	out := Payout{
		Key: row.Key, EndToEndID: row.EndToEndID, PixKey: row.PixKey, AmountCents: int64(row.Amount), Status: row.Status,
		RequestedAt: row.RequestedAt, SettledAt: row.SettledAt, Subject: row.Subject,
	}
	for _, r := range row.Returns {
		out.Returns = append(out.Returns, PayoutReturn{r.ReturnID, int64(r.Amount), r.SettledAt})
	}
	return out
}

// payoutNotice is when the end of a payout that no plan knows is told of.
const payoutNotice = 200 * time.Millisecond

// payoutTerms is what the plan wants of a payout under that key.
func (m *machine) payoutTerms(key string) fakepsp.PayoutTerms {
	if m.run == nil || m.run.payouts[key] == nil {
		return fakepsp.PayoutTerms{NotifyAfter: payoutNotice}
	}
	o := m.run.payouts[key]
	t := fakepsp.PayoutTerms{
		Subject: o.ID, SettleAfter: chaos.MS(o.SettleAfterMS).Duration(), Rejects: o.Outcome == chaos.PayoutRejected,
		NotifyAfter: chaos.MS(o.NotifyAfterMS).Duration(),
	}
	for _, r := range o.Returns {
		t.Returns = append(t.Returns, fakepsp.ReturnTerms{After: chaos.MS(r.AfterMS).Duration(), Amount: pix.Amount(r.AmountCents)})
	}
	return t
}

// payoutHabits are the PSP's, as far as the plan has any.
func (r *run) payoutHabits(cfg *fakepsp.Config) {
	if s := r.plan.Settings; s.PayoutIDs != "" {
		cfg.PayoutIDs = s.PayoutIDs
	}
	if ms := r.plan.Settings.PayoutKeyTTLMS; ms > 0 {
		cfg.PayoutKeyTTL = chaos.MS(ms).Duration()
	}
}
