package shrink

import (
	"slices"

	"github.com/pixlab/pixlab/chaos"
)

const minuteMS = 60_000

// outages puts one outage of the PSP in place of the many calls for one payout
// that fail one by one: the first of them stays, and the outage follows it for
// as many minutes as the failure needs.
func (s *Shrinker) outages() {
	for _, o := range s.best.Payouts {
		for long := int64(minuteMS); o.AtMS+long < s.atMS && !s.ended; long += minuteMS {
			p := withOutage(s.best, &o, long)
			if p == nil || s.try(p) {
				break
			}
		}
	}
}

// withOutage is the plan with an outage in place of a payout's faults but the
// first, or nil where it would be no smaller.
func withOutage(from *chaos.Plan, o *chaos.Payout, longMS int64) *chaos.Plan {
	const firstCallMS = 500 // longer than a call that is cut takes, shorter than the pause after it
	p := copyOf(from)
	seen := 0
	p.Faults = slices.DeleteFunc(p.Faults, func(d chaos.Deviation) bool {
		if d.Target.API == nil || d.Target.API.Subject != o.ID {
			return false
		}
		seen++
		return seen > 1
	})
	if len(p.Faults)+1 >= len(from.Faults) {
		return nil
	}
	begin := o.AtMS + firstCallMS
	p.Faults = append(p.Faults, chaos.Deviation{
		Kind: "psp_down", Set: chaos.Change{Down: true},
		Target: chaos.Target{Window: &chaos.Window{Place: chaos.PlacePSP, FromMS: begin, ToMS: begin + longMS}},
	})
	return p
}
