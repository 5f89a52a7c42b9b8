package shrink

import (
	"slices"
	"strconv"

	"github.com/pixlab/pixlab/chaos"
)

// copyOf is a plan whose lists can be cut and changed without the original's.
func copyOf(p *chaos.Plan) *chaos.Plan {
	out := *p
	out.Charges = slices.Clone(p.Charges)
	out.Payments = slices.Clone(p.Payments)
	out.Refunds = slices.Clone(p.Refunds)
	out.Disputes = slices.Clone(p.Disputes)
	out.Payouts = slices.Clone(p.Payouts)
	out.Faults = slices.Clone(p.Faults)
	if p.Schedule != nil {
		out.Schedule = &chaos.Schedule{Choices: slices.Clone(p.Schedule.Choices)}
	}
	return &out
}

// Prune takes away what names nothing any more: refunds and MED cases of a
// payment that is gone, charges that nobody pays, and faults on all of these. It
// changes the plan, and returns it.
func Prune(p *chaos.Plan) *chaos.Plan {
	paid := map[string]bool{} // payments, then whatever else may be named
	for _, x := range p.Payments {
		paid[x.ID] = true
	}
	p.Refunds = slices.DeleteFunc(p.Refunds, func(r chaos.Refund) bool { return !paid[r.Payment] })
	p.Disputes = slices.DeleteFunc(p.Disputes, func(d chaos.Dispute) bool { return !paid[d.Payment] })
	wanted := map[string]bool{}
	for _, x := range p.Payments {
		wanted[x.Charge] = true
	}
	for _, d := range p.Faults {
		if paid[d.Target.Payment] {
			wanted[d.Set.PayCharge] = true
		}
	}
	p.Charges = slices.DeleteFunc(p.Charges, func(c chaos.Charge) bool { return !wanted[c.ID] })
	there := named(p)
	kept := p.Faults[:0]
	for _, d := range p.Faults {
		if d, ok := pruned(d, there, p.Settings.Instances); ok {
			kept = append(kept, d)
		}
	}
	p.Faults = kept
	return p
}

// named are the subjects that a plan has, and the notices of its payments.
func named(p *chaos.Plan) map[string]bool {
	there := map[string]bool{}
	for _, c := range p.Charges {
		there[c.ID] = true
	}
	for _, x := range p.Payments {
		there[x.ID] = true
		for _, notice := range []string{chaos.NoticeCredit, chaos.NoticeForged, chaos.NoticePhantom, chaos.NoticeFalseRefund} {
			there[x.ID+" "+notice] = true
		}
	}
	for _, r := range p.Refunds {
		there[r.ID], there[r.Payment+" "+chaos.RefundNotice(r.ID)] = true, true
	}
	const returns = 9 // more than a MED case has
	for _, d := range p.Disputes {
		there[d.ID] = true
		for n := 1; n <= returns; n++ {
			there[d.Payment+" "+chaos.DisputeNotice(d.ID, n)] = true
		}
	}
	for _, o := range p.Payouts {
		there[o.ID], there[o.ID+" "+chaos.NoticePayout] = true, true
		for n := range o.Returns {
			there[o.ID+" "+chaos.ReturnNotice(n+1)] = true
		}
	}
	return there
}

// pruned is a fault without what it names and is not there, and whether
// anything is left of it.
func pruned(d chaos.Deviation, there map[string]bool, instances int) (chaos.Deviation, bool) {
	t := d.Target
	ok := true
	switch {
	case t.Callback != nil:
		ok = there[t.Callback.Subject+" "+t.Callback.Notice]
	case t.API != nil:
		ok = there[t.API.Subject]
	case t.Command != nil:
		duty := t.Command.Command == chaos.CommandBeginDuty || t.Command.Command == chaos.CommandSaveDuty
		ok = (duty || there[t.Command.Subject]) && hasInstance(t.Command.Instance, instances)
	case t.Window != nil:
		ok = hasPlace(t.Window.Place, instances)
	case t.Request != "":
		ok = there[t.Request]
	default:
		ok = there[t.Payment]
	}
	if d.Set.Behind != "" && !there[d.Set.Behind] {
		d.Set.Behind = ""
	}
	if d.Set.PayCharge != "" && !there[d.Set.PayCharge] {
		d.Set.PayCharge = ""
	}
	if len(d.Set.With) > 0 {
		d.Set.With = slices.DeleteFunc(slices.Clone(d.Set.With), func(id string) bool { return !there[id] })
		if len(d.Set.With) == 0 {
			d.Set.With = nil
		}
	}
	return d, ok && !empty(d.Set)
}

func hasInstance(name string, instances int) bool {
	n, err := strconv.Atoi(name)
	return name == chaos.AnyInstance || err == nil && n <= instances
}

func hasPlace(place string, instances int) bool {
	const known = 64 // more processes than a plan may have
	for i := instances + 1; i <= known; i++ {
		if place == chaos.InstancePlace(i, chaos.PlaceClock) || place == chaos.InstancePlace(i, chaos.PlaceWorker) {
			return false
		}
	}
	return true
}
