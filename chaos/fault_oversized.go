package chaos

func oversizedKind() Kind {
	return Kind{
		Name: "oversized", Family: FamilyCallback,
		Doc:   "The body of a callback is larger than the receiver reads.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 20}, Alone: Rate{1, 2},
		Propose: proposeOversized,
	}
}

func proposeOversized(p Proposer) (out []Deviation) {
	for n := range p.callbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeOversized}}))
	}
	return out
}
