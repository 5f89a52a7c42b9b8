package shrink

import (
	"reflect"

	"github.com/pixlab/pixlab/chaos"
)

// empty says whether a change sets nothing.
func empty(c chaos.Change) bool { return reflect.ValueOf(c).IsZero() }

// number is one number of a plan: where it is, and what it is counted from.
type number struct {
	at   func(*chaos.Plan) *int64
	from int64
}

// numbers makes delays and lengths of time 0 or 1, or else as short as halving
// gets them. Instants of payments, refunds and reports stay: the story is told
// by them.
func (s *Shrinker) numbers() {
	for _, n := range numbersOf(s.best) {
		s.lower(n)
	}
}

// lower makes one number small.
func (s *Shrinker) lower(n number) {
	size, sign := *n.at(s.best)-n.from, int64(1)
	if size < 0 {
		size, sign = -size, -1
	}
	set := func(v int64) bool {
		p := unshared(s.best)
		*n.at(p) = n.from + sign*v
		return s.try(p)
	}
	for _, v := range []int64{0, 1} {
		if v >= size || set(v) {
			return
		}
	}
	for size > 3 && set(size/2) {
		size /= 2
	}
}

// unshared is a copy whose faults' windows are its own too.
func unshared(p *chaos.Plan) *chaos.Plan {
	out := copyOf(p)
	for i := range out.Faults {
		if w := out.Faults[i].Target.Window; w != nil {
			own := *w
			out.Faults[i].Target.Window = &own
		}
	}
	return out
}

func numbersOf(p *chaos.Plan) []number {
	var out []number
	add := func(from int64, at func(*chaos.Plan) *int64) { out = append(out, number{at, from}) }
	for i := range p.Payments {
		add(0, func(p *chaos.Plan) *int64 { return &p.Payments[i].NotifyAfterMS })
	}
	for i := range p.Refunds {
		add(0, func(p *chaos.Plan) *int64 { return &p.Refunds[i].SettleAfterMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Refunds[i].NotifyAfterMS })
	}
	for i := range p.Disputes {
		add(0, func(p *chaos.Plan) *int64 { return &p.Disputes[i].DecideAfterMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Disputes[i].NotifyAfterMS })
	}
	for i, d := range p.Faults {
		if d.Target.Window != nil {
			from := d.Target.Window.FromMS
			add(from, func(p *chaos.Plan) *int64 { return &p.Faults[i].Target.Window.ToMS })
		}
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.DelayMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.CopyAfterMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.SlowMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.HideMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.LagMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.RestartMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.PauseMS })
		add(0, func(p *chaos.Plan) *int64 { return &p.Faults[i].Set.SkewMS })
	}
	return out
}

// amounts makes each charge's money, and all that is measured by it, R$ 10,00,
// R$ 1,00 or 1 cent: the first that the failure still shows with.
func (s *Shrinker) amounts() {
	for i := range s.best.Payments {
		was := s.best.Payments[i].AmountCents
		for _, cents := range []int64{10_00, 1_00, 1} {
			if cents < was && s.try(scaled(s.best, s.best.Payments[i], cents)) {
				break
			}
		}
	}
}

// scaled is the plan with one payment, its charge and what goes back of it in
// another size: what was equal stays equal, what was more or less stays so.
func scaled(from *chaos.Plan, pay chaos.Payment, cents int64) *chaos.Plan {
	p := copyOf(from)
	was := pay.AmountCents
	size := func(c int64) int64 {
		switch {
		case c == was:
			return cents
		case c == 0:
			return 0
		case c > was:
			return cents + max(1, (c-was)*cents/was)
		}
		return max(1, c*cents/was)
	}
	mine := map[string]bool{}
	for i := range p.Payments {
		if x := &p.Payments[i]; x.ID == pay.ID || pay.Charge != "" && x.Charge == pay.Charge {
			x.AmountCents = size(x.AmountCents)
			mine[x.ID] = true
		}
	}
	for i := range p.Charges {
		if p.Charges[i].ID == pay.Charge {
			p.Charges[i].AmountCents = size(p.Charges[i].AmountCents)
		}
	}
	for i := range p.Refunds {
		if mine[p.Refunds[i].Payment] {
			p.Refunds[i].AmountCents = size(p.Refunds[i].AmountCents)
		}
	}
	for i := range p.Disputes {
		if mine[p.Disputes[i].Payment] {
			p.Disputes[i].AmountCents = size(p.Disputes[i].AmountCents)
		}
	}
	for i := range p.Faults {
		d := &p.Faults[i]
		if mine[d.Target.Payment] || d.Target.Callback != nil && mine[d.Target.Callback.Subject] {
			d.Set.PayCents, d.Set.SayCents, d.Set.SayRefundCents = size(d.Set.PayCents), size(d.Set.SayCents), size(d.Set.SayRefundCents)
		}
	}
	return p
}
