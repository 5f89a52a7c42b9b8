package memory

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// caseTable holds the differences that a person has to look at.
type caseTable struct {
	rows   map[string]*receiver.Case
	ids    []string // all, ascending up to sorted
	sorted int
	log    journal[receiver.Case]
}

// ordered are all ids, ascending. New ones are sorted in when they are asked
// for, not one by one.
func (t *caseTable) ordered() []string {
	if t.sorted < len(t.ids) {
		slices.Sort(t.ids)
		t.sorted = len(t.ids)
	}
	return t.ids
}

// isOpen says whether there is an open case of that id.
func (t *caseTable) isOpen(id string) bool {
	c := t.rows[id]
	return c != nil && c.State == receiver.CaseOpen
}

// putCase stores after, which the store owns from now on.
func (tx *Tx) putCase(before, after *receiver.Case) {
	tx.s.swapCase(before, after)
	tx.s.cases.log.add(before, after)
}

// swapCase puts after in the place of before; see swapEvent.
func (s *Store) swapCase(before, after *receiver.Case) {
	t := &s.cases
	if after == nil {
		delete(t.rows, before.ID)
		t.ids = slices.DeleteFunc(t.ids, func(id string) bool { return id == before.ID })
		t.sorted = min(t.sorted, len(t.ids))
		return
	}
	if before == nil {
		t.ids = append(t.ids, after.ID)
	}
	t.rows[after.ID] = after
}

// openCase opens a case, or adds to the one there is. What changes nothing is
// not put.
func (tx *Tx) openCase(n receiver.CaseNote, id pix.EndToEndID, at time.Time) {
	before := tx.s.cases.rows[n.ID]
	if after := before.Noted(n, id, at); after != nil {
		tx.putCase(before, after)
	}
}

// closeCase closes an open case.
func (tx *Tx) closeCase(id, note string, at time.Time) {
	if !tx.s.cases.isOpen(id) {
		return
	}
	before := tx.s.cases.rows[id]
	tx.putCase(before, before.Closed(note, at))
}

func cloneCase(c *receiver.Case) receiver.Case {
	out := *c
	out.Reasons = slices.Clone(c.Reasons)
	return out
}
