package receiver

import (
	"cmp"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// What a row is after something was learned: the stores read and write rows, and
// ask here what to write.

// After is the charge after a call. It moves forward only; each call while it is
// intended counts as an attempt.
func (c Charge) After(call ChargeCall) Charge {
	open := c.State == ChargeIntended
	if open {
		c.Attempts++
	}
	if call.State == "" || call.State == ChargeIntended {
		if open {
			c.DueAt = call.DueAt
		}
		return c
	}
	forward := progress(call.State) > progress(c.State)
	if !forward && call.State != c.State {
		return c
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = call.CreatedAt
	}
	c.BRCode = cmp.Or(c.BRCode, call.BRCode)
	if forward {
		c.State = call.State
		c.Problem = cmp.Or(c.Problem, call.Problem)
	}
	return c
}

// progress is how far a charge is on its way; active and failed are two ends
// of the same step.
func progress(s ChargeState) int {
	switch s {
	case ChargeActive, ChargeFailed:
		return 1
	case ChargeRemoved:
		return 2
	}
	return 0
}

// OpenOwn says whether the refund is the merchant's and its end is not known.
func (r *Refund) OpenOwn() bool { return r.Origin == RefundByMerchant && !r.State.Final() }

// Unanswered says whether the PSP may have made the refund, over so much, and
// never told its rtrId.
func (r *Refund) Unanswered(cents pix.Amount) bool {
	return r.OpenOwn() && r.ReturnID == "" && r.Amount == cents
}

// RecordRefund decides about what a call taught of x, a merchant's refund. p is
// its Pix, nil if it is not booked; other is another refund of the Pix that has
// the rtrId of the answer, nil if there is none. A call about a refund that is
// final, or about an id given up since, changes nothing.
func (r Rules) RecordRefund(x Refund, p *Payment, other *Refund, call RefundCall) (RefundDecision, error) {
	switch {
	case x.State.Final() || call.ID != "" && call.ID != x.ID:
		return RefundDecision{}, nil
	case x.Clash:
		return x.rekeyed(call), nil
	}
	stale := call.Version != x.Version // another has leased it since
	if !stale {
		x.DueAt = call.DueAt
		if call.Answered {
			x.LastCallAt = x.PriorCallAt
		}
	}
	switch {
	case call.Status == StatusClash || other != nil:
		x.Clash, x.DueAt = true, call.Now
	case call.ReturnID != "" && (x.ReturnID == "" || x.ReturnID == call.ReturnID):
		x.ReturnID = call.ReturnID
		if call.Status.Final() {
			return r.endRefund(x, p, call.Status, call.Now)
		}
		x.State = RefundProcessing
	case call.Refused && x.ReturnID == "" && !stale:
		x.Problem = call.Problem
		return r.endRefund(x, p, pix.RefundFailed, call.Now)
	}
	return RefundDecision{Refund: &x}, nil
}

// rekeyed gives a refund whose id is another's a new one: as if it had never been
// asked for. Nothing else counts for it, as nothing was learnt about itself.
func (r Refund) rekeyed(call RefundCall) RefundDecision {
	if call.NewID == "" {
		return RefundDecision{}
	}
	r.ID, r.Clash, r.DueAt = call.NewID, false, call.Now
	r.Rekeys++
	r.Attempts, r.FirstCallAt, r.LastCallAt, r.PriorCallAt = 0, time.Time{}, time.Time{}, time.Time{}
	return RefundDecision{Refund: &r}
}

func (r Rules) endRefund(x Refund, p *Payment, status pix.RefundStatus, at time.Time) (RefundDecision, error) {
	if p == nil {
		return RefundDecision{}, fmt.Errorf("end refund %s: %s is not booked", x.Intention(), x.EndToEndID)
	}
	return r.FinishRefund(*p, x, status, at), nil
}

// Blocks is how much the memo keeps from being spent; nothing where there is none.
func (m *Memo) Blocks() pix.Amount {
	if m == nil || m.Released {
		return 0
	}
	return m.Amount
}

// News says whether the memo tells more than the one known before, nil if there
// was none. A released one stays released, whatever comes late; when a memo came
// is no matter.
func (m Memo) News(before *Memo) bool {
	if before == nil {
		return true
	}
	m.At = before.At
	return !before.Released && m != *before
}
