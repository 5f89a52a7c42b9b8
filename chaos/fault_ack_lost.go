package chaos

func ackLostKind() Kind {
	return Kind{
		Name: "ack_lost", Family: FamilyCallback,
		Doc:   "The receiver answers, but the answer is lost, one to three times running, so the PSP sends again.",
		Mixed: Rate{1, 30}, Hostile: Rate{1, 5}, Alone: Rate{1, 2},
		Propose: proposeAckLost,
	}
}

func proposeAckLost(p Proposer) (out []Deviation) {
	for n, st := range p.callbacks() {
		attempts := 1
		if st.Chance(Rate{1, 4}) {
			attempts = int(st.Between(2, 3))
		}
		for attempt := 1; attempt <= attempts; attempt++ {
			out = append(out, n.on(0, attempt, Change{AckLost: true}))
		}
	}
	return out
}
