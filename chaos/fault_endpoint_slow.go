package chaos

func endpointSlowKind() Kind {
	return Kind{
		Name: "endpoint_slow", Family: FamilyEndpoint,
		Doc:   "A webhook of the merchant's, or each, takes a second to a minute to answer, for a minute to two hours.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 15}, Alone: Rate{1, 4},
		Propose: proposeEndpointSlow,
	}
}

func proposeEndpointSlow(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		set := Change{SlowMS: st.octave(secondMS, minuteMS)}
		out = append(out, p.window(st, st.endpoint(), s.dueMS, minuteMS, 2*hourMS, set))
	}
	return out
}
