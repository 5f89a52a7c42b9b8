package chaos

func truncatedKind() Kind {
	return Kind{
		Name: "truncated", Family: FamilyCallback,
		Doc:   "The body of a callback ends in the middle, once or twice running.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeTruncated,
	}
}

func proposeTruncated(p Proposer) (out []Deviation) {
	for n, st := range p.callbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeTruncated}}))
		if st.Chance(Rate{1, 4}) {
			out = append(out, n.on(0, 2, Change{Shape: []string{ShapeTruncated}}))
		}
	}
	return out
}
