package demo

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/film"
)

// Button is one way to break something.
type Button string

// The buttons. The first five strike the next callback that has no fault yet.
const (
	Duplicate Button = "duplicate"
	Delay     Button = "delay"
	Reorder   Button = "reorder"
	Drop      Button = "drop"
	Forge     Button = "forge"
	Crash     Button = "crash" // instance 1
	StoreDown Button = "store_down"
	PSPDown   Button = "psp_down"
	Heal      Button = "heal"
)

// What the buttons do, in milliseconds and cents.
const (
	copyAfterMS = 700
	delayMS     = 2_600
	forgeInMS   = 150
	forgedCents = 999_999
	outageMS    = 3_000
	restartMS   = 3_000
)

// written is a plan as its file holds it: sorted, checked, sharing nothing with p.
func written(p *chaos.Plan) (*chaos.Plan, error) {
	return chaos.ReadPlan(bytes.NewReader(p.Encode()))
}

// press appends to the plan what a button does at an instant.
func press(p *chaos.Plan, shown *film.Film, b Button, at chaos.Instant) error {
	ms := int64(at / chaos.Millisecond)
	switch b {
	case Heal:
		heal(p, ms)
		return nil
	case StoreDown, PSPDown:
		if ms+1 >= p.HorizonMS {
			return fmt.Errorf("the day of the plan is over: want an earlier instant, or a reset")
		}
		place := chaos.PlaceStore
		if b == PSPDown {
			place = chaos.PlacePSP
		}
		add(p, chaos.Deviation{Kind: string(b), Set: chaos.Change{Down: true}, Target: chaos.Target{Window: &chaos.Window{
			Place: place, FromMS: ms + 1, ToMS: min(ms+outageMS, p.HorizonMS),
		}}})
		return nil
	case Crash:
		return crash(p, shown, at)
	}
	next := upcoming(p, ms)
	if len(next) == 0 {
		return fmt.Errorf("no callback is left to strike: want an earlier instant, or a reset")
	}
	return strike(p, b, next, ms)
}

// strike deviates the first of the upcoming payments.
func strike(p *chaos.Plan, b Button, next []*chaos.Payment, ms int64) error {
	pay := next[0]
	switch b {
	case Duplicate:
		add(p, onCredit("duplicate", pay.ID, 1, chaos.Change{CopyAfterMS: copyAfterMS}))
	case Delay:
		add(p, onCredit("delay", pay.ID, 0, chaos.Change{DelayMS: delayMS}))
	case Drop:
		add(p, onCredit("drop", pay.ID, 0, chaos.Change{Drop: true}))
	case Reorder:
		set := chaos.Change{DelayMS: delayMS / 2}
		if len(next) > 1 {
			set = chaos.Change{Behind: next[1].ID, DelayMS: due(next[1]) - due(pay) + copyAfterMS}
		}
		add(p, onCredit("reorder", pay.ID, 0, set))
	case Forge:
		add(p, forged(p, pay, ms))
	default:
		return fmt.Errorf("button %q is %w", b, ErrUnknown)
	}
	return nil
}

// forged is money that never was, in the name of a charge that is there.
func forged(p *chaos.Plan, pay *chaos.Payment, ms int64) chaos.Deviation {
	stamp := p.Start.Add(chaos.MS(ms).Duration()).UTC().Format("200601021504")
	return chaos.Deviation{
		Kind: "forged",
		Target: chaos.Target{Callback: &chaos.CallbackAddress{
			Subject: pay.ID, Notice: chaos.NoticeForged, Attempt: 1,
		}},
		Set: chaos.Change{
			Signature: chaos.SignatureBad, AtMS: ms + forgeInMS, SayCents: forgedCents,
			SayEndToEndID: "E99999008" + stamp + p.Seed.ID("demo/forged", pay.ID, 11),
		},
	}
}

// crash kills instance 1 at the next callback that reaches it.
func crash(p *chaos.Plan, shown *film.Film, at chaos.Instant) error {
	for _, cb := range shown.Callbacks {
		subject, _, _ := strings.Cut(cb.ID, "/")
		if cb.Instance != 1 || cb.Stored <= at {
			continue
		}
		nth := 1
		for _, before := range shown.Callbacks {
			if before.Instance == 1 && before.Stored != 0 && before.Stored < cb.Stored && strings.HasPrefix(before.ID, subject+"/") {
				nth++
			}
		}
		add(p, chaos.Deviation{Kind: "crash", Set: chaos.Change{Crash: true, RestartMS: restartMS}, Target: chaos.Target{Command: &chaos.CommandAddress{
			Instance: "1", Command: chaos.CommandAppendInbox, Subject: subject, Edge: chaos.EdgeBefore, Nth: nth,
		}}})
		return nil
	}
	return fmt.Errorf("nothing reaches instance 1 any more: want an earlier instant, or a reset")
}

// due is when a payment's callback leaves, without a fault.
func due(p *chaos.Payment) int64 { return p.AtMS + p.NotifyAfterMS }

// upcoming are the payments whose callback is still to leave and has no fault,
// the next one first.
func upcoming(p *chaos.Plan, ms int64) []*chaos.Payment {
	struck := map[string]bool{}
	for _, d := range p.Faults {
		if d.Target.Callback != nil {
			struck[d.Target.Callback.Subject] = true
		}
	}
	var out []*chaos.Payment
	for i := range p.Payments {
		if pay := &p.Payments[i]; pay.Charge != "" && due(pay) > ms && !struck[pay.ID] {
			out = append(out, pay)
		}
	}
	slices.SortStableFunc(out, func(a, b *chaos.Payment) int { return cmp.Compare(due(a), due(b)) })
	return out
}

func onCredit(kind, subject string, copy int, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{Kind: kind, Set: set, Target: chaos.Target{Callback: &chaos.CallbackAddress{
		Subject: subject, Notice: chaos.NoticeCredit, Copy: copy, Attempt: 1,
	}}}
}

func add(p *chaos.Plan, d chaos.Deviation) { p.Faults = append(p.Faults, d) }

// heal takes back every fault that has not struck by then, and ends outages.
func heal(p *chaos.Plan, ms int64) {
	dues := map[string]int64{}
	for i := range p.Payments {
		dues[p.Payments[i].ID] = due(&p.Payments[i])
	}
	p.Faults = slices.DeleteFunc(p.Faults, func(d chaos.Deviation) bool {
		switch t := d.Target; {
		case t.Window != nil:
			if t.Window.FromMS < ms {
				t.Window.ToMS = max(t.Window.FromMS+1, min(t.Window.ToMS, ms))
				return false
			}
			return true
		case t.Callback != nil && d.Set.AtMS > 0:
			return d.Set.AtMS > ms
		case t.Callback != nil:
			return dues[t.Callback.Subject] > ms
		case t.Command != nil:
			at, ok := dues[t.Command.Subject]
			return ok && at > ms
		}
		return false
	})
}

// rate draws a kind anew for every callback that is still to leave.
func rate(p *chaos.Plan, b Button, tenths int, at chaos.Instant) error {
	kinds := map[Button]string{Duplicate: "duplicate", Delay: "delay", Reorder: "reorder", Drop: "drop", Forge: "forged"}
	kind, ok := kinds[b]
	if !ok || tenths < 0 || tenths > 10 {
		return fmt.Errorf("%d in ten of %q is %w: want 0 to 10 of duplicate, delay, reorder, drop or forge", tenths, b, ErrUnknown)
	}
	ms := int64(at / chaos.Millisecond)
	dues := map[string]int64{}
	for i := range p.Payments {
		dues[p.Payments[i].ID] = due(&p.Payments[i])
	}
	p.Faults = slices.DeleteFunc(p.Faults, func(d chaos.Deviation) bool {
		return d.Kind == kind && d.Target.Callback != nil && dues[d.Target.Callback.Subject] > ms && d.Set.AtMS == 0 || d.Kind == kind && d.Set.AtMS > ms
	})
	next := upcoming(p, ms)
	for i, pay := range next {
		st := p.Seed.Stream("demo/rate/" + kind + "/" + strconv.Itoa(tenths) + "/" + pay.ID)
		if !st.Chance(chaos.Rate{N: tenths, Of: 10}) {
			continue
		}
		if err := strike(p, b, next[i:], due(pay)); err != nil {
			return err
		}
	}
	return nil
}
