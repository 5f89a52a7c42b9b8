package chaos

func duplicateKind() Kind {
	return Kind{
		Name: "duplicate", Family: FamilyCallback,
		Doc:   "A callback is sent one to three times more, at once or spaced by up to half an hour.",
		Mixed: Rate{1, 15}, Hostile: Rate{1, 4}, Alone: Rate{1, 2},
		Propose: proposeDuplicate,
	}
}

func proposeDuplicate(p Proposer) (out []Deviation) {
	for n, st := range p.callbacks() {
		copies, together := int(st.Between(1, 3)), st.Chance(Rate{1, 2})
		for copy := 1; copy <= copies; copy++ {
			after := int64(1)
			if !together {
				after = st.octave(50, 30*minuteMS)
			}
			out = append(out, n.on(copy, 1, Change{CopyAfterMS: after}))
		}
	}
	return out
}
