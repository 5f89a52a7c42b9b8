package live

import (
	"fmt"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// apply takes a plan, whose zero is now, or refuses it and changes nothing.
func (m *machine) apply(plan *chaos.Plan, makeCharges bool) (PlanState, error) {
	if err := CheckPlan(plan); err != nil {
		return PlanState{}, unacceptable(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	if err := m.refuses(plan); err != nil {
		return PlanState{}, err
	}
	r := newRun(plan, m.opt.PixKeys[0], m.now, makeCharges)
	if len(plan.Faults) > 0 {
		p, err := m.reborn(r)
		if err != nil {
			return PlanState{}, fmt.Errorf("apply plan %s: %w", r.hash, err)
		}
		m.psp = p
	}
	m.run, m.past = r, nil
	r.schedule(m)
	m.timetableBell.ring()
	m.courierBell.ring()
	return r.state(), nil
}

// refuses is nil, or why the PSP as it stands cannot take the plan.
func (m *machine) refuses(plan *chaos.Plan) error {
	if m.run != nil {
		return conflict("plan %s was applied at %s; a PSP takes one plan in its life, so start another for another",
			m.run.hash, pix.FormatTime(m.run.began))
	}
	if m.moved && len(plan.Faults) > 0 {
		return conflict("the plan has faults and money has moved already; apply it before the first payment")
	}
	for _, p := range plan.Payments {
		if _, known := m.psp.Payment(pix.EndToEndID(p.EndToEndID)); known {
			return conflict("payment %s: Pix %s exists already", p.ID, p.EndToEndID)
		}
	}
	return nil
}
