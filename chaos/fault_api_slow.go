package chaos

func apiSlowKind() Kind {
	return Kind{
		Name: "api_slow", Family: FamilyAPI,
		Doc:   "An answer of the PSP takes 0.2 s to 90 s.",
		Mixed: Rate{1, 40}, Hostile: Rate{1, 5}, Alone: Rate{1, 2},
		Propose: proposeApiSlow,
	}
}

func proposeApiSlow(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, apiCalls(st, s, Change{SlowMS: st.octave(200, 90*secondMS)})...)
	}
	for r, st := range p.requests() {
		out = append(out, refundCalls(st, r, Change{SlowMS: st.octave(200, 90*secondMS)})...)
	}
	for o, st := range p.payouts() {
		out = append(out, payoutCalls(st, o, Change{SlowMS: st.octave(200, 90*secondMS)})...)
	}
	return out
}

// apiCalls sets the change on the first call of one route about the sale, one
// time in four on the second call too. The making of a charge comes first:
// every charge of ours calls it.
func apiCalls(st *Stream, s *sale, set Change) []Deviation {
	route, subject := RoutePixGet, s.ID
	if s.ours() {
		switch n := st.Below(5); {
		case n < 3:
			route, subject = RouteChargePut, s.charge.ID
		case n < 4:
			route, subject = RouteChargeGet, s.charge.ID
		}
	}
	out := []Deviation{onAPI(route, subject, 1, set)}
	if st.Chance(Rate{1, 4}) {
		out = append(out, onAPI(route, subject, 2, set))
	}
	return out
}

// refundCalls sets the change on the first call about a refund, three times in
// four the request itself, one time in four on the second call too.
func refundCalls(st *Stream, r *Refund, set Change) []Deviation {
	route := RouteRefundPut
	if st.Chance(Rate{1, 4}) {
		route = RouteRefundGet
	}
	out := []Deviation{onAPI(route, r.ID, 1, set)}
	if st.Chance(Rate{1, 4}) {
		out = append(out, onAPI(route, r.ID, 2, set))
	}
	return out
}
