package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/receiver"
)

// atRest is I12. Dead letters and quarantined events are at rest: they are an
// operator's.
type atRest struct{}

func (atRest) id() string       { return "I12" }
func (atRest) sentence() string { return "At rest nothing is due or open" }

func (atRest) end(f *final) string {
	for e := range f.Events.all() {
		if e.State == receiver.EventReceived {
			return fmt.Sprintf("event %s is still %s: %s", e.Key, e.State, e.Reason)
		}
	}
	for _, ref := range f.w.plan.Charges {
		c := f.Charges[receiver.ChargeRef{Consumer: consumer, Reference: ref.Reference}]
		if c != nil && c.State == receiver.ChargeIntended {
			return fmt.Sprintf("charge %s is still %s after %d calls", c.Reference, c.State, c.Attempts)
		}
	}
	for _, id := range f.ids {
		for _, r := range f.Pix[id].Refunds {
			if !r.State.Final() {
				return fmt.Sprintf("refund %s of Pix %s is still %s after %d calls", r.ID, id, r.State, r.Attempts)
			}
		}
	}
	for _, key := range sorted(f.Payouts) {
		if x := f.Payouts[key]; !x.State.Final() {
			return fmt.Sprintf("payout %s is still %s after %d calls", x.Reference, x.State, x.Attempts)
		}
	}
	for id, o := range f.Outbox.all() {
		to := f.Outbox.to(o)
		switch {
		case o.sent && f.w.endpointNamed(to).got.of(id) == 0:
			return fmt.Sprintf("outbox event %d counts as sent and never arrived at %s", id, to)
		case !o.sent && !o.dead && !f.Outbox.behindDead(id):
			return fmt.Sprintf("outbox event %d was never sent to %s", id, to)
		}
	}
	return ""
}
