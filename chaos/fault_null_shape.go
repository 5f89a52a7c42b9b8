package chaos

func nullShapeKind() Kind {
	return Kind{
		Name: "null_shape", Family: FamilyCallback,
		Doc:   "Optional members of the body are present and null.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeNullShape,
	}
}

func proposeNullShape(p Proposer) (out []Deviation) {
	for n := range p.pixCallbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeNulls}}))
	}
	return out
}
