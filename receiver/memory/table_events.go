package memory

import (
	"bytes"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// eventTable is the inbox.
type eventTable struct {
	rows    []*slot[receiver.Event]                     // the event with id n is at n-1
	byKey   map[string]map[string]*slot[receiver.Event] // by source, then key
	due     queue[receiver.Event]                       // RECEIVED
	aside   []int64                                     // QUARANTINED, ascending
	waiting map[pix.TxID][]int64                        // QUARANTINED/waiting that have a txid, ascending
	log     journal[receiver.Event]
}

func newEventTable() eventTable {
	return eventTable{
		byKey:   map[string]map[string]*slot[receiver.Event]{},
		waiting: map[pix.TxID][]int64{},
		due: queue[receiver.Event]{less: func(a, b *receiver.Event) bool {
			if c := a.DueAt.Compare(b.DueAt); c != 0 {
				return c < 0
			}
			return a.ID < b.ID
		}},
	}
}

func (t *eventTable) nextID() int64 { return int64(len(t.rows)) + 1 }

func (t *eventTable) byID(id int64) *receiver.Event {
	if id < 1 || id > int64(len(t.rows)) {
		return nil
	}
	return t.rows[id-1].row
}

func (t *eventTable) find(source, key string) *receiver.Event {
	if s := t.byKey[source][key]; s != nil {
		return s.row
	}
	return nil
}

// received are the ids of all RECEIVED events, ascending.
func (t *eventTable) received() []int64 {
	ids := make([]int64, len(t.due.heap))
	for i, s := range t.due.heap {
		ids[i] = s.row.ID
	}
	slices.Sort(ids)
	return ids
}

// putEvent stores after, which the store owns from now on.
func (tx *Tx) putEvent(before, after *receiver.Event) {
	tx.s.swapEvent(before, after)
	tx.s.events.log.add(before, after)
}

// swapEvent puts after in the place of before and brings every index along.
// Without before the event is new, without after it never was.
func (s *Store) swapEvent(before, after *receiver.Event) {
	t := &s.events
	var at *slot[receiver.Event]
	if before == nil {
		at = &slot[receiver.Event]{}
		t.rows = append(t.rows, at)
		if t.byKey[after.Source] == nil {
			t.byKey[after.Source] = map[string]*slot[receiver.Event]{}
		}
		t.byKey[after.Source][after.Key] = at
	} else {
		at = t.rows[before.ID-1]
	}
	s.indexEvent(before, after)
	if after == nil {
		t.due.drop(at)
		t.rows = t.rows[:len(t.rows)-1]
		delete(t.byKey[before.Source], before.Key)
		return
	}
	at.row = after
	t.due.set(at, after.State == receiver.EventReceived)
}

// indexEvent counts what is in flight and lists what is set aside.
func (s *Store) indexEvent(before, after *receiver.Event) {
	if inFlight(before) != inFlight(after) {
		if inFlight(after) {
			*s.flights(after)++
		} else {
			*s.flights(before)--
		}
	}
	if was, is := quarantined(before), quarantined(after); was && !is {
		s.events.aside = without(s.events.aside, before.ID)
	} else if is && !was {
		s.events.aside = with(s.events.aside, after.ID)
	}
	if aboutRefund(before) || aboutRefund(after) {
		s.indexWaitingRefund(before, after)
		return
	}
	was, is := awaited(before), awaited(after)
	if was == is {
		return
	}
	if was != "" {
		s.events.waiting[was] = without(s.events.waiting[was], before.ID)
	}
	if is != "" {
		s.events.waiting[is] = with(s.events.waiting[is], after.ID)
	}
}

// indexWaitingRefund lists what waits in quarantine about a Pix's refunds.
func (s *Store) indexWaitingRefund(before, after *receiver.Event) {
	was, is := waits(before) && aboutRefund(before), waits(after) && aboutRefund(after)
	switch {
	case is && !was:
		r := s.payments.of(after.Refund.EndToEndID).ofRefunds()
		r.waiting = with(r.waiting, after.ID)
	case was && !is:
		r := s.payments.of(before.Refund.EndToEndID).ofRefunds()
		r.waiting = without(r.waiting, before.ID)
	}
}

func aboutRefund(e *receiver.Event) bool { return e != nil && e.Refund != nil }

// inFlight says whether e is still to be worked on; an unreadable one is not.
func inFlight(e *receiver.Event) bool {
	return e != nil && e.State == receiver.EventReceived && (e.Content() != receiver.Content{})
}

// flights is the count that an event in flight belongs to: those about a Pix's
// credit, those about its refunds and those about a payout are kept apart.
func (s *Store) flights(e *receiver.Event) *int {
	p := s.payments.of(e.EndToEndID())
	switch {
	case e.Refund != nil:
		return &p.ofRefunds().inFlight
	case e.Payout != nil:
		return &p.payoutsInFlight
	}
	return &p.inFlight
}

func quarantined(e *receiver.Event) bool {
	return e != nil && e.State == receiver.EventQuarantined
}

// waits says whether e is in quarantine until something comes.
func waits(e *receiver.Event) bool {
	return e != nil && e.Waits()
}

// awaited is the txid that could wake e by being charged, empty if none could.
func awaited(e *receiver.Event) pix.TxID {
	if !waits(e) || e.Credit == nil {
		return ""
	}
	return e.Credit.TxID
}

// with is the ascending list with id in it.
func with(ids []int64, id int64) []int64 {
	i, found := slices.BinarySearch(ids, id)
	if found {
		return ids
	}
	return slices.Insert(ids, i, id)
}

// without is the ascending list without id.
func without(ids []int64, id int64) []int64 {
	i, found := slices.BinarySearch(ids, id)
	if !found {
		return ids
	}
	return slices.Delete(ids, i, i+1)
}

// cloneEvent is a copy that shares nothing with the row.
func cloneEvent(e *receiver.Event) receiver.Event {
	c := *e
	c.Raw = bytes.Clone(e.Raw)
	cloneContent(&c)
	return c
}

// cloneContent parts the content of a copy from the row's.
func cloneContent(e *receiver.Event) {
	if e.Credit != nil {
		c := *e.Credit
		e.Credit = &c
	}
	if e.Refund != nil {
		x := *e.Refund
		e.Refund = &x
	}
	if e.Payout != nil {
		x := *e.Payout
		e.Payout = &x
	}
}

// variantTable keeps other contents of events. It only grows.
type variantTable struct {
	rows    []receiver.Variant
	byEvent map[int64][]int // places in rows
}

func (t *variantTable) add(v receiver.Variant) {
	if t.byEvent == nil {
		t.byEvent = map[int64][]int{}
	}
	t.byEvent[v.EventID] = append(t.byEvent[v.EventID], len(t.rows))
	t.rows = append(t.rows, v)
}

// cut takes back everything after the first n.
func (t *variantTable) cut(n int) {
	for len(t.rows) > n {
		last := len(t.rows) - 1
		id := t.rows[last].EventID
		t.byEvent[id] = t.byEvent[id][:len(t.byEvent[id])-1]
		t.rows = t.rows[:last]
	}
}

func (t *variantTable) of(eventID int64) []receiver.Variant {
	at := t.byEvent[eventID]
	out := make([]receiver.Variant, len(at))
	for i, n := range at {
		out[i] = t.rows[n]
	}
	return out
}

// kept says whether an event's variants hold v's content already.
func (t *variantTable) kept(v receiver.Variant) bool {
	return slices.ContainsFunc(t.byEvent[v.EventID], func(n int) bool { return t.rows[n].Covers(v) })
}
