package fakepsp

import (
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// saysRefund tells whether a change has the body tell of a refund that never
// was.
func saysRefund(ch chaos.Change) bool { return ch.SayRefundCents != 0 || ch.SayRefundID != "" }

// dress gives a notice of a false refund the Pix as it stands when the notice
// first leaves. There is nothing to lie about before that Pix has settled: then
// nothing is sent.
func (p *PSP) dress(n *notice) bool {
	if !n.extra || !saysRefund(n.said) {
		return true
	}
	if n.dressed {
		return len(n.items) > 0
	}
	n.dressed = true
	item, ok := p.truth.Payment(n.items[0].EndToEndID)
	n.items = nil
	if ok {
		n.items = []pix.Payment{item}
	}
	return ok
}

// withFalseRefund is a Pix with the refund that the change speaks of: a further
// one, DEVOLVIDO, or another amount for one of that id. Without an amount it is
// the whole Pix; without an id, one made up.
func (p *PSP) withFalseRefund(item pix.Payment, n *notice, ch chaos.Change) pix.Payment {
	cents, id := pix.Amount(ch.SayRefundCents), pix.RefundID(ch.SayRefundID)
	if cents == 0 {
		cents = item.Amount
	}
	item.Refunds = slices.Clone(item.Refunds)
	if i := slices.IndexFunc(item.Refunds, func(r pix.Refund) bool { return r.ID == id }); i >= 0 {
		item.Refunds[i].Amount = cents
		return item
	}
	key := n.subject + "/" + n.name
	if id == "" {
		id = pix.RefundID(p.cfg.NewID("false", key, 32))
	}
	at := stamp(n.cleanAt)
	returnID, err := pix.NewReturnID(p.cfg.ISPB, at, p.cfg.NewID("false rtrId", key, 11))
	if err != nil { // cannot happen where NewID gives what it is asked for
		return item
	}
	item.Refunds = append(item.Refunds, pix.Refund{
		ID: id, ReturnID: returnID, Amount: cents, Nature: pix.NatureOriginal,
		Status: pix.RefundReturned, RequestedAt: at, SettledAt: at,
	})
	return item
}
