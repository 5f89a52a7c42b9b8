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
	if before == nil {
		tx.putCase(nil, &receiver.Case{
			ID: n.ID, EndToEndID: id, Account: n.Account, Amount: n.Amount,
			Reasons: []string{n.Reason}, State: receiver.CaseOpen, OpenedAt: at,
		})
		return
	}
	c := cloneCase(before)
	known := slices.Contains(c.Reasons, n.Reason)
	if known && n.Amount == 0 {
		return
	}
	if !known {
		c.Reasons = append(c.Reasons, n.Reason)
	}
	if n.Amount != 0 {
		c.Account = n.Account
		if c.State == receiver.CaseClosed { // what it held went elsewhere
			c.State, c.OpenedAt, c.ClosedAt, c.Note, c.Amount = receiver.CaseOpen, at, time.Time{}, "", 0
		}
		c.Amount += n.Amount
	}
	tx.putCase(before, &c)
}

// closeCase closes an open case.
func (tx *Tx) closeCase(id, note string, at time.Time) {
	if !tx.s.cases.isOpen(id) {
		return
	}
	before := tx.s.cases.rows[id]
	c := *before
	c.State, c.ClosedAt, c.Note = receiver.CaseClosed, at, note
	tx.putCase(before, &c)
}

func cloneCase(c *receiver.Case) receiver.Case {
	out := *c
	out.Reasons = slices.Clone(c.Reasons)
	return out
}
