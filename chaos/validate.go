package chaos

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Validate says in one line what is wrong with a plan and what would be right:
// an id twice, a target that names nothing, a time before the start, a fault
// kind or a retry table that nobody knows. Any profile is fine, since it only
// tells where the plan came from.
func (p *Plan) Validate() error {
	if p.Format != Format {
		return fmt.Errorf("format %q is unknown; this build reads %q", p.Format, Format)
	}
	v := validator{
		plan: p, owner: map[string]string{}, charges: map[string]*Charge{}, payments: map[string]*Payment{},
		refunds: map[string]*Refund{}, disputes: map[string]*Dispute{}, payouts: map[string]*Payout{},
	}
	for _, check := range []func() error{v.head, v.settings, v.allCharges, v.allPayments, v.allRefunds, v.allDisputes, v.allPayouts, v.allFaults, v.operator, v.live, v.schedule} {
		if err := check(); err != nil {
			return oneLine(err)
		}
	}
	return nil
}

// oneLine keeps an error on its line whatever the plan's ids hold.
func oneLine(err error) error {
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, err.Error())
	return errors.New(text)
}

// validator walks one plan and remembers what it has met.
type validator struct {
	plan     *Plan
	owner    map[string]string // whose an id is, by class and id
	charges  map[string]*Charge
	payments map[string]*Payment
	refunds  map[string]*Refund
	disputes map[string]*Dispute
	payouts  map[string]*Payout
}

func (v *validator) head() error {
	p := v.plan
	switch {
	case p.Seed > MaxSeed:
		return fmt.Errorf("seed %d is too large; want a whole number from 0 to %d", p.Seed, uint64(MaxSeed))
	case strings.ContainsFunc(p.Profile, unicode.IsControl):
		return fmt.Errorf("profile holds a control character; want plain text")
	case p.Start.IsZero():
		return fmt.Errorf("start is missing; want an instant such as 2026-03-10T03:00:00Z")
	case p.Start.UTC().Year() < 2000 || p.Start.UTC().Year() > 2999:
		return fmt.Errorf("start is in the year %d; want an instant such as 2026-03-10T03:00:00Z", p.Start.UTC().Year())
	case p.HorizonMS <= 0 || p.HorizonMS > maxPlanMS:
		return fmt.Errorf("horizon_ms is %d; want the length of the run, such as %d for a day", p.HorizonMS, DayMS)
	}
	return nil
}

func (v *validator) settings() error {
	s := v.plan.Settings
	if err := firstError(
		inRange("settings", "instances", int64(s.Instances), 1, maxProcesses),
		inRange("settings", "workers", int64(s.Workers), 1, maxProcesses),
		atLeast("settings", "callback_timeout_ms", s.CallbackTimeoutMS, 1),
		atLeast("settings", "sweep_every_ms", s.SweepEveryMS, minSweepMS),
		inRange("settings", "statement_lag_ms", s.StatementLagMS, 0, MaxLagMS),
		inRange("settings", "step_ms", s.StepMS, 0, maxSlowMS),
		inRange("settings", "wire_ms", s.WireMS, 0, maxSlowMS),
		inRange("settings", "page_size", int64(s.PageSize), 1, maxPage),
		oneOf("settings", "refund_repeat", s.RefundRepeat, "", "same", "400", "409"),
		oneOf("settings", "payout_ids", s.PayoutIDs, "", PayoutIDsAssigned, PayoutIDsLookup),
		keyTTL(s.PayoutKeyTTLMS),
	); err != nil {
		return err
	}
	if _, ok := RetryTableNamed(s.Retry); ok {
		return nil
	}
	var known []string
	for _, t := range RetryTables() {
		known = append(known, t.Name)
	}
	return fmt.Errorf("settings: retry %q is unknown; known are %s", s.Retry, strings.Join(known, ", "))
}

func (v *validator) allCharges() error {
	for i := range v.plan.Charges {
		c := &v.plan.Charges[i]
		who := "charge " + c.ID
		least := int64(0)
		if c.Kind == ChargeDynamic {
			least = 1
		}
		if err := firstError(
			v.once(who, "id", "id", c.ID),
			v.once(who, "reference", "reference", c.Reference),
			atLeast(who, "amount_cents", c.AmountCents, least),
			atLeast(who, "expires_in_s", c.ExpiresInS, least),
			atLeast(who, "create_at_ms", c.CreateAtMS, 0),
			atLeast(who, "adopt_at_ms", c.AdoptAtMS, 0),
			atLeast(who, "remove_at_ms", c.RemoveAtMS, 0),
		); err != nil {
			return err
		}
		if c.Kind != ChargeDynamic && c.Kind != ChargeStatic {
			return fmt.Errorf("%s: kind %q is unknown; known are %s, %s", who, c.Kind, ChargeDynamic, ChargeStatic)
		}
		v.charges[c.ID] = c
	}
	return nil
}

func (v *validator) allPayments() error {
	for i := range v.plan.Payments {
		p := &v.plan.Payments[i]
		who := "payment " + p.ID
		if err := firstError(
			v.once(who, "id", "id", p.ID),
			v.once(who, "end_to_end_id", "end_to_end_id", p.EndToEndID),
			atLeast(who, "amount_cents", p.AmountCents, 1),
			atLeast(who, "at_ms", p.AtMS, 0),
			atLeast(who, "notify_after_ms", p.NotifyAfterMS, 0),
		); err != nil {
			return err
		}
		if p.Charge != "" && v.charges[p.Charge] == nil {
			return fmt.Errorf("%s: there is no charge %q; want one of charges, or none for a Pix to the bare key", who, p.Charge)
		}
		v.payments[p.ID] = p
	}
	return nil
}

// once refuses an empty id and one that somebody else has.
func (v *validator) once(who, member, class, id string) error {
	if id == "" {
		return fmt.Errorf("%s: %s is missing; want a text that nothing else in the plan has", strings.TrimSpace(who), member)
	}
	key := class + "\x00" + id
	if other, taken := v.owner[key]; taken {
		return fmt.Errorf("%s: %s %q stands twice, first at %s; want each once", who, member, id, other)
	}
	v.owner[key] = who
	return nil
}

// Limits that no sensible plan meets; they keep sums of times and of money far
// from where whole numbers end.
const (
	maxNumber    = int64(1) << 50
	maxProcesses = 64
	maxPage      = 1000
	maxSlowMS    = 1000 // of a step, or on the wire
	// maxCents is the largest amount that API Pix can write, in cents.
	maxCents = 999_999_999_999
	// maxPlanMS is a plan's longest time, and with it a run's: 200 days, room for
	// a Pix, the 90 days in which it can go back, and what follows.
	maxPlanMS = 200 * DayMS
	// minSweepMS keeps the sweeps of a day below the steps that a run may take.
	minSweepMS = 100
	// maxStopMS is how long anything may be held up: past it a run would not come
	// to rest in the time that it has for healing.
	maxStopMS = DayMS
)

// atLeast refuses a time, an amount or a count that is too small, or absurd.
func atLeast(who, member string, n, least int64) error {
	most := maxNumber
	switch {
	case strings.HasSuffix(member, "_cents"):
		most = maxCents
	case member == "restart_ms" || member == "pause_ms" || member == "slow_ms" || member == "sweep_every_ms":
		most = maxStopMS
	case strings.HasSuffix(member, "_ms"):
		most = maxPlanMS
	case strings.HasSuffix(member, "_in_s"):
		most = maxPlanMS / 1000
	}
	return inRange(who, member, n, least, most)
}

func inRange(who, member string, n, least, most int64) error {
	switch {
	case n < least:
		return fmt.Errorf("%s: %s is %d; want %d or more", who, member, n, least)
	case n > most:
		return fmt.Errorf("%s: %s is %d; want at most %d", who, member, n, most)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
