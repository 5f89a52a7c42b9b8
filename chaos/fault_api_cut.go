package chaos

func apiCutKind() Kind {
	return Kind{
		Name: "api_cut", Family: FamilyAPI,
		Doc:   "The PSP does what was asked and closes the connection without an answer.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 6}, Alone: Rate{1, 2},
		Propose: proposeApiCut,
	}
}

func proposeApiCut(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, apiCalls(st, s, Change{Cut: true})...)
	}
	for r, st := range p.requests() {
		out = append(out, refundCalls(st, r, Change{Cut: true})...)
	}
	for o, st := range p.payouts() {
		out = append(out, payoutCalls(st, o, Change{Cut: true})...)
	}
	return out
}
