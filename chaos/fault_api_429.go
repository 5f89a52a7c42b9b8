package chaos

func api429Kind() Kind {
	return Kind{
		Name: "api_429", Family: FamilyAPI,
		Doc:   "The PSP answers 429 with a Retry-After.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeApi429,
	}
}

func proposeApi429(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, apiCalls(st, s, Change{Status: 429})...)
	}
	for r, st := range p.requests() {
		out = append(out, refundCalls(st, r, Change{Status: 429})...)
	}
	for o, st := range p.payouts() {
		out = append(out, payoutCalls(st, o, Change{Status: 429})...)
	}
	return out
}
