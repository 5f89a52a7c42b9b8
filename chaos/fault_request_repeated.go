package chaos

func requestRepeatedKind() Kind {
	return Kind{
		Name: "request_repeated", Family: FamilyConsumer,
		Doc:   "The merchant sends a request once more under the same key, at once or up to 30 hours later.",
		Mixed: Rate{1, 15}, Hostile: Rate{1, 4}, Alone: Rate{1, 2},
		Propose: proposeRequestRepeated,
	}
}

// repeatMS is the latest repeat: past the day for which answers are kept.
const repeatMS = 30 * hourMS

// proposeRequestRepeated sends one repeat in three at once, so that two processes
// may have the same key in hand, and one in twenty-five when no answer is kept
// any more.
func proposeRequestRepeated(p Proposer) (out []Deviation) {
	for r, st := range p.asked() {
		after := int64(1)
		if most := min(repeatMS, p.left(r.atMS)); st.Chance(Rate{2, 3}) && most > 200 {
			after = st.octave(200, most)
		}
		if _, hurried := p.Plan.hurried(); !hurried && st.Chance(Rate{1, 25}) {
			after = st.Between(DayMS+minuteMS, repeatMS) // whatever the horizon
		}
		out = append(out, onRequest(r.subject, Change{AgainAfterMS: after}))
	}
	return out
}
