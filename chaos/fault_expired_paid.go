package chaos

func expiredPaidKind() Kind {
	return Kind{
		Name: "expired_paid", Family: FamilyPayer,
		Doc:   "The payer pays a minute to an hour after the charge expired and the PSP takes it.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 8}, Alone: Rate{1, 1},
		Propose: proposeExpiredPaid,
	}
}

func proposeExpiredPaid(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).dynamic) {
		expiry := s.charge.CreateAtMS + s.charge.ExpiresInS*secondMS
		if p.left(expiry) < minuteMS {
			continue
		}
		late := st.octave(minuteMS, min(hourMS, p.left(expiry)))
		out = append(out, onPayment(s.ID, Change{PayAtMS: expiry + late, Lax: true}))
	}
	return out
}
