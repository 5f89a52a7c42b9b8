package chaos

import "iter"

// request is something that the merchant asks the receiver for under a key: a
// charge, or a refund.
type request struct {
	subject string
	atMS    int64
}

// requestsOf lists the requests of a plan, charges first.
func requestsOf(p *Plan) []request {
	out := make([]request, 0, len(p.Charges)+len(p.Refunds))
	for i := range p.Charges {
		if c := &p.Charges[i]; !c.Elsewhere {
			out = append(out, request{c.ID, c.CreateAtMS})
		}
	}
	for i := range p.Refunds {
		if r := &p.Refunds[i]; r.Origin == OriginMerchant {
			out = append(out, request{r.ID, r.AtMS})
		}
	}
	return out
}

// asked walks the requests that the kind strikes, as [Proposer.struck] walks
// payments.
func (p *Proposer) asked() iter.Seq2[request, *Stream] {
	return func(yield func(request, *Stream) bool) {
		st := blankStream()
		for _, r := range requestsOf(p.Plan) {
			st.reopen(p.Seed, "fault/", p.Kind, "/", r.subject)
			if st.Chance(p.Rate) && !yield(r, st) {
				return
			}
		}
	}
}

func onRequest(subject string, set Change) Deviation {
	return Deviation{Set: set, Target: Target{Request: subject}}
}
