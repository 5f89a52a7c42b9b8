package chaos

func unknownEnumsKind() Kind {
	return Kind{
		Name: "unknown_enums", Family: FamilyCallback,
		Doc:   "The body carries a refund of a nature and a status that nobody knows.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeUnknownEnums,
	}
}

func proposeUnknownEnums(p Proposer) (out []Deviation) {
	for n := range p.pixCallbacks() {
		out = append(out, n.on(0, 1, Change{Shape: []string{ShapeUnknownEnums}}))
	}
	return out
}
