package memory

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// refundTable holds the refunds, the merchant's and the PSP's own. What is kept
// of them per Pix stands in [pixRefunds].
type refundTable struct {
	byRef map[receiver.RefundRef]*slot[receiver.Refund] // the merchant's
	due   queue[receiver.Refund]                        // open ones of the merchant's
	// unseen are those that count as returned without a line of the statement, in
	// the order (finished, rtrId).
	unseen unseenList[refundLine]
	log    journal[receiver.Refund]
}

func newRefundTable() refundTable {
	return refundTable{
		byRef:  map[receiver.RefundRef]*slot[receiver.Refund]{},
		unseen: unseenList[refundLine]{compare: compareRefundLines},
		due: queue[receiver.Refund]{less: func(a, b *receiver.Refund) bool {
			return cmp.Or(a.DueAt.Compare(b.DueAt), a.RequestedAt.Compare(b.RequestedAt),
				cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference)) < 0
		}},
	}
}

func (t *refundTable) find(ref receiver.RefundRef) *receiver.Refund {
	if s := t.byRef[ref]; s != nil {
		return s.row
	}
	return nil
}

// pixRefunds is what the tables know about the refunds of one Pix. Their ids
// and rtrIds are looked up by walking: a Pix has few.
type pixRefunds struct {
	rows     []*slot[receiver.Refund] // in the order made
	nets     []refundNet
	inFlight int     // RECEIVED events about them
	waiting  []int64 // QUARANTINED/waiting events about them, ascending
}

// refundNet is what the settlement account has for one refund's line.
type refundNet struct {
	id    pix.ReturnID
	cents pix.Amount
}

// net is the sum kept for a refund's line, zero at first.
func (r *pixRefunds) net(id pix.ReturnID) *pix.Amount {
	for i := range r.nets {
		if r.nets[i].id == id {
			return &r.nets[i].cents
		}
	}
	r.nets = append(r.nets, refundNet{id: id})
	return &r.nets[len(r.nets)-1].cents
}

// ofRefunds is the refunds' part of a Pix, made when it is first asked for.
func (p *pixState) ofRefunds() *pixRefunds {
	if p.refunds == nil {
		p.refunds = &pixRefunds{}
	}
	return p.refunds
}

// refundsOf is the refunds' part of a Pix, nil if there is none.
func (t *paymentTable) refundsOf(id pix.EndToEndID) *pixRefunds {
	if p := t.byID[id]; p != nil {
		return p.refunds
	}
	return nil
}

// first is the first row that fits, nil if none does.
func (r *pixRefunds) first(fits func(*receiver.Refund) bool) *receiver.Refund {
	if r == nil {
		return nil
	}
	for _, at := range r.rows {
		if fits(at.row) {
			return at.row
		}
	}
	return nil
}

// returned is the refund with that rtrId, whoever asked for it.
func (r *pixRefunds) returned(id pix.ReturnID) *receiver.Refund {
	if id == "" {
		return nil
	}
	return r.first(func(x *receiver.Refund) bool { return x.ReturnID == id })
}

// own is the open refund of the merchant's with that id at the PSP.
func (r *pixRefunds) own(id pix.RefundID) *receiver.Refund {
	return r.first(func(x *receiver.Refund) bool { return x.OpenOwn() && x.ID == id })
}

// netOf is what the settlement account has for one line of the statement: the
// Pix's credit, or the refund with that rtrId.
func (t *paymentTable) netOf(id pix.EndToEndID, refund pix.ReturnID) pix.Amount {
	p := t.byID[id]
	switch {
	case p == nil:
		return 0
	case refund == "":
		return p.net
	case p.refunds == nil:
		return 0
	}
	for _, n := range p.refunds.nets {
		if n.id == refund {
			return n.cents
		}
	}
	return 0
}

// refundRow is the row that x is another state of, nil if it is new.
func (s *Store) refundRow(x *receiver.Refund) *receiver.Refund {
	if x.Origin == receiver.RefundByMerchant {
		return s.refunds.find(refundRefOf(x))
	}
	return s.payments.refundsOf(x.EndToEndID).returned(x.ReturnID)
}

// putRefund stores after, which the store owns from now on.
func (tx *Tx) putRefund(before, after *receiver.Refund) {
	tx.s.swapRefund(before, after)
	tx.s.refunds.log.add(before, after)
}

// swapRefund puts after in the place of before; see swapEvent.
func (s *Store) swapRefund(before, after *receiver.Refund) {
	t := &s.refunds
	follow(&t.unseen, unseenRefund, before, after)
	if before == nil {
		at := &slot[receiver.Refund]{row: after}
		r := s.payments.of(after.EndToEndID).ofRefunds()
		r.rows = append(r.rows, at)
		if after.Origin == receiver.RefundByMerchant {
			t.byRef[refundRefOf(after)] = at
		}
		t.due.set(at, after.OpenOwn())
		return
	}
	r := s.payments.of(before.EndToEndID).ofRefunds()
	i := slices.IndexFunc(r.rows, func(at *slot[receiver.Refund]) bool { return at.row == before })
	at := r.rows[i]
	if after == nil {
		t.due.drop(at)
		r.rows = slices.Delete(r.rows, i, i+1)
		if before.Origin == receiver.RefundByMerchant {
			delete(t.byRef, refundRefOf(before))
		}
		return
	}
	at.row = after
	t.due.set(at, after.OpenOwn())
}

func refundRefOf(x *receiver.Refund) receiver.RefundRef {
	return receiver.RefundRef{Consumer: x.Consumer, Reference: x.Reference}
}

// cloneRefund is a copy that shares nothing with the row.
func cloneRefund(x *receiver.Refund) receiver.Refund {
	c := *x
	c.Source = slices.Clone(x.Source)
	return c
}
