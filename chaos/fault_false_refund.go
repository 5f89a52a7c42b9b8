package chaos

func falseRefundKind() Kind {
	return Kind{
		Name: "false_refund", Family: FamilyCallback,
		Doc:   "A validly signed callback tells of a refund that never was: for more than the Pix, or within it.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeFalseRefund,
	}
}

func proposeFalseRefund(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		set := Change{SayRefundCents: s.AmountCents + st.octave(1, s.AmountCents)}
		if st.Chance(Rate{1, 2}) {
			set.SayRefundCents = st.Between(1, s.AmountCents)
		}
		set.SayRefundID = st.Text(32)
		if st.Chance(Rate{1, 3}) {
			set.SayRefundID = "F" + itoa(int(st.Between(1, 9)))
		}
		set.AtMS = s.AtMS + st.octave(secondMS, min(8*hourMS, p.left(s.AtMS)))
		out = append(out, onNotice(s.ID, NoticeFalseRefund, set))
	}
	return out
}
