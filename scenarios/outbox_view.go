package scenarios

import (
	"iter"
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// outboxView is what the checks want to know of the outbox: each event by its id,
// which the store counts from 1. There are several of every effect, so little is
// kept of each.
type outboxView struct {
	rows      []outboxRow
	endpoints []string // by the rows' numbers
	// lines say where an event stands, by id, of those that are not simply out.
	lines map[int64]outboxPlace
}

// outboxRow is an event's endpoint, from 1, and its state; zero where there is no
// event of that id.
type outboxRow struct {
	endpoint            uint8
	sent, dead, skipped bool
}

// outboxPlace is the number of an event in its line, that of a payment or of a
// payout.
type outboxPlace struct {
	line   string
	number int
}

func newOutboxView() outboxView { return outboxView{lines: map[int64]outboxPlace{}} }

func (l *outboxView) put(o *receiver.OutboxEvent) {
	for int64(len(l.rows)) < o.ID {
		l.rows = append(l.rows, outboxRow{})
	}
	endpoint := slices.Index(l.endpoints, o.Endpoint)
	if endpoint < 0 {
		endpoint = len(l.endpoints)
		l.endpoints = append(l.endpoints, o.Endpoint)
	}
	l.rows[o.ID-1] = outboxRow{endpoint: uint8(endpoint) + 1, sent: o.Sent, dead: o.Dead, skipped: o.Skipped}
	if o.Sent && !o.Dead {
		delete(l.lines, o.ID)
	} else {
		l.lines[o.ID] = outboxPlace{o.Line(), o.Number}
	}
}

// all are the events there are, with their ids, in the order of these.
func (l *outboxView) all() iter.Seq2[int64, outboxRow] {
	return func(yield func(int64, outboxRow) bool) {
		for i, row := range l.rows {
			if row != (outboxRow{}) && !yield(int64(i)+1, row) {
				return
			}
		}
	}
}

// to is the name of the endpoint that an event is for.
func (l *outboxView) to(o outboxRow) string { return l.endpoints[o.endpoint-1] }

// behindDead says whether a dead letter of the same line holds an event up.
func (l *outboxView) behindDead(id int64) bool {
	at := l.lines[id]
	for other, o := range l.all() {
		place := l.lines[other]
		if o.dead && !o.skipped && o.endpoint == l.rows[id-1].endpoint && place.line == at.line && place.number < at.number {
			return true
		}
	}
	return false
}

// counts is how often each of many numbers came. They lie close together where
// the receiver counts them, and may be any.
type counts map[int64]*[1 << countsBits]uint32

// countsBits are those of a number that tell neighbours on one page apart.
const countsBits = 8

// add counts n once more, and says how often it has come.
func (c counts) add(n int64) uint32 {
	page := c[n>>countsBits]
	if page == nil {
		page = new([1 << countsBits]uint32)
		c[n>>countsBits] = page
	}
	at := &page[n&(1<<countsBits-1)]
	*at++
	return *at
}

// of is how often n came.
func (c counts) of(n int64) uint32 {
	if page := c[n>>countsBits]; page != nil {
		return page[n&(1<<countsBits-1)]
	}
	return 0
}

// perEndpoint is a number for each of a plan's endpoints, by their places.
type perEndpoint [chaos.Endpoints]int32
