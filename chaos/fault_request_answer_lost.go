package chaos

func requestAnswerLostKind() Kind {
	return Kind{
		Name: "request_answer_lost", Family: FamilyConsumer,
		Doc:   "The receiver's answer to a request of the merchant is lost, which repeats it under the same key.",
		Mixed: Rate{1, 25}, Hostile: Rate{1, 5}, Alone: Rate{1, 2},
		Propose: proposeRequestAnswerLost,
	}
}

func proposeRequestAnswerLost(p Proposer) (out []Deviation) {
	for r := range p.asked() {
		out = append(out, onRequest(r.subject, Change{AckLost: true}))
	}
	return out
}
