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
	for n, st := range p.callbacks() {
		after := st.octave(5*minuteMS, p.left(n.dueMS))
		out = append(out, n.on(resendCopy, 1, Change{CopyAfterMS: after}))
	}
	return out
}
