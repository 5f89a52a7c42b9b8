package chaos

func api5xxAfterKind() Kind {
	return Kind{
		Name: "api_5xx_after", Family: FamilyAPI,
		Doc:   "The PSP does what was asked and answers 500, 502 or 504.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 6}, Alone: Rate{1, 2},
		Propose: proposeApi5xxAfter,
	}
}

func proposeApi5xxAfter(p Proposer) (out []Deviation) {
	codes := [...]int{500, 502, 504}
	for s, st := range p.struck((*sale).ours) {
		out = append(out, onAPI(RouteChargePut, s.charge.ID, 1, Change{StatusAfter: codes[st.Below(3)]}))
	}
	for r, st := range p.requests() {
		out = append(out, onAPI(RouteRefundPut, r.ID, 1, Change{StatusAfter: codes[st.Below(3)]}))
	}
	for o, st := range p.payouts() {
		out = append(out, onAPI(RoutePayoutPost, o.ID, 1, Change{StatusAfter: codes[st.Below(3)]}))
	}
	return out
}
