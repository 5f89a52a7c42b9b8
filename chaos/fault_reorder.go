package chaos

func reorderKind() Kind {
	return Kind{
		Name: "reorder", Family: FamilyCallback,
		Doc:   "A callback is held until that of a payment due up to ten minutes later has left.",
		Mixed: Rate{1, 25}, Hostile: Rate{1, 4}, Alone: Rate{1, 2},
		Propose: proposeReorder,
	}
}

func proposeReorder(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		first, second := p.nearest(s, 10*minuteMS), s
		if first == nil {
			continue
		}
		if second.dueMS < first.dueMS {
			first, second = second, first
		}
		hold := second.dueMS - first.dueMS + st.octave(5, 2*secondMS)
		out = append(out, onCallback(first.ID, 0, 1, Change{DelayMS: hold, Behind: second.ID}))
	}
	return out
}
