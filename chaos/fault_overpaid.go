package chaos

func overpaidKind() Kind {
	return Kind{
		Name: "overpaid", Family: FamilyPayer,
		Doc:   "The payer pays more than is due and the PSP takes it.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeOverpaid,
	}
}

func proposeOverpaid(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).dynamic) {
		due := s.AmountCents
		pays := due + st.Between(1, due)
		switch st.Below(3) {
		case 0:
			pays = due + 1
		case 1:
			pays = 2 * due
		}
		out = append(out, onPayment(s.ID, Change{PayCents: pays, Lax: true}))
	}
	return out
}
