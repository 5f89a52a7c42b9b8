package memory

import (
	"cmp"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// chargeTable holds the sales.
type chargeTable struct {
	byRef  map[receiver.ChargeRef]*slot[receiver.Charge]
	byTxID map[pix.TxID]*slot[receiver.Charge]
	due    queue[receiver.Charge] // intended
	log    journal[receiver.Charge]
}

func newChargeTable() chargeTable {
	return chargeTable{
		byRef:  map[receiver.ChargeRef]*slot[receiver.Charge]{},
		byTxID: map[pix.TxID]*slot[receiver.Charge]{},
		due: queue[receiver.Charge]{less: func(a, b *receiver.Charge) bool {
			return cmp.Or(a.DueAt.Compare(b.DueAt), compareCharges(a, b)) < 0
		}},
	}
}

// compareCharges orders by consumer and reference.
func compareCharges(a, b *receiver.Charge) int {
	return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
}

func (t *chargeTable) find(ref receiver.ChargeRef) *receiver.Charge {
	if s := t.byRef[ref]; s != nil {
		return s.row
	}
	return nil
}

func (t *chargeTable) findTxID(id pix.TxID) *receiver.Charge {
	if s := t.byTxID[id]; s != nil {
		return s.row
	}
	return nil
}

// putCharge stores after, which the store owns from now on.
func (tx *Tx) putCharge(before, after *receiver.Charge) {
	tx.s.swapCharge(before, after)
	tx.s.charges.log.add(before, after)
}

// swapCharge puts after in the place of before; see swapEvent.
func (s *Store) swapCharge(before, after *receiver.Charge) {
	t := &s.charges
	var at *slot[receiver.Charge]
	if before == nil {
		at = &slot[receiver.Charge]{}
		t.byRef[refOf(after)] = at
	} else {
		at = t.byRef[refOf(before)]
	}
	if before != nil && (after == nil || after.TxID != before.TxID) {
		delete(t.byTxID, before.TxID)
	}
	if after == nil {
		t.due.drop(at)
		delete(t.byRef, refOf(before))
		return
	}
	if after.TxID != "" {
		t.byTxID[after.TxID] = at
	}
	at.row = after
	t.due.set(at, after.State == receiver.ChargeIntended)
}

func refOf(c *receiver.Charge) receiver.ChargeRef {
	return receiver.ChargeRef{Consumer: c.Consumer, Reference: c.Reference}
}
