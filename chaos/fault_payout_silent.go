package chaos

// silentCalls is how many answers in a row are lost: more than a receiver that
// pauses ever longer needs to outlast the shortest life of a key.
const silentCalls = 14

func payoutSilentKind() Kind {
	return Kind{
		Name: "payout_silent", Family: FamilyAPI,
		Doc:   "A payout is taken, no answer to its request comes through, however often it is repeated, and for 12 to 20 minutes no query finds it.",
		Mixed: Rate{1, 20}, Hostile: Rate{1, 8}, Alone: Rate{1, 1},
		Propose: proposePayoutSilent,
	}
}

func proposePayoutSilent(p Proposer) (out []Deviation) {
	for o, st := range p.payouts() {
		hide := st.Between(12*minuteMS, hiddenRefundMS)
		for nth := range silentCalls {
			set := Change{Cut: true}
			if nth == 0 {
				set.HideMS = hide
			}
			out = append(out, onAPI(RoutePayoutPost, o.ID, nth+1, set))
		}
	}
	return out
}
