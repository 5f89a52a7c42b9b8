package chaos

func tokenExpiredKind() Kind {
	return Kind{
		Name: "token_expired", Family: FamilyAPI,
		Doc:   "The PSP refuses the access tokens that it gave out before, for a minute to an hour; new ones are good.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 15}, Alone: Rate{1, 4},
		Propose: proposeTokenExpired,
	}
}

func proposeTokenExpired(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, p.window(st, PlaceToken, p.busy(st, s), minuteMS, hourMS, Change{Revoked: true}))
	}
	return out
}
