package chaos

import "iter"

// payouts walks the payouts that the kind strikes: what the receiver asks the
// PSP for, and keeps.
func (p *Proposer) payouts() iter.Seq2[*Payout, *Stream] {
	return func(yield func(*Payout, *Stream) bool) {
		st := blankStream()
		for i := range p.Plan.Payouts {
			o := &p.Plan.Payouts[i]
			st.reopen(p.Seed, "fault/", p.Kind, "/", o.ID)
			if st.Chance(p.Rate) && !yield(o, st) {
				return
			}
		}
	}
}

// payoutCalls sets the change on the first call about a payout, three times in
// four the request itself, one time in four on the second call too.
func payoutCalls(st *Stream, o *Payout, set Change) []Deviation {
	route := RoutePayoutPost
	if st.Chance(Rate{1, 4}) {
		route = RoutePayoutGet
	}
	out := []Deviation{onAPI(route, o.ID, 1, set)}
	if st.Chance(Rate{1, 4}) {
		out = append(out, onAPI(route, o.ID, 2, set))
	}
	return out
}

// payoutNotices lists the callbacks about payouts, in the order of the plan: of
// each its end, then its returns.
func payoutNotices(p *Plan) (out []notice) {
	for i := range p.Payouts {
		o := &p.Payouts[i]
		n := notice{payment: o.ID, name: NoticePayout, subject: o.ID, key: o.ID, dueMS: o.endMS() + o.NotifyAfterMS, payout: true}
		out = append(out, n)
		for k, r := range o.Returns {
			back := n
			back.name, back.key = ReturnNotice(k+1), o.ID+"/return/"+itoa(k+1)
			back.dueMS = o.endMS() + r.AfterMS + o.NotifyAfterMS
			out = append(out, back)
		}
	}
	return out
}

// pixCallbacks is callbacks without those about payouts, for kinds that bend
// what only a Pix received has.
func (p *Proposer) pixCallbacks() iter.Seq2[*notice, *Stream] {
	return func(yield func(*notice, *Stream) bool) {
		for n, st := range p.callbacks() {
			if !n.payout && !yield(n, st) {
				return
			}
		}
	}
}

// drawPayoutCommand draws a store command that holds a payout.
func drawPayoutCommand(st *Stream) string {
	return [...]string{CommandReservePayouts, CommandLeasePayouts, CommandRecordPayouts}[st.Below(3)]
}
