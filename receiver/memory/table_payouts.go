package memory

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// payoutTable holds the payouts.
type payoutTable struct {
	byRef map[receiver.PayoutRef]*slot[receiver.Payout]
	byKey map[string]*slot[receiver.Payout]
	byID  map[pix.EndToEndID]*slot[receiver.Payout] // those whose endToEndId is known
	due   queue[receiver.Payout]                    // open ones
	lines map[string]*outboxLines                   // what the endpoints are told of each, by key
	log   journal[receiver.Payout]
}

func newPayoutTable() payoutTable {
	return payoutTable{
		byRef: map[receiver.PayoutRef]*slot[receiver.Payout]{}, byKey: map[string]*slot[receiver.Payout]{},
		byID: map[pix.EndToEndID]*slot[receiver.Payout]{}, lines: map[string]*outboxLines{},
		due: queue[receiver.Payout]{less: func(a, b *receiver.Payout) bool {
			return cmp.Or(a.DueAt.Compare(b.DueAt), a.RequestedAt.Compare(b.RequestedAt), comparePayouts(a, b)) < 0
		}},
	}
}

func comparePayouts(a, b *receiver.Payout) int {
	return cmp.Or(cmp.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Reference, b.Reference))
}

func (t *payoutTable) find(ref receiver.PayoutRef) *receiver.Payout { return rowOf(t.byRef[ref]) }

func (t *payoutTable) findKey(key string) *receiver.Payout { return rowOf(t.byKey[key]) }

func (t *payoutTable) findID(id pix.EndToEndID) *receiver.Payout { return rowOf(t.byID[id]) }

func rowOf[T any](s *slot[T]) *T {
	if s == nil {
		return nil
	}
	return s.row
}

// unsent says whether a payout over so much may have been made without our
// knowing its endToEndId.
func (t *payoutTable) unsent(cents pix.Amount) bool {
	return slices.ContainsFunc(t.due.heap, func(s *slot[receiver.Payout]) bool { return s.row.Unsent(cents) })
}

// putPayout stores after, which the store owns from now on.
func (tx *Tx) putPayout(before, after *receiver.Payout) {
	tx.s.swapPayout(before, after)
	tx.s.payouts.log.add(before, after)
}

// swapPayout puts after in the place of before; see swapEvent.
func (s *Store) swapPayout(before, after *receiver.Payout) {
	t := &s.payouts
	var at *slot[receiver.Payout]
	if before == nil {
		at = &slot[receiver.Payout]{}
		t.byRef[payoutRefOf(after)], t.byKey[after.Key] = at, at
	} else {
		at = t.byRef[payoutRefOf(before)]
		if before.EndToEndID != "" && t.byID[before.EndToEndID] == at {
			delete(t.byID, before.EndToEndID)
		}
	}
	if after == nil {
		t.due.drop(at)
		delete(t.byRef, payoutRefOf(before))
		delete(t.byKey, before.Key)
		return
	}
	if after.EndToEndID != "" {
		t.byID[after.EndToEndID] = at
	}
	at.row = after
	t.due.set(at, !after.State.Final())
}

func payoutRefOf(x *receiver.Payout) receiver.PayoutRef {
	return receiver.PayoutRef{Consumer: x.Consumer, Reference: x.Reference}
}

// clonePayout is a copy that shares nothing with the row.
func clonePayout(x *receiver.Payout) receiver.Payout {
	c := *x
	c.Returns = slices.Clone(x.Returns)
	return c
}
