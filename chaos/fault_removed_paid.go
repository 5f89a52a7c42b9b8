package chaos

func removedPaidKind() Kind {
	return Kind{
		Name: "removed_paid", Family: FamilyPayer,
		Doc:   "The merchant removes a charge, and 0.2 s to five minutes later it is paid all the same.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 12}, Alone: Rate{1, 2},
		Propose: proposeRemovedPaid,
	}
}

func proposeRemovedPaid(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).ours) {
		waited := s.AtMS - s.charge.CreateAtMS
		if waited < 4*secondMS {
			continue
		}
		before := st.octave(200, min(5*minuteMS, waited-2*secondMS))
		out = append(out, onPayment(s.ID, Change{RemoveAtMS: s.AtMS - before, Lax: true}))
	}
	return out
}
