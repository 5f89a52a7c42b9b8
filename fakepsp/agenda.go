package fakepsp

import (
	"slices"
	"sort"
	"time"
)

// agenda holds what the PSP itself will do at an instant: settle a refund,
// decide a case. No driver is needed for it; whoever enters next carries out
// what is due, as of the instant at which it was.
type agenda struct {
	queue []appointment // by (at, order of making)
}

type appointment struct {
	at   time.Time
	keep func(at time.Time)
}

func (a *agenda) add(at time.Time, keep func(at time.Time)) {
	i := sort.Search(len(a.queue), func(i int) bool { return a.queue[i].at.After(at) })
	a.queue = slices.Insert(a.queue, i, appointment{at, keep})
}

// carryOut does what is due, in order of time.
func (p *PSP) carryOut(now time.Time) {
	for len(p.agenda.queue) > 0 && !p.agenda.queue[0].at.After(now) {
		next := p.agenda.queue[0]
		p.agenda.queue[0] = appointment{}
		p.agenda.queue = p.agenda.queue[1:]
		next.keep(next.at)
	}
}

// present is the clock's reading, with everything done that was due by then.
func (p *PSP) present() time.Time {
	now := p.cfg.Now()
	p.carryOut(now)
	return now
}

// stamp is an instant as records and the wire hold it.
func stamp(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }
