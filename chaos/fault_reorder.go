package chaos

func reorderKind() Kind {
	return Kind{
		Name: "reorder", Family: FamilyCallback,
		Doc:   "A callback is held until that of a payment due up to ten minutes later, or a later one of the same Pix, has left.",
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
	return append(out, reorderOwn(p)...)
}

// reorderOwn holds a callback until the next one of the same Pix has left: the
// credit until the end of a refund is told, say. The streams of credits serve
// payments set against each other.
func reorderOwn(p Proposer) (out []Deviation) {
	for second, st := range p.callbacks() {
		first := p.before(second)
		if first == nil || second.name == NoticeCredit || second.dueMS-first.dueMS > 6*hourMS {
			continue
		}
		hold := second.dueMS - first.dueMS + st.octave(5, 2*secondMS)
		out = append(out, first.on(0, 1, Change{DelayMS: hold, Behind: second.subject}))
	}
	return out
}
