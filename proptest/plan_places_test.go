package proptest

import (
	"strconv"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
)

// The faults whose place is the receiver, the PSP's API, a stretch of time or
// the payer.

func (s striker) instance() string {
	names := []string{chaos.AnyInstance}
	for i := range s.plan.Settings.Instances {
		names = append(names, strconv.Itoa(i+1))
	}
	return rapid.SampledFrom(names).Draw(s.t, "instance")
}

// command strikes one execution of a store command that holds a payment or a
// charge of the plan.
func (s striker) command(commands, edges []string, set chaos.Change) []chaos.Deviation {
	command, p := rapid.SampledFrom(commands).Draw(s.t, "command"), s.payment()
	subject := p.ID
	switch command {
	case chaos.CommandCreateCharges, chaos.CommandRecordCalls:
		if p.Charge == "" {
			return nil
		}
		subject = p.Charge
	case chaos.CommandClaimEvents, chaos.CommandLeaseOutbox:
		edges = []string{chaos.EdgeAfter}
	}
	return s.at(chaos.Target{Command: &chaos.CommandAddress{
		Instance: s.instance(), Command: command, Subject: subject,
		Edge: rapid.SampledFrom(edges).Draw(s.t, "edge"), Nth: s.number(1, 3, "nth"),
	}}, set)
}

func (s striker) crash() []chaos.Deviation {
	return s.command([]string{
		chaos.CommandAppendInbox, chaos.CommandApplyEvents, chaos.CommandClaimEvents, chaos.CommandLeaseOutbox,
		chaos.CommandMatchStatement, chaos.CommandCreateCharges, chaos.CommandRecordCalls,
	}, []string{chaos.EdgeBefore, chaos.EdgeAfter}, s.death())
}

func (s striker) death() chaos.Change {
	return chaos.Change{Crash: true, RestartMS: s.between(200, 10*minuteMS, "restart")}
}

func (s striker) crashDuty() []chaos.Deviation {
	duties := []string{chaos.DutySweep, chaos.DutyReconcile, chaos.DutyPending, chaos.DutyRegister}
	return s.at(chaos.Target{Command: &chaos.CommandAddress{
		Instance: s.instance(), Subject: rapid.SampledFrom(duties).Draw(s.t, "duty"),
		Command: rapid.SampledFrom([]string{chaos.CommandBeginDuty, chaos.CommandSaveDuty}).Draw(s.t, "command"),
		Edge:    rapid.SampledFrom([]string{chaos.EdgeBefore, chaos.EdgeAfter}).Draw(s.t, "edge"),
		Nth:     s.number(1, 40, "nth"),
	}}, s.death())
}

func (s striker) commitLost() []chaos.Deviation {
	return s.command([]string{
		chaos.CommandAppendInbox, chaos.CommandApplyEvents, chaos.CommandCreateCharges, chaos.CommandRecordCalls,
	}, []string{chaos.EdgeAfter}, chaos.Change{LoseCommit: true})
}

// window is a stretch of time at a place, around a payment or its charge.
func (s striker) window(place string, lo, hi int64, set chaos.Change) []chaos.Deviation {
	p := s.payment()
	around := p.AtMS + p.NotifyAfterMS
	if c, ok := s.charge(p.Charge); ok && rapid.Bool().Draw(s.t, "around the charge") {
		around = c.CreateAtMS
	}
	from := around - s.between(0, minuteMS, "before")
	return s.at(chaos.Target{Window: &chaos.Window{
		Place: place, FromMS: from, ToMS: from + s.between(lo, hi, "length"),
	}}, set)
}

func (s striker) storeDown() []chaos.Deviation {
	return s.window(chaos.PlaceStore, secondMS, 20*minuteMS, chaos.Change{Down: true})
}

func (s striker) place(what string) string {
	return chaos.InstancePlace(s.number(1, s.plan.Settings.Instances, "instance"), what)
}

func (s striker) workerPaused() []chaos.Deviation {
	return s.window(s.place(chaos.PlaceWorker), secondMS, 30*secondMS,
		chaos.Change{PauseMS: s.between(31*secondMS, 5*minuteMS, "pause")})
}

func (s striker) clockSkew() []chaos.Deviation {
	skew := s.between(200, 10*minuteMS, "skew")
	if rapid.Bool().Draw(s.t, "behind") {
		skew = -skew
	}
	return s.window(s.place(chaos.PlaceClock), 10*minuteMS, 6*hourMS, chaos.Change{SkewMS: skew})
}

func (s striker) pspDown() []chaos.Deviation {
	return s.window(chaos.PlacePSP, 5*secondMS, 10*minuteMS, chaos.Change{Down: true})
}

func (s striker) webhookRemoved() []chaos.Deviation {
	return s.window(chaos.PlaceWebhook, minuteMS, 2*hourMS, chaos.Change{Removed: true})
}

func (s striker) statementLag() []chaos.Deviation {
	place := rapid.SampledFrom([]string{chaos.PlaceStatement, chaos.PlaceList}).Draw(s.t, "place")
	return s.window(place, 10*minuteMS, 2*hourMS, chaos.Change{LagMS: s.between(minuteMS, 30*minuteMS, "lag")})
}

func (s striker) pageShift() []chaos.Deviation {
	return s.window(chaos.PlaceList, 20*minuteMS, 2*hourMS, chaos.Change{Shift: true})
}

func (s striker) endpointDown() []chaos.Deviation {
	return s.window(chaos.PlaceEndpoint, 5*secondMS, 2*hourMS, chaos.Change{Down: true})
}

func (s striker) endpointSlow() []chaos.Deviation {
	return s.window(chaos.PlaceEndpoint, minuteMS, 2*hourMS, chaos.Change{SlowMS: s.between(secondMS, minuteMS, "slow")})
}

// api strikes one of the first calls about a payment or its charge.
func (s striker) api(set chaos.Change, routes ...string) []chaos.Deviation {
	p := s.payment()
	route, subject := rapid.SampledFrom(routes).Draw(s.t, "route"), p.ID
	if route != chaos.RoutePixGet {
		if p.Charge == "" {
			return nil
		}
		subject = p.Charge
	}
	return s.at(chaos.Target{API: &chaos.APIAddress{Route: route, Subject: subject, Nth: s.number(1, 2, "nth")}}, set)
}

func (s striker) apiSlow() []chaos.Deviation {
	return s.api(chaos.Change{SlowMS: s.between(200, 90*secondMS, "slow")},
		chaos.RouteChargePut, chaos.RouteChargeGet, chaos.RoutePixGet)
}

func (s striker) api5xx() []chaos.Deviation {
	return s.api(chaos.Change{Status: rapid.SampledFrom([]int{500, 502, 503, 504}).Draw(s.t, "status")},
		chaos.RouteChargePut, chaos.RouteChargeGet, chaos.RoutePixGet)
}

func (s striker) api429() []chaos.Deviation {
	return s.api(chaos.Change{Status: 429}, chaos.RouteChargePut, chaos.RouteChargeGet, chaos.RoutePixGet)
}

func (s striker) api5xxAfter() []chaos.Deviation {
	return s.api(chaos.Change{StatusAfter: rapid.SampledFrom([]int{500, 502, 504}).Draw(s.t, "status")}, chaos.RouteChargePut)
}

func (s striker) apiCut() []chaos.Deviation {
	return s.api(chaos.Change{Cut: true}, chaos.RouteChargePut, chaos.RouteChargeGet, chaos.RoutePixGet)
}

func (s striker) apiHidden() []chaos.Deviation {
	return s.api(chaos.Change{HideMS: s.between(500, 5*minuteMS, "hidden")}, chaos.RouteChargeGet, chaos.RoutePixGet)
}

// misPaid has the payer pay less or more than is due.
func (s striker) misPaid() []chaos.Deviation {
	p := s.payment()
	lo, hi := int64(1), p.AmountCents-1
	if s.kind == "overpaid" {
		lo, hi = p.AmountCents+1, 2*p.AmountCents
	}
	if hi < lo {
		return nil
	}
	return s.at(chaos.Target{Payment: p.ID}, chaos.Change{PayCents: s.between(lo, hi, "pays"), Lax: true})
}

func (s striker) expiredPaid() []chaos.Deviation {
	p := s.payment()
	c, ok := s.charge(p.Charge)
	if !ok || c.Kind != chaos.ChargeDynamic {
		return nil
	}
	expiry := c.CreateAtMS + c.ExpiresInS*secondMS
	return s.at(chaos.Target{Payment: p.ID}, chaos.Change{PayAtMS: expiry + s.between(minuteMS, hourMS, "late"), Lax: true})
}

func (s striker) removedPaid() []chaos.Deviation {
	p := s.payment()
	c, ok := s.charge(p.Charge)
	if !ok || c.Kind != chaos.ChargeDynamic || c.Elsewhere || p.AtMS-c.CreateAtMS < 4*secondMS {
		return nil
	}
	before := s.between(200, min(5*minuteMS, p.AtMS-c.CreateAtMS-2*secondMS), "before")
	return s.at(chaos.Target{Payment: p.ID}, chaos.Change{RemoveAtMS: p.AtMS - before, Lax: true})
}
