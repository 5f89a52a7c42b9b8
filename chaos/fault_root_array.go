package chaos

func rootArrayKind() Kind {
	return Kind{
		Name: "root_array", Family: FamilyCallback,
		Doc:   "The body is the bare array, as one PSP sends it, in place of the object around it.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeRootArray,
	}
}

func proposeRootArray(p Proposer) (out []Deviation) {
	for n := range p.pixCallbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeRootArray}}))
	}
	return out
}
