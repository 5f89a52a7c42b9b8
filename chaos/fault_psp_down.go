package chaos

func pspDownKind() Kind {
	return Kind{
		Name: "psp_down", Family: FamilyAPI,
		Doc:   "The PSP refuses every call for five seconds to ten minutes.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 30}, Alone: Rate{1, 4},
		Propose: proposePspDown,
	}
}

func proposePspDown(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		around := s.dueMS
		if s.ours() && st.Chance(Rate{1, 2}) {
			around = s.charge.CreateAtMS
		}
		out = append(out, p.window(st, PlacePSP, around, 5*secondMS, 10*minuteMS, Change{Down: true}))
	}
	return out
}
