package chaos

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func (v *validator) allFaults() error {
	known := kindNames()
	for i := range v.plan.Faults {
		d := &v.plan.Faults[i]
		who := "fault " + d.Kind + " at " + d.Target.String()
		if !slices.Contains(known, d.Kind) {
			return fmt.Errorf("%s: kind %q is unknown; known are %s", who, d.Kind, strings.Join(known, ", "))
		}
		if err := firstError(v.target(who, d.Target), v.change(who, d)); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) target(who string, t Target) error {
	n := 0
	for _, set := range []bool{t.Callback != nil, t.API != nil, t.Command != nil, t.Window != nil, t.Payment != "", t.Request != ""} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%s: target has %d members; want exactly one of callback, api, command, window, payment, request", who, n)
	}
	switch {
	case t.Callback != nil && v.payouts[t.Callback.Subject] != nil:
		return v.copies(who, *t.Callback)
	case t.Callback != nil:
		return v.callback(who, *t.Callback)
	case t.API != nil:
		return v.apiCall(who, *t.API)
	case t.Command != nil:
		return v.command(who, *t.Command)
	case t.Window != nil:
		return v.window(who, *t.Window)
	case t.Request != "":
		return v.request(who, t.Request)
	}
	return v.payment(who, "target", t.Payment)
}

func (v *validator) callback(who string, a CallbackAddress) error {
	return firstError(
		v.payment(who, "callback", a.Subject),
		v.notice(who, a),
		v.copies(who, a),
	)
}

func (v *validator) copies(who string, a CallbackAddress) error {
	return firstError(
		atLeast(who, "callback copy", int64(a.Copy), 0),
		atLeast(who, "callback attempt", int64(a.Attempt), 1),
	)
}

// notice refuses a notice that the payment does not have: besides the fixed
// ones, those of its own refunds and disputes.
func (v *validator) notice(who string, a CallbackAddress) error {
	known := []string{NoticeCredit, NoticeForged, NoticePhantom, NoticeFalseRefund}
	for _, r := range v.plan.Refunds {
		if r.Payment == a.Subject {
			known = append(known, RefundNotice(r.ID))
		}
	}
	for _, d := range v.plan.Disputes {
		if d.Payment == a.Subject {
			known = append(known, DisputeNotice(d.ID, 1))
			if returnOf(d.ID, a.Notice) {
				known = append(known, a.Notice)
			}
		}
	}
	return oneOf(who, "callback notice", a.Notice, known...)
}

func (v *validator) apiCall(who string, a APIAddress) error {
	named := v.subject(who, "api", a.Subject)
	if (a.Route == RouteRefundPut || a.Route == RouteRefundGet) && v.refunds[a.Subject] == nil {
		named = fmt.Errorf("%s: api names %q; want one of refunds", who, a.Subject)
	}
	if (a.Route == RoutePayoutPost || a.Route == RoutePayoutGet) != (v.payouts[a.Subject] != nil) {
		named = fmt.Errorf("%s: api names %q; want one of payouts, and their routes for them alone", who, a.Subject)
	}
	return firstError(
		oneOf(who, "api route", a.Route, RouteChargePut, RouteChargeGet, RoutePixGet, RouteRefundPut, RouteRefundGet,
			RoutePayoutPost, RoutePayoutGet),
		named,
		atLeast(who, "api nth", int64(a.Nth), 1),
	)
}

func (v *validator) command(who string, a CommandAddress) error {
	if a.Command == "" {
		return fmt.Errorf("%s: command is missing; want the name of a store command, such as %s", who, CommandApplyEvents)
	}
	if err := oneOf(who, "command", a.Command, commands()...); err != nil {
		return err
	}
	named := v.subject(who, "command", a.Subject)
	if a.Command == CommandBeginDuty || a.Command == CommandSaveDuty {
		named = oneOf(who, "command duty", a.Subject, DutySweep, DutyChanged, DutyPending, DutyReconcile, DutyRegister, DutyKeys)
	}
	return firstError(
		named,
		v.instance(who, a.Instance),
		oneOf(who, "command edge", a.Edge, EdgeBefore, EdgeAfter),
		atLeast(who, "command nth", int64(a.Nth), 1),
	)
}

func (v *validator) instance(who, instance string) error {
	n, err := strconv.Atoi(instance)
	if instance == AnyInstance || err == nil && n >= 1 && n <= v.plan.Settings.Instances {
		return nil
	}
	return fmt.Errorf("%s: instance %q is none of the plan's; want 1 to %d, or %s", who, instance, v.plan.Settings.Instances, AnyInstance)
}

func (v *validator) window(who string, w Window) error {
	if err := firstError(atLeast(who, "window from_ms", w.FromMS, 0), atLeast(who, "window to_ms", w.ToMS, 0)); err != nil {
		return err
	}
	if w.ToMS <= w.FromMS {
		return fmt.Errorf("%s: window ends at %d and begins at %d; want to_ms after from_ms", who, w.ToMS, w.FromMS)
	}
	places := []string{PlacePSP, PlaceList, PlaceStatement, PlaceWebhook, PlaceToken, PlaceStore}
	places = append(places, endpointPlaces()...)
	for i := 1; i <= v.plan.Settings.Instances; i++ {
		places = append(places, InstancePlace(i, PlaceClock), InstancePlace(i, PlaceWorker))
	}
	return oneOf(who, "window place", w.Place, places...)
}

// change refuses a change that sets nothing, goes back in time, or names a
// payment or a charge that the plan does not hold.
func (v *validator) change(who string, d *Deviation) error {
	set := reflect.ValueOf(d.Set)
	if set.IsZero() {
		return fmt.Errorf("%s: set is empty; want at least one member", who)
	}
	for i := range set.NumField() {
		name, _, _ := strings.Cut(set.Type().Field(i).Tag.Get("json"), ",")
		least := int64(0)
		if name == "skew_ms" {
			least = -maxNumber
		}
		if f := set.Field(i); f.CanInt() {
			if err := atLeast(who, name, f.Int(), least); err != nil {
				return err
			}
		}
	}
	if at := d.Target.Callback; at != nil && v.payouts[at.Subject] != nil {
		if err := v.payoutNotice(who, *at, d.Set); err != nil {
			return err
		}
	}
	return firstError(v.names(who, d.Set), belongs(who, d), v.bounds(who, d), v.riders(who, d), payoutCall(who, d))
}

// bounds refuses a lag that no receiver is held to.
func (v *validator) bounds(who string, d *Deviation) error {
	if lag := v.plan.Settings.StatementLagMS; lag+d.Set.LagMS > MaxLagMS {
		return fmt.Errorf("%s: lag_ms is %d; want at most %d, with statement_lag_ms at %d", who, d.Set.LagMS, MaxLagMS-lag, lag)
	}
	return nil
}

// names refuses a change that names what nobody knows.
func (v *validator) names(who string, set Change) error {
	if b := set.Behind; b != "" && v.payments[b] == nil && v.refunds[b] == nil && v.disputes[b] == nil && v.payouts[b] == nil {
		return fmt.Errorf("%s: behind names %q; want one of payments, refunds or disputes, or of payouts", who, b)
	}
	if c := set.PayCharge; c != "" && v.charges[c] == nil {
		return fmt.Errorf("%s: pay_charge names %q; want one of charges", who, c)
	}
	if s := set.Signature; s != "" {
		if err := oneOf(who, "signature", s, SignatureMissing, SignatureBad); err != nil {
			return err
		}
	}
	for _, shape := range set.Shape {
		if err := oneOf(who, "shape", shape, shapes()...); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) riders(who string, d *Deviation) error {
	for _, rider := range d.Set.With {
		if err := v.payment(who, "with", rider); err != nil {
			return err
		}
		if at := d.Target.Callback; at == nil || compareIDs(at.Subject, rider) >= 0 {
			return fmt.Errorf("%s: with names %s; a group belongs to the callback of its lowest payment", who, rider)
		}
	}
	return nil
}

func (v *validator) payment(who, member, id string) error {
	if v.payments[id] != nil {
		return nil
	}
	return fmt.Errorf("%s: %s names %q; want one of payments", who, member, id)
}

// request refuses what the merchant does not ask this receiver for.
func (v *validator) request(who, id string) error {
	for _, r := range requestsOf(v.plan) {
		if r.subject == id {
			return nil
		}
	}
	return fmt.Errorf("%s: request names %q; want a charge that the receiver makes, or a refund of the merchant's", who, id)
}

func (v *validator) subject(who, member, id string) error {
	if v.payments[id] != nil || v.charges[id] != nil || v.refunds[id] != nil || v.disputes[id] != nil || v.payouts[id] != nil {
		return nil
	}
	return fmt.Errorf("%s: %s names %q; want one of payments or charges, refunds or disputes, or of payouts", who, member, id)
}

func oneOf(who, member, got string, known ...string) error {
	if slices.Contains(known, got) {
		return nil
	}
	return fmt.Errorf("%s: %s %q is unknown; known are %s", who, member, got, strings.Join(known, ", "))
}
