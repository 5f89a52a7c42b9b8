package scenarios

import (
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/receiver"
)

// Marks are what a good search comes to at least once: those of the receiver
// and of the PSP, those that show in what a commit changed, and the world's
// own. A search that never comes to one of them, but for [RareMarks], does not
// test what it claims.
func Marks() []string {
	var out []string
	for _, m := range receiver.Marks() {
		out = append(out, string(m))
	}
	for _, m := range fakepsp.Marks() {
		out = append(out, string(m))
	}
	for _, m := range committedMarks() {
		out = append(out, m.name)
	}
	return append(out, markRefused, markGivenUp, markNoWebhook, markCrash, markTimeout, markVoid)
}

// RareMarks are those that no sweep is asked for: no fault kind leads there by
// itself, or so seldom that a sweep that misses one tells nothing. Cases of
// their own come to them.
func RareMarks() []string {
	return []string{
		string(receiver.MarkRefundRekeyed), string(receiver.MarkPhantomRefund), string(receiver.MarkSendLost),
		string(receiver.MarkPayoutKeyOver),
		string(fakepsp.MarkReturnInPart),
		markForOperator, markExcess, markChargeRefused,
	}
}

// The marks that both lists name.
const (
	markForOperator   = "an event was set aside for an operator"
	markExcess        = "a refund over what was left was booked as an excess"
	markChargeRefused = "a charge was refused by the PSP"
)

// The world's own marks.
const (
	markRefused   = "the PSP had to repeat a callback"
	markGivenUp   = "the PSP gave a callback up"
	markNoWebhook = "a callback had no registered URL to go to"
	markCrash     = "a process died between two commands"
	markTimeout   = "a call of the receiver got no answer in time"
	markVoid      = "a payer could not pay"
)

// committedMark is a mark that shows in a commit. A new one is a line in
// [committedMarks].
type committedMark struct {
	name string
	in   func(cs *receiver.ChangeSet) bool
}

func committedMarks() []committedMark {
	return []committedMark{
		{"an event was set aside to wait", anyEvent(func(b, a *receiver.Event) bool { return entered(b, a) && a.Quarantine == receiver.QuarantineWaiting })},
		{markForOperator, anyEvent(func(b, a *receiver.Event) bool { return entered(b, a) && a.Quarantine == receiver.QuarantineBad })},
		{"an event that waited was woken", anyEvent(func(b, a *receiver.Event) bool {
			return b != nil && b.State == receiver.EventQuarantined && a.State == receiver.EventReceived
		})},
		{"an event that was woken ended processed", anyEvent(func(b, a *receiver.Event) bool {
			return b != nil && b.State == receiver.EventReceived && b.Attempts > 1 && a.State == receiver.EventProcessed
		})},
		{"other content came under a known key", func(cs *receiver.ChangeSet) bool { return len(cs.Variants) > 0 }},
		{"a Pix was booked on its charge", booked(receiver.DispositionExact)},
		{"a Pix was booked that paid too much", booked(receiver.DispositionOverpaid)},
		{"a Pix was booked that paid too little", booked(receiver.DispositionUnderpaid)},
		{"a Pix was booked whose charge was paid already", booked(receiver.DispositionSecond)},
		{"a Pix was booked that came too late", booked(receiver.DispositionLate)},
		{"a Pix was booked that names no charge of ours", booked(receiver.DispositionUnidentified)},
		{"unidentified money found its charge", anyPayment(func(b, a *receiver.Payment) bool { return b != nil && b.Charge == "" && a.Charge != "" })},
		{"a case was opened", anyCase(func(b, a *receiver.Case) bool { return b == nil })},
		{"a case was closed", anyCase(func(b, a *receiver.Case) bool {
			return b != nil && b.State != a.State && a.State == receiver.CaseClosed
		})},
		{"a refund of ours was returned", anyRefund(func(b, a *receiver.Refund) bool {
			return became(b, a, receiver.RefundReturned) && a.Origin == receiver.RefundByMerchant
		})},
		{"a refund of ours failed, and its money went back", anyRefund(func(b, a *receiver.Refund) bool {
			return became(b, a, receiver.RefundFailed) && a.Origin == receiver.RefundByMerchant
		})},
		{"a refund of the PSP's was booked", anyRefund(func(b, a *receiver.Refund) bool { return b == nil && a.Origin == receiver.RefundByPSP })},
		{markExcess, anyRefund(func(b, a *receiver.Refund) bool { return a.Excess && (b == nil || !b.Excess) })},
		{markChargeRefused, anyCharge(func(b, a *receiver.Charge) bool {
			return b != nil && b.State != a.State && a.State == receiver.ChargeFailed
		})},
		{"a payout was taken, and its money set aside", anyPayout(func(b, a *receiver.Payout) bool { return b == nil && a.State == receiver.PayoutReserved })},
		{"a payout was confirmed", anyPayout(func(b, a *receiver.Payout) bool {
			return b != nil && b.State != a.State && a.State == receiver.PayoutConfirmed
		})},
		{"a payout failed, and its money went back", anyPayout(func(b, a *receiver.Payout) bool {
			return b != nil && b.State != a.State && a.State == receiver.PayoutFailed
		})},
		{"a payout was queued for conciliation", anyPayout(func(b, a *receiver.Payout) bool { return a.Queued && (b == nil || !b.Queued) })},
		{"a payout came back, whole or in part", anyPayout(func(b, a *receiver.Payout) bool { return b != nil && len(a.Returns) > len(b.Returns) })},
		{"a charge was removed", anyCharge(func(b, a *receiver.Charge) bool {
			return b != nil && b.State != a.State && a.State == receiver.ChargeRemoved
		})},
		{"a charge's call was repeated", anyCharge(func(b, a *receiver.Charge) bool { return a.Attempts > 1 && a.State == receiver.ChargeActive })},
		{"MED blocked money that the receiver heard of", func(cs *receiver.ChangeSet) bool { return len(cs.Memos) > 0 }},
		{"an event reached the merchant's endpoint", func(cs *receiver.ChangeSet) bool {
			for _, c := range cs.Outbox {
				if c.After.Sent {
					return true
				}
			}
			return false
		}},
	}
}

func anyEvent(fn func(before, after *receiver.Event) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Events {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

func anyPayment(fn func(before, after *receiver.Payment) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Payments {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

func anyRefund(fn func(before, after *receiver.Refund) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Refunds {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

func anyPayout(fn func(before, after *receiver.Payout) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Payouts {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

func anyCharge(fn func(before, after *receiver.Charge) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Charges {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

func anyCase(fn func(before, after *receiver.Case) bool) func(*receiver.ChangeSet) bool {
	return func(cs *receiver.ChangeSet) bool {
		for _, c := range cs.Cases {
			if fn(c.Before, c.After) {
				return true
			}
		}
		return false
	}
}

// booked is a Pix that was booked for the first time, in one way.
func booked(how receiver.Disposition) func(*receiver.ChangeSet) bool {
	return anyPayment(func(b, a *receiver.Payment) bool { return b == nil && a.Disposition == how })
}

// entered says whether an event went into quarantine.
func entered(b, a *receiver.Event) bool {
	return a.State == receiver.EventQuarantined && (b == nil || b.State != receiver.EventQuarantined)
}

func became(b, a *receiver.Refund, s receiver.RefundState) bool {
	return a.State == s && (b == nil || b.State != s)
}

// marks are those that one run has come to.
type marks struct {
	reached map[string]bool
	// open are those of commits that it has not come to.
	open []committedMark
}

func newMarks() *marks { return &marks{reached: map[string]bool{}, open: committedMarks()} }

func (m *marks) reach(name string) { m.reached[name] = true }

// Reached hears of the receiver's marks.
func (m *marks) Reached(r receiver.Mark) { m.reach(string(r)) }

// commit looks for the marks of a commit.
func (m *marks) commit(cs *receiver.ChangeSet) {
	for i := 0; i < len(m.open); {
		if !m.open[i].in(cs) {
			i++
			continue
		}
		m.reach(m.open[i].name)
		m.open = append(m.open[:i], m.open[i+1:]...)
	}
}

// list is what was reached, in the order of [Marks].
func (m *marks) list() []string {
	var out []string
	for _, name := range Marks() {
		if m.reached[name] {
			out = append(out, name)
		}
	}
	return out
}

// Reached hears of the PSP's marks.
func (o pspObserver) Reached(m fakepsp.Mark) { o.w.marks.reach(string(m)) }

// Void hears of payments that could not be made.
func (o pspObserver) Void(fakepsp.PayOrder, error) { o.w.marks.reach(markVoid) }

var _ receiver.Observer = (*marks)(nil)
