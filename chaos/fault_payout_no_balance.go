package chaos

func payoutNoBalanceKind() Kind {
	return Kind{
		Name: "payout_no_balance", Family: FamilyAPI,
		Doc:   "The PSP answers 422 to a payout's request: not so much is there.",
		Mixed: Rate{1, 30}, Hostile: Rate{1, 8}, Alone: Rate{1, 1},
		Propose: proposePayoutNoBalance,
	}
}

func proposePayoutNoBalance(p Proposer) (out []Deviation) {
	for o, st := range p.payouts() {
		out = append(out, onAPI(RoutePayoutPost, o.ID, drawNth(st), Change{Status: 422}))
	}
	return out
}
