package chaos

func dropKind() Kind {
	return Kind{
		Name: "drop", Family: FamilyCallback,
		Doc:   "A callback is lost for good while the PSP believes that it arrived.",
		Mixed: Rate{1, 40}, Hostile: Rate{1, 6}, Alone: Rate{1, 2},
		Propose: proposeDrop,
	}
}

func proposeDrop(p Proposer) (out []Deviation) {
	for n := range p.callbacks() {
		out = append(out, n.on(0, 1, Change{Drop: true}))
	}
	return out
}
