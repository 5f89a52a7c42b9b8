package fakepsp

import (
	"container/heap"
	"slices"
	"sort"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// leaderOf is the payment in whose body the subject's credit can still ride.
func (p *PSP) leaderOf(subject string) (string, bool) {
	if p.faults == nil || subject == "" {
		return "", false
	}
	leader, ok := p.faults.Grouped(subject)
	if !ok {
		return "", false
	}
	_, closed := p.courier.closed[leader]
	return leader, !closed
}

// seal closes a group at the moment its body is made: who waits, and is of the
// same key, rides in it; who comes later goes alone.
func (p *PSP) seal(n *notice, with []string, now time.Time) {
	if len(with) == 0 || n.name != chaos.NoticeCredit {
		return
	}
	waiting := p.courier.groups[n.subject]
	for _, rider := range with {
		i := slices.IndexFunc(waiting, func(w *notice) bool { return w.subject == rider && w.key == n.key })
		if i >= 0 {
			n.items = append(slices.Clip(n.items), waiting[i].items...)
			n.riders = append(n.riders, rider)
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	p.courier.groups[n.subject] = waiting
	p.releaseGroup(n.subject, now)
}

// releaseGroup closes a group whose body was made or never will be, and sends
// those who still wait for it on their own.
func (p *PSP) releaseGroup(leader string, now time.Time) {
	if p.faults == nil || leader == "" {
		return
	}
	waiting := p.courier.groups[leader]
	delete(p.courier.groups, leader)
	p.courier.closed[leader] = struct{}{}
	for _, n := range waiting {
		d := &delivery{notice: n, attempt: 1, clean: n.cleanAt}
		if d.clean.Before(now) {
			d.clean = now
		}
		p.enqueue(d)
	}
}

// healCourier lets everything owed go out as a conforming PSP would send it.
func (p *PSP) healCourier(now time.Time) {
	leaders := make([]string, 0, len(p.courier.groups))
	for leader := range p.courier.groups {
		leaders = append(leaders, leader)
	}
	sort.Strings(leaders)
	for _, leader := range leaders {
		p.releaseGroup(leader, now)
	}
	p.courier.queue = slices.DeleteFunc(p.courier.queue, func(d *delivery) bool {
		return d.copy > 0 || d.notice.extra
	})
	for _, d := range p.courier.queue {
		d.fault = chaos.Merged{}
		if d.due.After(d.clean) {
			d.due = d.clean
		}
		if d.due.Before(now) {
			d.due = now
		}
	}
	heap.Init(&p.courier.queue)
}
