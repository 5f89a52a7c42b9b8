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
	for n, st := range p.callbacks() {
		if p.left(n.dueMS) < hourMS {
			continue
		}
		after := st.octave(hourMS, p.left(n.dueMS))
		for i := range int(st.Between(20, 60)) {
			after += st.Between(0, 50)
			out = append(out, n.on(stormCopy+i, 1, Change{CopyAfterMS: after}))
		}
	}
	return out
}
