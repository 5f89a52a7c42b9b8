package chaos

func secondPaymentKind() Kind {
	return Kind{
		Name: "second_payment", Family: FamilyPayer,
		Doc:   "The payer pays a charge that somebody has paid already and the PSP takes it.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeSecondPayment,
	}
}

func proposeSecondPayment(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).dynamic) {
		var paid []*Charge
		for _, q := range p.lower(s) {
			if q.dynamic() && q.AtMS < s.AtMS {
				paid = append(paid, q.charge)
			}
		}
		if len(paid) == 0 {
			continue
		}
		c := paid[st.Below(uint64(len(paid)))]
		out = append(out, onPayment(s.ID, Change{PayCharge: c.ID, PayCents: c.AmountCents, Lax: true}))
	}
	return out
}
