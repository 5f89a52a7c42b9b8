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

// reorderOwn holds a callback until a later one of the same Pix has left: the
// credit until the end of a refund is told, say. Each is held once at most.
func reorderOwn(p Proposer) (out []Deviation) {
	held := map[*notice]bool{}
	for second, st := range p.callbacks() {
		first := p.earlier(second, 6*hourMS)
		if second.name == NoticeCredit || second.part > 1 || len(first) == 0 {
			continue
		}
		n := first[st.Below(uint64(len(first)))]
		if held[n] {
			continue
		}
		held[n] = true
		hold := second.dueMS - n.dueMS + st.octave(5, 2*secondMS)
		out = append(out, n.on(0, 1, Change{DelayMS: hold, Behind: second.subject}))
	}
	return out
}
