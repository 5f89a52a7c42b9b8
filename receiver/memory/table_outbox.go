package memory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pixlab/pixlab/receiver"
)

// outboxTable holds what the merchant's endpoints are told.
type outboxTable struct {
	rows []*slot[receiver.OutboxEvent] // the event with id n is at n-1
	// versions are those of forgotten events, whose slots are nil, at the same places.
	versions []int64
	// due are, by endpoint, of each payment the one that may go next.
	due map[string]*queue[receiver.OutboxEvent]
	log journal[receiver.OutboxEvent]
}

// outboxLines are the events about one payment, or one payout, a line for each
// endpoint that was told of it.
type outboxLines []outboxLine

// outboxLine is one payment's events for one endpoint, by number; next is the
// one in the queue.
type outboxLine struct {
	endpoint string
	rows     []*slot[receiver.OutboxEvent]
	next     *slot[receiver.OutboxEvent]
}

func newOutboxTable() outboxTable {
	return outboxTable{due: map[string]*queue[receiver.OutboxEvent]{}}
}

// queueOf is an endpoint's queue, made when it is first asked for.
func (t *outboxTable) queueOf(endpoint string) *queue[receiver.OutboxEvent] {
	q := t.due[endpoint]
	if q == nil {
		q = &queue[receiver.OutboxEvent]{less: func(a, b *receiver.OutboxEvent) bool {
			return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) < 0
		}}
		t.due[endpoint] = q
	}
	return q
}

// first is the event of all endpoints that is due first, nil if there is none.
func (t *outboxTable) first() *receiver.OutboxEvent {
	var first *receiver.OutboxEvent
	for _, endpoint := range slices.Sorted(maps.Keys(t.due)) {
		if o := t.due[endpoint].first(); o != nil && (first == nil || o.DueAt.Before(first.DueAt)) {
			first = o
		}
	}
	return first
}

func (t *outboxTable) nextID() int64 { return int64(len(t.rows)) + 1 }

func (t *outboxTable) byID(id int64) *receiver.OutboxEvent {
	if id < 1 || id > int64(len(t.rows)) {
		return nil
	}
	if t.rows[id-1] == nil {
		return &receiver.OutboxEvent{ID: id, Sent: true, Version: t.versions[id-1]}
	}
	return t.rows[id-1].row
}

// slimOutbox forgets events that are out, but for that they are: nothing comes back
// to one that was sent but a second word that it was.
func (s *Store) slimOutbox() {
	t := &s.outbox
	for _, c := range t.log {
		id := c.After.ID
		if !c.After.Sent || t.rows[id-1] == nil {
			continue
		}
		lines := s.linesOf(c.After)
		l := lines.to(c.After.Endpoint)
		l.rows = slices.DeleteFunc(l.rows, func(at *slot[receiver.OutboxEvent]) bool { return at == t.rows[id-1] })
		*lines = slices.DeleteFunc(*lines, func(l outboxLine) bool { return len(l.rows) == 0 })
		if len(*lines) == 0 {
			*lines = nil
			delete(s.payouts.lines, c.After.PayoutKey)
		}
		t.rows[id-1], t.versions[id-1] = nil, c.After.Version
	}
}

// to is the line to an endpoint, made when it is first asked for.
func (l *outboxLines) to(endpoint string) *outboxLine {
	for i := range *l {
		if (*l)[i].endpoint == endpoint {
			return &(*l)[i]
		}
	}
	*l = append(*l, outboxLine{endpoint: endpoint})
	return &(*l)[len(*l)-1]
}

// linesOf are the lines of what an event is about.
func (s *Store) linesOf(o *receiver.OutboxEvent) *outboxLines {
	if o.PayoutKey == "" {
		return &s.payments.of(o.EndToEndID).lines
	}
	lines := s.payouts.lines[o.PayoutKey]
	if lines == nil {
		lines = &outboxLines{}
		s.payouts.lines[o.PayoutKey] = lines
	}
	return lines
}

// lineOf is the line that an event belongs to.
func (s *Store) lineOf(o *receiver.OutboxEvent) *outboxLine { return s.linesOf(o).to(o.Endpoint) }

// tell puts an event, for each endpoint that hears of it, and returns the first
// one's id.
func (tx *Tx) tell(o receiver.OutboxEvent) int64 {
	first := tx.s.outbox.nextID()
	for _, to := range o.For(tx.Rules().Told()) {
		to.ID = tx.s.outbox.nextID()
		tx.putOutbox(nil, &to)
	}
	return first
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
		t.rows, t.versions = append(t.rows, at), append(t.versions, 0)
		l := s.lineOf(after)
		l.rows = slices.Insert(l.rows, place(l.rows, after), at)
		t.choose(l)
		return
	}
	at, l := t.rows[before.ID-1], s.lineOf(before)
	if after != nil {
		at.row = after
		t.choose(l)
		return
	}
	t.queueOf(l.endpoint).drop(at)
	t.rows, t.versions = t.rows[:len(t.rows)-1], t.versions[:len(t.versions)-1]
	if i := slices.Index(l.rows, at); i >= 0 {
		l.rows = slices.Delete(l.rows, i, i+1)
	}
	t.choose(l)
}

// place is where o belongs in a line: by number, then id.
func place(line []*slot[receiver.OutboxEvent], o *receiver.OutboxEvent) int {
	i := len(line)
	for i > 0 && line[i-1].row.Number > o.Number {
		i--
	}
	return i
}

// choose queues the lowest number of a line that is not out, unless it is dead:
// then nothing of this line goes out any more.
func (t *outboxTable) choose(l *outboxLine) {
	var next *slot[receiver.OutboxEvent]
	for _, at := range l.rows {
		if !at.row.Out() {
			next = at
			break
		}
	}
	if next != nil && next.row.Dead {
		next = nil
	}
	due := t.queueOf(l.endpoint)
	if l.next != nil && l.next != next {
		due.drop(l.next)
	}
	if next != nil {
		due.put(next)
	}
	l.next = next
}
