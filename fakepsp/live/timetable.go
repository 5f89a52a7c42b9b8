package live

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// timetable holds what a plan has still to do, by time; what stands at one
// instant goes in the order in which it was added.
type timetable []appointment

type appointment struct {
	at time.Time
	do func(m *machine)
}

func (t *timetable) add(at time.Time, do func(m *machine)) {
	i := sort.Search(len(*t), func(i int) bool { return (*t)[i].at.After(at) })
	*t = slices.Insert(*t, i, appointment{at, do})
}

// schedule puts everything into the timetable that the plan wants done at the
// PSP, and announces the notices that come by themselves.
func (r *run) schedule(m *machine) {
	for i := range r.plan.Charges {
		if c := &r.plan.Charges[i]; c.Elsewhere || r.makes && c.Kind == chaos.ChargeDynamic {
			r.scheduleCharge(c)
		}
	}
	for i := range r.plan.Payments {
		p := &r.plan.Payments[i]
		at := p.AtMS
		if moved := r.faults.Payment(p.ID).Change.PayAtMS; moved > 0 {
			at = moved
		}
		r.todo.add(r.at(at), func(m *machine) { r.pay(m, p) })
		if len(r.faults.Notices(p.ID)) > 0 {
			if err := m.psp.Expect(r.order(p)); err != nil {
				r.note(p.ID, fmt.Errorf("announce: %w", err))
			}
		}
	}
	for i := range r.plan.Refunds {
		if f := &r.plan.Refunds[i]; f.Origin == chaos.OriginBank {
			r.todo.add(r.at(f.AtMS), func(m *machine) { r.refund(m, f) })
		}
	}
	for i := range r.plan.Disputes {
		d := &r.plan.Disputes[i]
		r.todo.add(r.at(d.ReportAtMS), func(m *machine) { r.dispute(m, d) })
	}
}

func (r *run) scheduleCharge(c *chaos.Charge) {
	sale := &sale{run: r, charge: c}
	r.todo.add(r.at(c.CreateAtMS), sale.create)
	remove := c.RemoveAtMS
	if remove == 0 {
		remove = r.removals[c.ID]
	}
	if remove > 0 && r.makes {
		r.todo.add(r.at(remove), sale.remove)
	}
}

// keepTimetable does what is due, and says how long it is until the next.
func (m *machine) keepTimetable() (next time.Duration, more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	if m.run == nil {
		return 0, false
	}
	todo := &m.run.todo
	for len(*todo) > 0 && !(*todo)[0].at.After(m.now) {
		due := (*todo)[0]
		(*todo)[0] = appointment{}
		*todo = (*todo)[1:]
		due.do(m)
		m.courierBell.ring()
	}
	if len(*todo) == 0 {
		return 0, false
	}
	return (*todo)[0].at.Sub(m.now), true
}
