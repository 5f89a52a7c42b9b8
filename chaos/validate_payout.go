package chaos

import (
	"fmt"
	"slices"
)

// leastKeyTTLMS is the shortest life of a payout's key at the PSP: a receiver
// that repeats for as long as it may is still within it.
const leastKeyTTLMS = 5 * minuteMS

func (v *validator) allPayouts() error {
	for i := range v.plan.Payouts {
		o := &v.plan.Payouts[i]
		who := "payout " + o.ID
		if err := firstError(
			v.once(who, "id", "id", o.ID),
			v.once(who, "reference", "payout reference", o.Reference),
			atLeast(who, "amount_cents", o.AmountCents, 1),
			atLeast(who, "at_ms", o.AtMS, 0),
			atLeast(who, "settle_after_ms", o.SettleAfterMS, 0),
			atLeast(who, "notify_after_ms", o.NotifyAfterMS, 0),
			oneOf(who, "outcome", string(o.Outcome), string(PayoutConfirmed), string(PayoutRejected)),
			v.payee(who, o),
			returnsOf(who, o),
		); err != nil {
			return err
		}
		v.payouts[o.ID] = o
	}
	return nil
}

func keyTTL(ms int64) error {
	if ms == 0 {
		return nil
	}
	return inRange("settings", "payout_key_ttl_ms", ms, leastKeyTTLMS, maxPlanMS)
}

func (v *validator) payee(who string, o *Payout) error {
	if len(o.Payee) < 1 || len(o.Payee) > 77 {
		return fmt.Errorf("%s: payee has %d bytes; want a Pix key of 1 to 77", who, len(o.Payee))
	}
	return nil
}

// returnsOf refuses returns of a rejected payout, and of more than went out.
func returnsOf(who string, o *Payout) error {
	left := o.AmountCents
	for _, r := range o.Returns {
		if err := firstError(
			atLeast(who, "returns after_ms", r.AfterMS, 0),
			inRange(who, "returns amount_cents", r.AmountCents, 1, left),
		); err != nil {
			return err
		}
		left -= r.AmountCents
	}
	if len(o.Returns) > 0 && o.Outcome != PayoutConfirmed {
		return fmt.Errorf("%s: it is %s and has returns; want none, or the outcome %s", who, o.Outcome, PayoutConfirmed)
	}
	return nil
}

// payoutNotice refuses a notice that a payout does not have, and a change that
// bends what a callback about a payout does not hold.
func (v *validator) payoutNotice(who string, a CallbackAddress, set Change) error {
	if !AboutPayout(a.Notice) {
		return fmt.Errorf("%s: callback notice %q is unknown; known are %s, %s", who, a.Notice, NoticePayout, ReturnNotice(1))
	}
	bare := set
	bare.DelayMS, bare.Behind, bare.CopyAfterMS, bare.Frozen, bare.Drop, bare.AckLost, bare.Signature = 0, "", 0, false, false, false, ""
	bare.Shape = slices.DeleteFunc(slices.Clone(set.Shape), func(s string) bool { return s == ShapeOversized || s == ShapeTruncated })
	if len(bare.Shape) == 0 {
		bare.Shape = nil
	}
	if words := bare.words(); len(words) > 0 {
		return fmt.Errorf("%s: a callback about a payout cannot be so bent (%s); want it late, lost, repeated, oversized or truncated", who, words[0])
	}
	return nil
}

// payoutCall refuses a change of a payout's fate anywhere but at its request.
func payoutCall(who string, d *Deviation) error {
	if d.Set.RejectMS == 0 && d.Set.ReturnMS == 0 && d.Set.ReturnCents == 0 {
		return nil
	}
	if at := d.Target.API; at == nil || at.Route != RoutePayoutPost {
		return fmt.Errorf("%s: reject_ms, return_ms and return_cents belong to a call of %s", who, RoutePayoutPost)
	}
	if (d.Set.ReturnMS == 0) != (d.Set.ReturnCents == 0) {
		return fmt.Errorf("%s: want return_ms and return_cents together", who)
	}
	return nil
}
