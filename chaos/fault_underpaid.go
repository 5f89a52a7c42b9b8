package chaos

func underpaidKind() Kind {
	return Kind{
		Name: "underpaid", Family: FamilyPayer,
		Doc:   "The payer pays less than is due and the PSP takes it.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeUnderpaid,
	}
}

func proposeUnderpaid(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).dynamic) {
		due := s.AmountCents
		if due < 2 {
			continue
		}
		pays := st.Between(1, due-1)
		switch st.Below(3) {
		case 0:
			pays = due - 1
		case 1:
			pays = max(1, due/100)
		}
		out = append(out, onPayment(s.ID, Change{PayCents: pays, Lax: true}))
	}
	return out
}
