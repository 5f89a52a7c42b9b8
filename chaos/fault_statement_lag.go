package chaos

func statementLagKind() Kind {
	return Kind{
		Name: "statement_lag", Family: FamilyAPI,
		Doc:   "Settled Pix appear in the list, in the account statement or in both up to half an hour late.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 20}, Alone: Rate{1, 4},
		Propose: proposeStatementLag,
	}
}

func proposeStatementLag(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		set := Change{LagMS: st.octave(minuteMS, 30*minuteMS)}
		n := st.Below(3)
		if n != 0 {
			out = append(out, p.window(st, PlaceStatement, s.AtMS, 10*minuteMS, 2*hourMS, set))
		}
		if n != 1 {
			out = append(out, p.window(st, PlaceList, s.AtMS, 10*minuteMS, 2*hourMS, set))
		}
	}
	return out
}
