package chaos

func unknownFieldsKind() Kind {
	return Kind{
		Name: "unknown_fields", Family: FamilyCallback,
		Doc:   "The body carries members that nobody knows: nested ones, and numbers over 2^53.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeUnknownFields,
	}
}

func proposeUnknownFields(p Proposer) (out []Deviation) {
	for n := range p.pixCallbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeUnknownFields}}))
	}
	return out
}
