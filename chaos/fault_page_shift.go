package chaos

func pageShiftKind() Kind {
	return Kind{
		Name: "page_shift", Family: FamilyAPI,
		Doc:   "Rows move between two pages of the list while it is being read.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 20}, Alone: Rate{1, 4},
		Propose: proposePageShift,
	}
}

func proposePageShift(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, p.window(st, PlaceList, s.AtMS, 20*minuteMS, 2*hourMS, Change{Shift: true}))
	}
	return out
}
