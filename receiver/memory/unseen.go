package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// unseenList is the index of payments without a line of the statement, in the
// order (booked, id). Payments come at its end and leave near its front, so a
// payment that leaves is only marked; the list is packed once half is gone.
type unseenList struct {
	entries []unseenEntry
	gone    int
}

type unseenEntry struct {
	booked time.Time
	id     pix.EndToEndID
	gone   bool
}

// minPack is the number of marked entries below which packing is not worth it.
const minPack = 64

// swap follows one payment's change.
func (l *unseenList) swap(before, after *receiver.Payment) {
	was, is := before != nil && !before.InStatement, after != nil && !after.InStatement
	if was && is && before.BookedAt.Equal(after.BookedAt) {
		return
	}
	if was {
		l.remove(before.BookedAt, before.EndToEndID)
	}
	if is {
		l.add(after.BookedAt, after.EndToEndID)
	}
}

// search is the place of the first entry at or after (booked, id).
func (l *unseenList) search(booked time.Time, id pix.EndToEndID) (int, bool) {
	return slices.BinarySearchFunc(l.entries, id, func(e unseenEntry, _ pix.EndToEndID) int {
		return cmp.Or(e.booked.Compare(booked), cmp.Compare(e.id, id))
	})
}

func (l *unseenList) add(booked time.Time, id pix.EndToEndID) {
	i, found := l.search(booked, id)
	if found {
		l.entries[i].gone = false
		l.gone--
		return
	}
	l.entries = slices.Insert(l.entries, i, unseenEntry{booked: booked, id: id})
}

func (l *unseenList) remove(booked time.Time, id pix.EndToEndID) {
	i, found := l.search(booked, id)
	if !found || l.entries[i].gone {
		return
	}
	l.entries[i].gone = true
	l.gone++
	if l.gone > minPack && l.gone > len(l.entries)/2 {
		l.entries = slices.DeleteFunc(l.entries, func(e unseenEntry) bool { return e.gone })
		l.gone = 0
	}
}

// page is up to limit wanted ids (all, if limit is zero) booked up to an instant
// and after a cursor.
func (l *unseenList) page(q receiver.UnseenQuery, wanted func(pix.EndToEndID) bool) []pix.EndToEndID {
	i, found := l.search(q.AfterBooked, q.AfterID)
	if found {
		i++
	}
	var ids []pix.EndToEndID
	for ; i < len(l.entries); i++ {
		e := l.entries[i]
		if e.booked.After(q.BookedBefore) || q.Limit > 0 && len(ids) == q.Limit {
			break
		}
		if !e.gone && wanted(e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}
