package chaos

func api5xxKind() Kind {
	return Kind{
		Name: "api_5xx", Family: FamilyAPI,
		Doc:   "The PSP answers 500, 502, 503 or 504 and does nothing.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 6}, Alone: Rate{1, 2},
		Propose: proposeApi5xx,
	}
}

func proposeApi5xx(p Proposer) (out []Deviation) {
	codes := [...]int{500, 502, 503, 504}
	for s, st := range p.struck((*sale).any) {
		out = append(out, apiCalls(st, s, Change{Status: codes[st.Below(4)]})...)
	}
	for r, st := range p.requests() {
		out = append(out, refundCalls(st, r, Change{Status: codes[st.Below(4)]})...)
	}
	for o, st := range p.payouts() {
		out = append(out, payoutCalls(st, o, Change{Status: codes[st.Below(4)]})...)
	}
	return out
}
