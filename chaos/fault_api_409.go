package chaos

func api409Kind() Kind {
	return Kind{
		Name: "api_409", Family: FamilyAPI,
		Doc:   "The PSP answers 409 to the request of a refund or a payout, as if the same one were in flight, and does nothing.",
		Mixed: Rate{1, 20}, Hostile: Rate{1, 5}, Alone: Rate{1, 1},
		Propose: proposeApi409,
	}
}

func proposeApi409(p Proposer) (out []Deviation) {
	for r, st := range p.requests() {
		out = append(out, onAPI(RouteRefundPut, r.ID, drawNth(st), Change{Status: 409}))
	}
	for o, st := range p.payouts() {
		out = append(out, onAPI(RoutePayoutPost, o.ID, drawNth(st), Change{Status: 409}))
	}
	return out
}
