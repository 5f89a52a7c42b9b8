package chaos

func groupedKind() Kind {
	return Kind{
		Name: "grouped", Family: FamilyCallback,
		Doc:   "The items of payments due within ten seconds of each other ride in one body.",
		Mixed: Rate{1, 30}, Hostile: Rate{1, 5}, Alone: Rate{1, 2},
		Propose: proposeGrouped,
	}
}

func proposeGrouped(p Proposer) (out []Deviation) {
	leaders := map[string]*sale{}
	for s, st := range p.struck((*sale).notified) {
		leader := p.nearest(s, 10*secondMS)
		if leader == nil {
			continue
		}
		if above := leaders[leader.ID]; above != nil {
			leader = above
		}
		leaders[s.ID] = leader
		wait := max(0, s.dueMS-leader.dueMS) + st.octave(1, 20)
		out = append(out, onCallback(leader.ID, 0, 1, Change{With: []string{s.ID}, DelayMS: wait}))
	}
	return out
}
