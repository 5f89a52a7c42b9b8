package chaos

func forgedKind() Kind {
	return Kind{
		Name: "forged", Family: FamilyCallback,
		Doc:   "Somebody without the key posts money that never was, before the payment or after it.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeForged,
	}
}

func proposeForged(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		set := Change{Signature: SignatureBad, SayEndToEndID: s.EndToEndID}
		if st.Chance(Rate{1, 2}) {
			set.Signature = SignatureMissing
		}
		set.AtMS = s.dueMS + st.octave(secondMS, min(2*hourMS, p.left(s.dueMS)))
		if waited := s.AtMS - s.charge.CreateAtMS; waited > 2*secondMS && st.Chance(Rate{1, 2}) {
			set.AtMS = s.charge.CreateAtMS + st.Between(secondMS, waited-1)
		}
		set.SayCents = otherCents(st, s.AmountCents)
		if st.Chance(Rate{1, 2}) {
			set.SayEndToEndID = madeUpEndToEndID(p.Plan.Start, set.AtMS, st)
			set.SayCents = s.AmountCents
		}
		out = append(out, onNotice(s.ID, NoticeForged, set))
	}
	return out
}

// otherCents is an amount that is not the given one: a cent or a random part
// off, up or down, or wrong by a factor of ten or a hundred.
func otherCents(st *Stream, cents int64) int64 {
	var other int64
	switch st.Below(6) {
	case 0:
		other = cents + 1
	case 1:
		other = cents - 1
	case 2:
		other = cents * 100
	case 3:
		other = cents / 100
	case 4:
		other = cents * 10
	default:
		other = st.Between(1, 2*cents)
	}
	if other < 1 || other == cents {
		return cents + 7
	}
	return other
}
