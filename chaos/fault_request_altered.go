package chaos

func requestAlteredKind() Kind {
	return Kind{
		Name: "request_altered", Family: FamilyConsumer,
		Doc:   "The merchant sends another amount under a key that stands for one already, 0.2 s to 6 h after the first.",
		Mixed: Rate{1, 40}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeRequestAltered,
	}
}

func proposeRequestAltered(p Proposer) (out []Deviation) {
	for r, st := range p.asked() {
		if most := min(6*hourMS, p.left(r.atMS)); most > 200 {
			out = append(out, onRequest(r.subject, Change{AlteredAfterMS: st.octave(200, most)}))
		}
	}
	return out
}
