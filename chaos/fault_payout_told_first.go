package chaos

func payoutToldFirstKind() Kind {
	return Kind{
		Name: "payout_told_first", Family: FamilyAPI,
		Doc:   "The answer to a payout's request is held until the callback of its end has left.",
		Mixed: Rate{1, 15}, Hostile: Rate{1, 4}, Alone: Rate{1, 1},
		Propose: proposePayoutToldFirst,
	}
}

func proposePayoutToldFirst(p Proposer) (out []Deviation) {
	for o, st := range p.payouts() {
		end := o.SettleAfterMS + o.NotifyAfterMS
		out = append(out, onAPI(RoutePayoutPost, o.ID, 1, Change{SlowMS: end + st.octave(50, 4*secondMS)}))
	}
	return out
}
