package explore

import (
	"fmt"
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// Relation is one way in which a run is compared with a related one.
type Relation string

// The relations.
const (
	// Reorder delivers callbacks in another order, and lets actors take other
	// turns: the same credits, the same statement.
	Reorder Relation = "reorder"
	// Outage adds an outage of the store or of the PSP's API: the same credits,
	// the same statement.
	Outage Relation = "outage"
	// HealEarly ends all faults, and the plan, at some event: every invariant
	// holds for what is true by then.
	HealEarly Relation = "heal_early"
)

// Relations lists them.
func Relations() []Relation { return []Relation{Reorder, Outage, HealEarly} }

// openMS is when the first payment of an undisputed plan is tried, in
// milliseconds: by then every charge is there.
const openMS = 30 * 60 * 1000

// Undisputed is the plan without what makes its outcome hang on who comes
// first: refunds, MED cases, payouts, second payments, and charges that expire, are
// removed or may not be there in time. What remains is paid in full whatever
// happens on the way, so that two runs of it can be compared.
func Undisputed(plan *chaos.Plan) *chaos.Plan {
	p := *plan
	p.Refunds, p.Disputes, p.Payouts = nil, nil, nil
	p.Charges = slices.Clone(plan.Charges)
	for i := range p.Charges {
		c := &p.Charges[i]
		c.CreateAtMS, c.RemoveAtMS = 0, 0
		if c.Kind == chaos.ChargeDynamic {
			c.ExpiresInS = 10 * chaos.DayMS / 1000
		}
	}
	p.Payments = slices.Clone(plan.Payments)
	seen := map[string]bool{}
	dynamic := map[string]bool{}
	for _, c := range p.Charges {
		dynamic[c.ID] = c.Kind == chaos.ChargeDynamic
	}
	for i := range p.Payments {
		x := &p.Payments[i]
		x.AtMS = max(x.AtMS, openMS)
		if dynamic[x.Charge] && seen[x.Charge] {
			x.Charge = "" // a second payment; it goes to the bare key
		}
		seen[x.Charge] = true
	}
	p.Live = false // it is for the model alone, and may take hours
	p.Faults = nil
	for _, d := range plan.Faults {
		if harmless(plan, d) {
			p.Faults = append(p.Faults, d)
		}
	}
	return &p
}

// harmless says whether a fault leaves alone what settles: it strikes no payer,
// no charge on its way to the PSP and no refund, and it begins after opening.
func harmless(plan *chaos.Plan, d chaos.Deviation) bool {
	t := d.Target
	payment := func(id string) bool {
		return slices.ContainsFunc(plan.Payments, func(p chaos.Payment) bool { return p.ID == id })
	}
	switch {
	case t.Callback != nil:
		known := t.Callback.Notice == chaos.NoticeCredit || t.Callback.Notice == chaos.NoticeForged ||
			t.Callback.Notice == chaos.NoticePhantom || t.Callback.Notice == chaos.NoticeFalseRefund
		return known && (d.Set.Behind == "" || payment(d.Set.Behind)) && (d.Set.AtMS == 0 || d.Set.AtMS >= openMS)
	case t.API != nil:
		return t.API.Route == chaos.RoutePixGet
	case t.Command != nil:
		duty := t.Command.Command == chaos.CommandBeginDuty || t.Command.Command == chaos.CommandSaveDuty
		return !duty && payment(t.Command.Subject)
	case t.Window != nil:
		return t.Window.FromMS >= openMS
	}
	return false
}

// related is the other plan of a relation to an undisputed one.
func related(how Relation, p *chaos.Plan) *chaos.Plan {
	out := *p
	out.Faults = slices.Clone(p.Faults)
	draw := p.Seed.Mixer("explore/" + string(how))
	below := func(of, n uint64) uint64 { return draw.Mix(of, 0, 0) % n }
	if how == Outage {
		return withOutage(&out, below)
	}
	for i, pay := range p.Payments {
		const most = 2 * 60 * 60 * 1000
		at := chaos.CallbackAddress{Subject: pay.ID, Notice: chaos.NoticeCredit, Attempt: 1}
		out.Faults = append(out.Faults, chaos.Deviation{
			Kind: "delay", Target: chaos.Target{Callback: &at}, Set: chaos.Change{DelayMS: 1 + int64(below(uint64(i), most))},
		})
	}
	out.Schedule = &chaos.Schedule{}
	return &out
}

// withOutage adds an outage of up to half an hour somewhere in the day.
func withOutage(p *chaos.Plan, below func(of, n uint64) uint64) *chaos.Plan {
	const minute = 60 * 1000
	from := openMS + int64(below(0, uint64(max(1, p.HorizonMS-openMS))))
	w := &chaos.Window{Place: chaos.PlaceStore, FromMS: from, ToMS: from + minute + int64(below(1, 29*minute))}
	d := chaos.Deviation{Kind: "store_down", Target: chaos.Target{Window: w}, Set: chaos.Change{Down: true}}
	if below(2, 2) == 0 {
		w.Place = chaos.PlacePSP
		d.Kind = "psp_down"
	}
	p.Faults = append(p.Faults, d)
	return p
}

// differs says in words what two states disagree on of what settled: money
// credited and its charge, by Pix, and the sum of the statement.
func differs(a, b *scenarios.State) string {
	first, second := settled(a), settled(b)
	for i := range max(len(first), len(second)) {
		x, y := at(first, i), at(second, i)
		if x != y {
			return fmt.Sprintf("%s in one run, %s in the other", x, y)
		}
	}
	return ""
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing more"
}

// settled lists what a state has of the Pix that settled, and the sum.
func settled(s *scenarios.State) []string {
	var out []string
	var sum int64
	for _, p := range s.Pix {
		sum += int64(p.Statement)
		if !p.Settled {
			continue
		}
		charge := "no charge"
		if p.Booked != nil && p.Booked.Charge != "" {
			charge = "charge " + p.Booked.Charge
		}
		out = append(out, fmt.Sprintf("Pix %s with %s on %s", p.EndToEndID, p.Net.BRL(), charge))
	}
	return append(out, fmt.Sprintf("a statement of %d cents", sum))
}
