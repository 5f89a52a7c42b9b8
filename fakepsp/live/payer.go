package live

import (
	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// order is a payment as its payer makes it, its faults included.
func (r *run) order(p *chaos.Payment) fakepsp.PayOrder {
	set := r.faults.Payment(p.ID).Change
	order := fakepsp.PayOrder{
		Payment: p.ID, EndToEndID: pix.EndToEndID(p.EndToEndID), PixKey: r.key, Lax: set.Lax,
		Amount: pix.Amount(p.AmountCents), NotifyAfter: chaos.MS(p.NotifyAfterMS).Duration(),
	}
	if set.PayCents > 0 {
		order.Amount = pix.Amount(set.PayCents)
	}
	charge := p.Charge
	if set.PayCharge != "" {
		charge = set.PayCharge
	}
	if c := r.charges[charge]; c != nil {
		order.TxID = pix.TxID(chaos.Txid(r.plan.Seed, *c))
		order.Static = c.Kind == chaos.ChargeStatic
	}
	return order
}

// pay has a payer try.
func (r *run) pay(m *machine, p *chaos.Payment) {
	if _, err := m.psp.Pay(r.order(p)); err != nil {
		r.note(p.ID, err)
		return
	}
	m.moved = true
	r.tally.Fire(r.faults.Payment(p.ID).From)
}

// refund has the bank's app ask for a refund.
func (r *run) refund(m *machine, f *chaos.Refund) {
	of, id := r.pixOf(f.Payment), pix.RefundID(f.Reference)
	_, err := m.psp.AskRefund(fakepsp.RefundOrder{
		EndToEndID: of, ID: id, Amount: pix.Amount(f.AmountCents), Terms: r.terms(of, id),
	})
	r.note(f.ID, err)
}

// dispute has a payer report a Pix.
func (r *run) dispute(m *machine, d *chaos.Dispute) {
	r.note(d.ID, m.psp.Report(fakepsp.DisputeOrder{
		ID: d.ID, Payment: d.Payment, EndToEndID: r.pixOf(d.Payment), Nature: d.Nature, Outcome: d.Outcome,
		Amount: pix.Amount(d.AmountCents), DecideAfter: chaos.MS(d.DecideAfterMS).Duration(),
		NotifyAfter: chaos.MS(d.NotifyAfterMS).Duration(),
	}))
}
