package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// unseenList is an index of rows without a line of the statement, in the order
// (since when, id). Rows come at its end and leave near its front, so one that
// leaves elsewhere than near the end is only marked; the list is packed once half
// is gone.
type unseenList[K comparable] struct {
	compare func(a, b K) int
	entries []unseenEntry[K]
	gone    int
}

type unseenEntry[K comparable] struct {
	at   time.Time
	id   K
	gone bool
}

// minPack is the number of marked entries below which packing is not worth it.
const minPack = 64

// nearEnd is the number of entries behind one that is taken out rather than marked.
const nearEnd = 256

// unseenPayment is p's entry, if it belongs in the list.
func unseenPayment(p *receiver.Payment) (unseenEntry[pix.EndToEndID], bool) {
	if p == nil || p.InStatement {
		return unseenEntry[pix.EndToEndID]{}, false
	}
	return unseenEntry[pix.EndToEndID]{at: p.BookedAt, id: p.EndToEndID}, true
}

// refundLine names a refund's line of the statement.
type refundLine struct {
	returned pix.ReturnID
	e2e      pix.EndToEndID
}

// behindAll sorts behind every endToEndId.
const behindAll pix.EndToEndID = "\xff"

func compareRefundLines(a, b refundLine) int {
	return cmp.Or(cmp.Compare(a.returned, b.returned), cmp.Compare(a.e2e, b.e2e))
}

// unseenRefund is x's entry, if it belongs in the list.
func unseenRefund(x *receiver.Refund) (unseenEntry[refundLine], bool) {
	if x == nil || x.State != receiver.RefundReturned || x.InStatement {
		return unseenEntry[refundLine]{}, false
	}
	return unseenEntry[refundLine]{at: x.FinishedAt, id: refundLine{x.ReturnID, x.EndToEndID}}, true
}

// follow brings a list along with one row's change.
func follow[R any, K comparable](l *unseenList[K], entry func(*R) (unseenEntry[K], bool), before, after *R) {
	was, wasIn := entry(before)
	is, isIn := entry(after)
	if wasIn && isIn && was.at.Equal(is.at) && was.id == is.id {
		return
	}
	if wasIn {
		l.remove(was)
	}
	if isIn {
		l.add(is)
	}
}

// search is the place of the first entry at or behind e.
func (l *unseenList[K]) search(e unseenEntry[K]) (int, bool) {
	return slices.BinarySearchFunc(l.entries, e, func(a, b unseenEntry[K]) int {
		return cmp.Or(a.at.Compare(b.at), l.compare(a.id, b.id))
	})
}

func (l *unseenList[K]) add(e unseenEntry[K]) {
	i, found := l.search(e)
	if found {
		l.entries[i] = e // of the same name, in the memory of the row that there is now
		l.gone--
		return
	}
	l.entries = slices.Insert(l.entries, i, e)
}

func (l *unseenList[K]) remove(e unseenEntry[K]) {
	i, found := l.search(e)
	if !found || l.entries[i].gone {
		return
	}
	if len(l.entries)-i <= nearEnd {
		l.entries = slices.Delete(l.entries, i, i+1)
		return
	}
	l.entries[i].gone = true
	l.gone++
	if l.gone > minPack && l.gone > len(l.entries)/2 {
		l.entries = slices.DeleteFunc(l.entries, func(e unseenEntry[K]) bool { return e.gone })
		l.gone = 0
	}
}

// page is up to limit wanted ids (all, if limit is zero) up to an instant and
// behind a cursor.
func (l *unseenList[K]) page(after unseenEntry[K], until time.Time, limit int, wanted func(K) bool) []K {
	i, found := l.search(after)
	if found {
		i++
	}
	var ids []K
	for ; i < len(l.entries); i++ {
		e := l.entries[i]
		if e.at.After(until) || limit > 0 && len(ids) == limit {
			break
		}
		if !e.gone && wanted(e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}
