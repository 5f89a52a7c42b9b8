package memory

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

// outboxTable holds what the merchant is told.
type outboxTable struct {
	rows []*slot[receiver.OutboxEvent] // the event with id n is at n-1
	due  queue[receiver.OutboxEvent]   // of each payment the one that may go next
	log  journal[receiver.OutboxEvent]
}

func newOutboxTable() outboxTable {
	return outboxTable{due: queue[receiver.OutboxEvent]{less: func(a, b *receiver.OutboxEvent) bool {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) < 0
	}}}
}

func (t *outboxTable) nextID() int64 { return int64(len(t.rows)) + 1 }

func (t *outboxTable) byID(id int64) *receiver.OutboxEvent {
	if id < 1 || id > int64(len(t.rows)) {
		return nil
	}
	return t.rows[id-1].row
}

// putOutbox stores after, which the store owns from now on.
func (tx *Tx) putOutbox(before, after *receiver.OutboxEvent) {
	tx.s.swapOutbox(before, after)
	tx.s.outbox.log.add(before, after)
}

// swapOutbox puts after in the place of before; see swapEvent.
func (s *Store) swapOutbox(before, after *receiver.OutboxEvent) {
	t := &s.outbox
	if before == nil {
		at := &slot[receiver.OutboxEvent]{row: after}
		t.rows = append(t.rows, at)
		p := s.payments.of(after.EndToEndID)
		p.line = slices.Insert(p.line, place(p.line, after), at)
		t.choose(p)
		return
	}
	at, p := t.rows[before.ID-1], s.payments.of(before.EndToEndID)
	if after != nil {
		at.row = after
		t.choose(p)
		return
	}
	t.due.drop(at)
	t.rows = t.rows[:len(t.rows)-1]
	if i := slices.Index(p.line, at); i >= 0 {
		p.line = slices.Delete(p.line, i, i+1)
	}
	t.choose(p)
}

// place is where o belongs in a payment's line: by number, then id.
func place(line []*slot[receiver.OutboxEvent], o *receiver.OutboxEvent) int {
	i := len(line)
	for i > 0 && line[i-1].row.Number > o.Number {
		i--
	}
	return i
}

// choose queues the lowest number of a payment that is not out, unless it is
// dead: then nothing of this payment goes out any more.
func (t *outboxTable) choose(p *pixState) {
	var next *slot[receiver.OutboxEvent]
	for _, at := range p.line {
		if !at.row.Sent {
			next = at
			break
		}
	}
	if next != nil && next.row.Dead {
		next = nil
	}
	if p.next != nil && p.next != next {
		t.due.drop(p.next)
	}
	if next != nil {
		t.due.put(next)
	}
	p.next = next
}
