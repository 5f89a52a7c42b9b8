package chaos

func stormKind() Kind {
	return Kind{
		Name: "storm", Family: FamilyCallback,
		Doc:   "Twenty to sixty copies of one callback arrive within seconds, an hour or more later.",
		Mixed: Rate{1, 400}, Hostile: Rate{1, 40}, Alone: Rate{1, 4},
		Propose: proposeStorm,
	}
}

func proposeStorm(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		if p.left(s.dueMS) < hourMS {
			continue
		}
		after := st.octave(hourMS, p.left(s.dueMS))
		for i := range int(st.Between(20, 60)) {
			after += st.Between(0, 50)
			out = append(out, onCallback(s.ID, stormCopy+i, 1, Change{CopyAfterMS: after}))
		}
	}
	return out
}
