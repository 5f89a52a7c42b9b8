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
	for n, st := range p.callbacks() {
		late := st.octave(secondMS, min(6*hourMS, p.left(n.dueMS)))
		out = append(out, n.on(0, 1, Change{DelayMS: late}))
	}
	return out
}
