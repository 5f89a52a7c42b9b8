package proptest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
)

// strikerKind draws the faults of one kind, directly and not by a seed.
type strikerKind struct {
	kind string
	draw func(s striker) []chaos.Deviation
}

// strikers lists them, the plainest first: it is to those that a failing plan
// shrinks.
func strikers() []strikerKind {
	return []strikerKind{
		{"duplicate", striker.duplicate}, {"delay", striker.delay}, {"reorder", striker.reorder},
		{"drop", striker.drop}, {"ack_lost", striker.ackLost}, {"resend", striker.resend}, {"replay", striker.replay},
		{"altered", striker.altered}, {"forged", striker.forged}, {"phantom", striker.phantom}, {"grouped", striker.grouped},
		{"unknown_fields", shaped(chaos.ShapeUnknownFields)}, {"unknown_enums", shaped(chaos.ShapeUnknownEnums)},
		{"null_shape", shaped(chaos.ShapeNulls)}, {"refund_object", shaped(chaos.ShapeRefundObject)},
		{"root_array", shaped(chaos.ShapeRootArray)}, {"oversized", shaped(chaos.ShapeOversized)},
		{"truncated", shaped(chaos.ShapeTruncated)},
		{"crash", striker.crash}, {"crash", striker.crash}, {"crash", striker.crashDuty}, {"commit_lost", striker.commitLost},
		{"store_down", striker.storeDown}, {"worker_paused", striker.workerPaused}, {"clock_skew", striker.clockSkew},
		{"api_slow", striker.apiSlow}, {"api_5xx", striker.api5xx}, {"api_429", striker.api429},
		{"api_5xx_after", striker.api5xxAfter}, {"api_cut", striker.apiCut}, {"api_hidden", striker.apiHidden},
		{"psp_down", striker.pspDown}, {"webhook_removed", striker.webhookRemoved},
		{"statement_lag", striker.statementLag}, {"page_shift", striker.pageShift},
		{"underpaid", striker.misPaid}, {"overpaid", striker.misPaid}, {"expired_paid", striker.expiredPaid}, {"removed_paid", striker.removedPaid},
		{"endpoint_down", striker.endpointDown}, {"endpoint_slow", striker.endpointSlow},
	}
}

// striker draws one fault of one kind for a plan.
type striker struct {
	t    *rapid.T
	plan *chaos.Plan
	kind string
}

func (s striker) between(lo, hi int64, label string) int64 {
	return rapid.Int64Range(lo, hi).Draw(s.t, label)
}

func (s striker) number(lo, hi int, label string) int { return rapid.IntRange(lo, hi).Draw(s.t, label) }

func (s striker) payment() chaos.Payment { return s.oneOf(s.plan.Payments, "payment") }

// oneOf draws a payment of a list, from a range that does not depend on the
// list's length: so another payment can be taken out and the draw stays good.
func (s striker) oneOf(list []chaos.Payment, label string) chaos.Payment {
	return list[s.number(0, mostSales-1, label)%len(list)]
}

// other is a payment of a higher number than p, if there is one.
func (s striker) other(p chaos.Payment) (chaos.Payment, bool) {
	for i, q := range s.plan.Payments {
		if q.ID == p.ID && i+1 < len(s.plan.Payments) {
			return s.oneOf(s.plan.Payments[i+1:], "other"), true
		}
	}
	return p, false
}

func (s striker) charge(id string) (chaos.Charge, bool) {
	for _, c := range s.plan.Charges {
		if c.ID == id {
			return c, true
		}
	}
	return chaos.Charge{}, false
}

func (s striker) at(target chaos.Target, set chaos.Change) []chaos.Deviation {
	return []chaos.Deviation{{Kind: s.kind, Target: target, Set: set}}
}

func (s striker) callback(subject, notice string, copies, attempt int, set chaos.Change) []chaos.Deviation {
	return s.at(chaos.Target{Callback: &chaos.CallbackAddress{
		Subject: subject, Notice: notice, Copy: copies, Attempt: attempt,
	}}, set)
}

// first is the first or second attempt of a payment's own callback.
func (s striker) first(set chaos.Change) []chaos.Deviation {
	return s.callback(s.payment().ID, chaos.NoticeCredit, 0, s.number(1, 2, "attempt"), set)
}

func (s striker) duplicate() []chaos.Deviation {
	return s.callback(s.payment().ID, chaos.NoticeCredit, s.number(1, 3, "copy"), 1,
		chaos.Change{CopyAfterMS: s.between(1, 30*minuteMS, "after")})
}

func (s striker) resend() []chaos.Deviation {
	return s.callback(s.payment().ID, chaos.NoticeCredit, 11, 1,
		chaos.Change{CopyAfterMS: s.between(5*minuteMS, 6*hourMS, "after")})
}

func (s striker) replay() []chaos.Deviation {
	return s.callback(s.payment().ID, chaos.NoticeCredit, 21, 1,
		chaos.Change{CopyAfterMS: s.between(10*minuteMS, 6*hourMS, "after"), Frozen: true})
}

func (s striker) delay() []chaos.Deviation {
	return s.first(chaos.Change{DelayMS: s.between(1, 6*hourMS, "late")})
}

// reorder holds a callback until that of a later payment has left.
func (s striker) reorder() []chaos.Deviation {
	p := s.payment()
	q, ok := s.other(p)
	if !ok {
		return nil
	}
	due := func(p chaos.Payment) int64 { return p.AtMS + p.NotifyAfterMS }
	if due(q) < due(p) {
		p, q = q, p
	}
	hold := due(q) - due(p) + s.between(5, 2*secondMS, "hold")
	return s.callback(p.ID, chaos.NoticeCredit, 0, 1, chaos.Change{DelayMS: hold, Behind: q.ID})
}

func (s striker) drop() []chaos.Deviation { return s.first(chaos.Change{Drop: true}) }

func (s striker) ackLost() []chaos.Deviation { return s.first(chaos.Change{AckLost: true}) }

func shaped(shape string) func(striker) []chaos.Deviation {
	return func(s striker) []chaos.Deviation { return s.first(chaos.Change{Shape: []string{shape}}) }
}

func (s striker) altered() []chaos.Deviation {
	return s.first(chaos.Change{SayCents: s.otherCents(s.payment().AmountCents)})
}

// otherCents is an amount that is not the given one.
func (s striker) otherCents(cents int64) int64 {
	other := s.between(1, 2_000_000, "says")
	if other == cents {
		return cents + 1
	}
	return other
}

func (s striker) forged() []chaos.Deviation {
	p := s.payment()
	set := chaos.Change{
		Signature:     rapid.SampledFrom([]string{chaos.SignatureBad, chaos.SignatureMissing}).Draw(s.t, "signature"),
		SayEndToEndID: p.EndToEndID, SayCents: s.otherCents(p.AmountCents), AtMS: s.around(p),
	}
	if rapid.Bool().Draw(s.t, "made up") {
		set.SayEndToEndID, set.SayCents = s.madeUp(p), p.AmountCents
	}
	return s.callback(p.ID, chaos.NoticeForged, 0, 1, set)
}

func (s striker) phantom() []chaos.Deviation {
	p := s.payment()
	if p.Charge == "" {
		return nil
	}
	set := chaos.Change{SayEndToEndID: s.madeUp(p), SayCents: p.AmountCents, AtMS: s.around(p)}
	if rapid.Bool().Draw(s.t, "unknown txid") {
		set.SayTxID = "proptest000000000000000000000000"
	}
	return s.callback(p.ID, chaos.NoticePhantom, 0, 1, set)
}

// around is an instant up to two hours before or after a payment.
func (s striker) around(p chaos.Payment) int64 {
	return p.AtMS + s.between(-2*hourMS, 2*hourMS, "when")
}

// madeUp is the id of a Pix that never settles, one for each payment and kind.
func (s striker) madeUp(p chaos.Payment) string {
	minute := s.plan.Start.Add(time.Duration(p.AtMS) * time.Millisecond).Format("200601021504")
	return "E99999008" + minute + fmt.Sprintf("%.7s%04s", s.kind+"00", p.ID)
}

func (s striker) grouped() []chaos.Deviation {
	p := s.payment()
	q, ok := s.other(p)
	if !ok {
		return nil
	}
	wait := max(0, q.AtMS+q.NotifyAfterMS-p.AtMS-p.NotifyAfterMS) + s.between(1, 20, "wait")
	return s.callback(p.ID, chaos.NoticeCredit, 0, 1, chaos.Change{With: []string{q.ID}, DelayMS: wait})
}
