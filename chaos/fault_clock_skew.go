package chaos

func clockSkewKind() Kind {
	return Kind{
		Name: "clock_skew", Family: FamilyReceiver,
		Doc:   "The clock of one process is up to ten minutes ahead or behind, for ten minutes to six hours.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 30}, Alone: Rate{1, 4},
		Propose: proposeClockSkew,
	}
}

func proposeClockSkew(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		place := InstancePlace(p.instance(st), PlaceClock)
		skew := st.octave(200, 10*minuteMS)
		if st.Chance(Rate{1, 2}) {
			skew = -skew
		}
		out = append(out, p.window(st, place, s.dueMS, 10*minuteMS, 6*hourMS, Change{SkewMS: skew}))
	}
	return out
}
