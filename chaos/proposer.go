package chaos

import "iter"

// Proposer is what a kind may look at when it proposes: the base plan, without
// any fault, and streams at "fault/<kind>/<subject>".
type Proposer struct {
	Plan *Plan
	Seed Seed
	Kind string
	Rate Rate

	view *view // of Plan; made on first use where nil
}

// view is a plan seen from its payments and their callbacks: made once, read by
// every kind.
type view struct {
	sales   []sale
	notices []notice
}

func viewOf(p *Plan) *view {
	sales := salesOf(p)
	return &view{sales: sales, notices: noticesOf(p, sales)}
}

// look makes the view where there is none yet.
func (p *Proposer) look() {
	if p.view == nil {
		p.view = viewOf(p.Plan)
	}
}

// sale is a payment beside the charge that it pays.
type sale struct {
	Payment
	charge *Charge // nil for a Pix to the bare key
	dueMS  int64   // when its callback is due, were there one
}

// salesOf lists the plan's payments with their charges, in the order of the plan.
func salesOf(p *Plan) []sale {
	charges := make(map[string]*Charge, len(p.Charges))
	for i := range p.Charges {
		charges[p.Charges[i].ID] = &p.Charges[i]
	}
	out := make([]sale, len(p.Payments))
	for i, pay := range p.Payments {
		out[i] = sale{pay, charges[pay.Charge], pay.AtMS + pay.NotifyAfterMS}
	}
	return out
}

// notified says whether the PSP sends a callback of this payment.
func (s *sale) notified() bool { return s.charge != nil }

// dynamic says whether it pays a dynamic charge, which is then its own.
func (s *sale) dynamic() bool { return s.charge != nil && s.charge.Kind == ChargeDynamic }

// ours says whether the receiver itself makes the charge at the PSP.
func (s *sale) ours() bool { return s.dynamic() && !s.charge.Elsewhere }

// any is true of every payment.
func (s *sale) any() bool { return true }

// struck walks the payments of which can is true and whose stream says that
// the kind strikes, each with the stream to draw the rest from. That stream
// is good until the next payment: its memory serves them all.
func (p *Proposer) struck(can func(*sale) bool) iter.Seq2[*sale, *Stream] {
	p.look()
	return func(yield func(*sale, *Stream) bool) {
		st := blankStream()
		for i := range p.view.sales {
			s := &p.view.sales[i]
			if !can(s) {
				continue
			}
			st.reopen(p.Seed, "fault/", p.Kind, "/", s.ID)
			if st.Chance(p.Rate) && !yield(s, st) {
				return
			}
		}
	}
}

// stream is the only source of draws about one subject.
func (p *Proposer) stream(subject string) *Stream {
	return p.Seed.Stream("fault/" + p.Kind + "/" + subject)
}

// lower lists the sales of lower number than s. A kind that sets one payment
// against another lets the higher one choose, so that further payments at the
// plan's end change nothing before them.
func (p *Proposer) lower(s *sale) []sale {
	for i := range p.view.sales {
		if p.view.sales[i].ID == s.ID {
			return p.view.sales[:i]
		}
	}
	return nil
}

// nearest is the sale of lower number that has a callback and whose due instant
// is closest to that of s, at most reach away; nil when there is none.
func (p *Proposer) nearest(s *sale, reachMS int64) *sale {
	var best *sale
	lower := p.lower(s)
	for i := range lower {
		q := &lower[i]
		if gap := apart(q, s); q.notified() && gap <= reachMS && (best == nil || gap < apart(best, s)) {
			best = q
		}
	}
	return best
}

func apart(a, b *sale) int64 { return max(a.dueMS-b.dueMS, b.dueMS-a.dueMS) }

// left is the time from an instant to a minute before the horizon, or to where
// the faults of a plan of seconds end.
func (p *Proposer) left(fromMS int64) int64 {
	if end, ok := p.Plan.hurried(); ok {
		return end - fromMS
	}
	return p.Plan.HorizonMS - minuteMS - fromMS
}

// least is a length of time that a kind wants at least: a plan of seconds
// has room for a second.
func (p *Proposer) least(ms int64) int64 {
	if _, ok := p.Plan.hurried(); ok {
		return min(ms, secondMS)
	}
	return ms
}

// busy is an instant near which the receiver calls the PSP for the sale: when its
// callback is due, when its charge is made, or when it is asked back.
func (p *Proposer) busy(st *Stream, s *sale) int64 {
	at := make([]int64, 0, 8)
	at = append(at, s.dueMS)
	if s.ours() {
		at = append(at, s.charge.CreateAtMS)
	}
	for i := range p.Plan.Refunds {
		if r := &p.Plan.Refunds[i]; r.Payment == s.ID && r.Origin == OriginMerchant {
			at = append(at, r.AtMS)
		}
	}
	return at[st.Below(uint64(len(at)))]
}

// window is a stretch of lo to hi milliseconds around the instant, inside the
// horizon: it begins before it by up to its own length, at most a minute.
func (p *Proposer) window(st *Stream, place string, aroundMS, lo, hi int64, set Change) Deviation {
	if _, ok := p.Plan.hurried(); ok {
		lo, hi = leastLiveWindowMS, mostLiveWindowMS
	}
	length := st.octave(lo, hi)
	from := max(0, aroundMS-st.Between(0, min(length-1, minuteMS)))
	to := max(from+1, min(from+length, p.Plan.HorizonMS))
	return Deviation{Target: Target{Window: &Window{Place: place, FromMS: from, ToMS: to}}, Set: set}
}

// instance draws one of the receiver's processes.
func (p *Proposer) instance(st *Stream) int {
	return int(st.Between(1, int64(p.Plan.Settings.Instances)))
}

// onCallback strikes an attempt of a payment's credit.
func onCallback(subject string, copy, attempt int, set Change) Deviation {
	return Deviation{Set: set, Target: Target{Callback: &CallbackAddress{
		Subject: subject, Notice: NoticeCredit, Copy: copy, Attempt: attempt,
	}}}
}

func onNotice(subject, notice string, set Change) Deviation {
	return Deviation{Set: set, Target: Target{Callback: &CallbackAddress{
		Subject: subject, Notice: notice, Attempt: 1,
	}}}
}

func onAPI(route, subject string, nth int, set Change) Deviation {
	return Deviation{Set: set, Target: Target{API: &APIAddress{Route: route, Subject: subject, Nth: nth}}}
}

func onPayment(subject string, set Change) Deviation {
	return Deviation{Set: set, Target: Target{Payment: subject}}
}
