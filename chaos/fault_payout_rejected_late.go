package chaos

func payoutRejectedLateKind() Kind {
	return Kind{
		Name: "payout_rejected_late", Family: FamilyAPI,
		Doc:   "A payout is taken, and rejected one to thirty minutes later.",
		Mixed: Rate{1, 15}, Hostile: Rate{1, 5}, Alone: Rate{1, 1},
		Propose: proposePayoutRejectedLate,
	}
}

func proposePayoutRejectedLate(p Proposer) (out []Deviation) {
	for o, st := range p.payouts() {
		out = append(out, onAPI(RoutePayoutPost, o.ID, 1, Change{RejectMS: st.octave(minuteMS, 30*minuteMS)}))
	}
	return out
}
