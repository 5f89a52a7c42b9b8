package chaos

func endpointDownKind() Kind {
	return Kind{
		Name: "endpoint_down", Family: FamilyEndpoint,
		Doc:   "A webhook of the merchant's, or each, refuses everything for five seconds to two hours.",
		Mixed: Rate{1, 150}, Hostile: Rate{1, 20}, Alone: Rate{1, 4},
		Propose: proposeEndpointDown,
	}
}

func proposeEndpointDown(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, p.window(st, st.endpoint(), s.dueMS, 5*secondMS, 2*hourMS, Change{Down: true}))
	}
	return out
}
