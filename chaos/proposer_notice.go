package chaos

import "iter"

// notice is a callback that the PSP will owe: of a credit, of a refund's end, or
// of one of a MED case's returns.
type notice struct {
	payment string // of whose Pix it tells
	name    string // in addresses, such as "refund/r30"
	subject string // what it tells of: "p3", "r30" or "m30"
	key     string // in paths of streams: the subject, with the number of a further return
	dueMS   int64
	part    int  // of a MED case's returns, from 1; else 0
	payout  bool // it tells of a payout: payment is then the payout
}

// parts is how many returns of a MED case faults strike. A second one is made
// only where the balance did not do for the first.
const parts = 2

// noticesOf lists the credits in the order of the plan, then the refunds, then
// the returns of accepted cases, then payouts. A Pix to the bare key has none.
func noticesOf(p *Plan, sales []sale) []notice {
	out := make([]notice, 0, len(sales)+len(p.Refunds)+parts*len(p.Disputes))
	told := make(map[string]bool, len(sales))
	for i := range sales {
		if s := &sales[i]; s.notified() {
			told[s.ID] = true
			out = append(out, notice{payment: s.ID, name: NoticeCredit, subject: s.ID, key: s.ID, dueMS: s.dueMS})
		}
	}
	for i := range p.Refunds {
		if r := &p.Refunds[i]; told[r.Payment] {
			out = append(out, notice{payment: r.Payment, name: RefundNotice(r.ID), subject: r.ID, key: r.ID,
				dueMS: r.AtMS + r.SettleAfterMS + r.NotifyAfterMS})
		}
	}
	for i := range p.Disputes {
		d := &p.Disputes[i]
		for part := 1; part <= parts && d.Outcome == DisputeAccepted && told[d.Payment]; part++ {
			out = append(out, notice{payment: d.Payment, name: DisputeNotice(d.ID, part), subject: d.ID,
				key: d.ID + "/" + itoa(part), dueMS: d.ReportAtMS + d.DecideAfterMS + d.NotifyAfterMS, part: part})
		}
	}
	return append(out, payoutNotices(p)...)
}

// callbacks walks the notices that the kind strikes, as [Proposer.struck] walks
// payments. A second return, which is seldom made, is struck a quarter as often.
func (p *Proposer) callbacks() iter.Seq2[*notice, *Stream] {
	p.look()
	return func(yield func(*notice, *Stream) bool) {
		st := blankStream()
		for i := range p.view.notices {
			n, rate := &p.view.notices[i], p.Rate
			if n.part > 1 {
				rate.Of *= 4
			}
			st.reopen(p.Seed, "fault/", p.Kind, "/", n.key)
			if st.Chance(rate) && !yield(n, st) {
				return
			}
		}
	}
}

// requests walks the merchant's refunds that the kind strikes: those are what
// the receiver asks the PSP for, and keeps.
func (p *Proposer) requests() iter.Seq2[*Refund, *Stream] {
	return func(yield func(*Refund, *Stream) bool) {
		st := blankStream()
		for i := range p.Plan.Refunds {
			r := &p.Plan.Refunds[i]
			if r.Origin != OriginMerchant {
				continue
			}
			st.reopen(p.Seed, "fault/", p.Kind, "/", r.ID)
			if st.Chance(p.Rate) && !yield(r, st) {
				return
			}
		}
	}
}

// before is the notice of the same Pix that is due last before n, nil when n is
// the first. Further returns of MED cases are left out, since nobody can tell
// when they come. No two notices have the same one before them.
func (p *Proposer) before(n *notice) *notice {
	var last *notice
	past := false // whether the walk is past n, which breaks ties
	for i := range p.view.notices {
		q := &p.view.notices[i]
		if q == n {
			past = true
		}
		if q == n || q.payment != n.payment || q.part > 1 || n.part > 1 || q.dueMS > n.dueMS || past && q.dueMS == n.dueMS {
			continue
		}
		if last == nil || q.dueMS >= last.dueMS {
			last = q
		}
	}
	return last
}

// on is a deviation at one attempt of the notice.
func (n *notice) on(copy, attempt int, set Change) Deviation {
	return Deviation{Set: set, Target: Target{Callback: &CallbackAddress{
		Subject: n.payment, Notice: n.name, Copy: copy, Attempt: attempt,
	}}}
}
