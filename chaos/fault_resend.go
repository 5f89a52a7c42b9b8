package chaos

func resendKind() Kind {
	return Kind{
		Name: "resend", Family: FamilyCallback,
		Doc:   "The PSP tells of an old payment once more, newly signed, minutes to hours later.",
		Mixed: Rate{1, 60}, Hostile: Rate{1, 8}, Alone: Rate{1, 2},
		Propose: proposeResend,
	}
}

func proposeResend(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).notified) {
		after := st.octave(5*minuteMS, p.left(s.dueMS))
		out = append(out, onCallback(s.ID, resendCopy, 1, Change{CopyAfterMS: after}))
	}
	return out
}
