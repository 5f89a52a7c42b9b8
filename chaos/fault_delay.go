package chaos

func delayKind() Kind {
	return Kind{
		Name: "delay", Family: FamilyCallback,
		Doc:   "The first attempt of a callback leaves a second to six hours late.",
		Mixed: Rate{1, 20}, Hostile: Rate{1, 4}, Alone: Rate{1, 2},
		Propose: proposeDelay,
	}
}

func proposeDelay(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		late := st.octave(secondMS, min(6*hourMS, p.left(s.dueMS)))
		out = append(out, onCallback(s.ID, 0, 1, Change{DelayMS: late}))
	}
	return out
}
