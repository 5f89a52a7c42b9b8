package fakepsp

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// request is what an attempt sends.
type request struct {
	header http.Header
	body   []byte
	bent   bool // other than the clean attempt's
}

// request builds an attempt's bytes. Each is signed anew at its own instant,
// but for one that repeats what copy 0 sent.
func (p *PSP) request(d *delivery, now time.Time) request {
	n, change := d.notice, d.fault.Change
	if change.Frozen && n.first != nil {
		return request{header: n.first.header.Clone(), body: n.first.body, bent: true}
	}
	body := n.body()
	bent := false
	if len(n.payouts) > 0 {
		clean := body
		body = cutOrPadded(body, change.Shape, p.cfg.OversizeBytes)
		bent = !bytes.Equal(clean, body)
	} else if said := d.said(); len(change.Shape) > 0 || said {
		clean := body
		body = bend(p.speech(d), change.Shape, p.cfg.OversizeBytes)
		bent = !bytes.Equal(clean, body)
	}
	if change.Frozen { // copy 0 rode in another's body: what it would have been
		now, bent = n.dueAt, true
	}
	header := contentType("application/json")
	switch change.Signature {
	case chaos.SignatureMissing:
		return request{header: header, body: body, bent: true}
	case chaos.SignatureBad:
		wrong := pix.Secret{ID: p.cfg.Secret.ID, Key: append(slices.Clone(p.cfg.Secret.Key), '!')}
		header.Set(pix.SignatureHeader, pix.Sign(wrong, now, body))
		return request{header: header, body: body, bent: true}
	}
	header.Set(pix.SignatureHeader, pix.Sign(p.cfg.Secret, now, body))
	return request{header: header, body: body, bent: bent}
}

// body is the notice as a conforming PSP writes it.
func (n *notice) body() []byte {
	if len(n.payouts) > 0 {
		return pix.EncodePayoutCallback(n.payouts)
	}
	return pix.EncodeCallback(n.items)
}

// words is the change that says what the body states: the attempt's own, or,
// for a notice without a payment behind it, the one that made the notice.
func (d *delivery) words() chaos.Change {
	if d.notice.extra {
		return d.notice.said
	}
	return d.fault.Change
}

func (d *delivery) said() bool {
	w := d.words()
	return w.SayCents != 0 || w.SayEndToEndID != "" || w.SayTxID != "" || saysRefund(w)
}

// speech is the notice's items with the false words in the first. The refund
// that the notice is about, true or not, stands last there: a body with room
// for one refund only shows that one.
func (p *PSP) speech(d *delivery) []pix.Payment {
	items, w := slices.Clone(d.notice.items), d.words()
	if slices.Contains(d.fault.Change.Shape, chaos.ShapeRefundObject) {
		items[0].Refunds = lastly(items[0].Refunds, d.notice.about)
	}
	if saysRefund(w) {
		items[0] = p.withFalseRefund(items[0], d.notice, w)
	}
	if w.SayCents != 0 {
		items[0].Amount = pix.Amount(w.SayCents)
	}
	if w.SayEndToEndID != "" {
		items[0].EndToEndID = pix.EndToEndID(w.SayEndToEndID)
	}
	if w.SayTxID != "" {
		items[0].TxID = pix.TxID(w.SayTxID)
	}
	return items
}

// lastly is the list with the refund of that id at its end.
func lastly(list []pix.Refund, id pix.RefundID) []pix.Refund {
	i := slices.IndexFunc(list, func(r pix.Refund) bool { return r.ID == id })
	if i < 0 {
		return list
	}
	about := list[i]
	return append(slices.Delete(slices.Clone(list), i, i+1), about)
}
