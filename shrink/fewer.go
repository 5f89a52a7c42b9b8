package shrink

import (
	"slices"

	"github.com/pixlab/pixlab/chaos"
)

// fewer takes elements out of a list, by halves and then one by one, and keeps
// what the failure does not need out. build makes the plan with some of them.
func (s *Shrinker) fewer(n int, build func(keep []int) *chaos.Plan) {
	kept := make([]int, n)
	for i := range kept {
		kept[i] = i
	}
	for size := n; size >= 1 && len(kept) > 0; {
		helped := false
		for from := 0; from < len(kept); {
			to := min(from+size, len(kept))
			less := slices.Concat(kept[:from], kept[to:])
			if s.try(build(less)) {
				kept, helped = less, true
				continue
			}
			from = to
		}
		if s.ended {
			return
		}
		if size > 1 || !helped {
			size /= 2
		}
	}
}

// some are the elements of a list at the indexes.
func some[T any](list []T, keep []int) []T {
	out := make([]T, 0, len(keep))
	for _, i := range keep {
		out = append(out, list[i])
	}
	return out
}

// tail cuts what the plan does after the violation.
func (s *Shrinker) tail() {
	if s.Invariant == Converge {
		return
	}
	p, at := copyOf(s.best), s.atMS
	p.Payments = slices.DeleteFunc(p.Payments, func(x chaos.Payment) bool { return x.AtMS > at })
	p.Refunds = slices.DeleteFunc(p.Refunds, func(x chaos.Refund) bool { return x.AtMS > at })
	p.Disputes = slices.DeleteFunc(p.Disputes, func(x chaos.Dispute) bool { return x.ReportAtMS > at })
	p.Payouts = slices.DeleteFunc(p.Payouts, func(x chaos.Payout) bool { return x.AtMS > at })
	p.Faults = slices.DeleteFunc(p.Faults, func(d chaos.Deviation) bool {
		return d.Target.Window != nil && d.Target.Window.FromMS > at || d.Set.AtMS > at
	})
	Prune(p)
	if SizeOf(p) != SizeOf(s.best) {
		s.try(p)
	}
}

func (s *Shrinker) payments() {
	from := s.best
	s.fewer(len(from.Payments), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Payments = some(from.Payments, keep)
		return Prune(p)
	})
}

func (s *Shrinker) faults() {
	from := s.best
	s.fewer(len(from.Faults), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Faults = some(from.Faults, keep)
		return Prune(p)
	})
}

// returns takes away refunds, MED cases and payouts.
func (s *Shrinker) returns() {
	from := s.best
	s.fewer(len(from.Refunds), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Refunds = some(from.Refunds, keep)
		return Prune(p)
	})
	from = s.best
	s.fewer(len(from.Disputes), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Disputes = some(from.Disputes, keep)
		return Prune(p)
	})
	from = s.best
	s.fewer(len(from.Payouts), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Payouts = some(from.Payouts, keep)
		return Prune(p)
	})
}

// settings makes both sides' habits the simplest ones.
func (s *Shrinker) settings() {
	for _, simpler := range []func(*chaos.Settings){
		func(x *chaos.Settings) { x.Instances = 1 },
		func(x *chaos.Settings) { x.Workers = 1 },
		func(x *chaos.Settings) { x.StatementLagMS = 0 },
		func(x *chaos.Settings) { x.PageSize = 1 },
		func(x *chaos.Settings) { x.PageSize = 100 },
		func(x *chaos.Settings) { x.RefundRepeat = "" },
		func(x *chaos.Settings) { x.Retry, x.CallbackTimeoutMS = "generic", 5000 },
	} {
		p := copyOf(s.best)
		simpler(&p.Settings)
		if p.Settings != s.best.Settings {
			s.try(Prune(p))
		}
	}
}

// schedule looks for an order of steps with fewer switches: each actor goes on
// as long as it can, but where the failure needs another to come between.
func (s *Shrinker) schedule() {
	if s.ended {
		return
	}
	o := s.Options
	o.Record, o.StopAtFirst = true, false
	s.runs++
	r, err := s.Drive(s.best, o)
	if err != nil || r.Schedule == nil {
		return
	}
	from, switches := s.best, r.Switches
	if len(r.Schedule.Choices) == 0 || s.best.Schedule != nil && len(s.best.Schedule.Choices) == 0 {
		return // there is nothing to take out
	}
	s.fewer(len(r.Schedule.Choices), func(keep []int) *chaos.Plan {
		p := copyOf(from)
		p.Schedule = &chaos.Schedule{Choices: some(r.Schedule.Choices, keep)}
		return p
	})
	if s.best == from {
		return
	}
	s.runs++
	if after, err := s.Drive(s.best, o); err != nil || after.Switches >= switches {
		s.best = from
	}
}
