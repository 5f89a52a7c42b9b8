package chaos

func alteredKind() Kind {
	return Kind{
		Name: "altered", Family: FamilyCallback,
		Doc:   "A validly signed callback states another amount than the one that settled; one in four states what is due while the payer paid something else.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeAltered,
	}
}

func proposeAltered(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		say := otherCents(st, s.AmountCents)
		if s.dynamic() && st.Chance(Rate{1, 4}) {
			out = append(out, onPayment(s.ID, Change{PayCents: say, Lax: true}))
			say = s.AmountCents
		}
		out = append(out, onCallback(s.ID, 0, 1, Change{SayCents: say}))
	}
	return out
}
