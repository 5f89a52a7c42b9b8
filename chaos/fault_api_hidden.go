package chaos

// hiddenRefundMS is the longest that a refund or a payout is hidden from a GET. A receiver
// takes "not found" for proof only after an hour.
const hiddenRefundMS = 20 * minuteMS

func apiHiddenKind() Kind {
	return Kind{
		Name: "api_hidden", Family: FamilyAPI,
		Doc:   "The PSP answers 404 to a GET of what it has for half a second to five minutes after the effect, of a refund or a payout for up to twenty.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeApiHidden,
	}
}

func proposeApiHidden(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		set := Change{HideMS: st.octave(500, 5*minuteMS)}
		if s.ours() && st.Chance(Rate{1, 2}) {
			out = append(out, onAPI(RouteChargeGet, s.charge.ID, 1, set))
			continue
		}
		out = append(out, onAPI(RoutePixGet, s.ID, 1, set))
	}
	for r, st := range p.requests() {
		set := Change{HideMS: st.octave(500, hiddenRefundMS)}
		for nth := range int(st.Between(1, 4)) {
			out = append(out, onAPI(RouteRefundGet, r.ID, nth+1, set))
		}
	}
	for o, st := range p.payouts() {
		set := Change{HideMS: st.octave(500, hiddenRefundMS)}
		if st.Chance(Rate{1, 2}) {
			out = append(out, onAPI(RoutePayoutPost, o.ID, 1, set))
			continue
		}
		for nth := range int(st.Between(1, 4)) {
			out = append(out, onAPI(RoutePayoutGet, o.ID, nth+1, set))
		}
	}
	return out
}
