package chaos

func phantomKind() Kind {
	return Kind{
		Name: "phantom", Family: FamilyCallback,
		Doc:   "A validly signed callback tells of a Pix that never settles: for a charge still open and exactly what is due, for one already paid, or for a txid that nobody made.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposePhantom,
	}
}

func proposePhantom(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		set := Change{SayCents: s.AmountCents}
		set.AtMS = s.dueMS + st.octave(secondMS, min(2*hourMS, p.left(s.dueMS)))
		waited := s.AtMS - s.charge.CreateAtMS
		switch n := st.Below(4); {
		case n < 2 && waited > 3*secondMS:
			set.AtMS = s.charge.CreateAtMS + st.Between(2*secondMS, waited-1)
		case n < 3:
			set.SayTxID = st.Text(32)
		}
		set.SayEndToEndID = madeUpEndToEndID(p.Plan.Start, set.AtMS, st)
		out = append(out, onNotice(s.ID, NoticePhantom, set))
	}
	return out
}
