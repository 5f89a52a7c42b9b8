package chaos

func tokenDownKind() Kind {
	return Kind{
		Name: "token_down", Family: FamilyAPI,
		Doc:   "The PSP gives out no access tokens for five seconds to ten minutes: it refuses the call, or answers 429, 500 or 503.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 30}, Alone: Rate{1, 4},
		Propose: proposeTokenDown,
	}
}

func proposeTokenDown(p Proposer) (out []Deviation) {
	codes := [...]int{429, 500, 503}
	for s, st := range p.struck((*sale).any) {
		set := Change{Down: true}
		if st.Chance(Rate{1, 2}) {
			set = Change{Status: codes[st.Below(3)]}
		}
		out = append(out, p.window(st, PlaceToken, p.busy(st, s), 5*secondMS, 10*minuteMS, set))
	}
	return out
}
