package chaos

func payoutReturnedKind() Kind {
	return Kind{
		Name: "payout_returned", Family: FamilyAPI,
		Doc:   "A confirmed payout comes back, whole or in part, one to thirty minutes later.",
		Mixed: Rate{1, 15}, Hostile: Rate{1, 5}, Alone: Rate{1, 1},
		Propose: proposePayoutReturned,
	}
}

func proposePayoutReturned(p Proposer) (out []Deviation) {
	for o, st := range p.payouts() {
		set := Change{ReturnMS: st.octave(minuteMS, 30*minuteMS), ReturnCents: o.AmountCents}
		if st.Chance(Rate{1, 2}) {
			set.ReturnCents = st.Between(1, o.AmountCents)
		}
		out = append(out, onAPI(RoutePayoutPost, o.ID, 1, set))
	}
	return out
}
