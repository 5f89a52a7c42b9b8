package fakepsp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// payoutKeyHeader names the header of a payout's own key.
const payoutKeyHeader = "Idempotency-Key"

// maxPayoutKey bounds the key, in bytes.
const maxPayoutKey = 255

// postPayout takes a payout: 201 and the payout as it stands, the same for the
// same key and body while the key is good. 400 is a request that is none, 422
// one that cannot be: not enough balance, or a key that stands for another body.
func postPayout(p *PSP, c *call) Reply {
	key := c.request.Header.Get(payoutKeyHeader)
	if !printable(key) {
		return problem(pix.ProblemInvalidRequest, "", pix.Violation{
			Reason: "want 1 to 255 printable characters of ASCII", Property: payoutKeyHeader, Value: key,
		})
	}
	r, found := pix.ParsePayoutRequest(c.body)
	if len(found) > 0 {
		return problem(pix.ProblemInvalidRequest, "", found...)
	}
	if known, ok := p.knownKey(key, c.now); ok {
		if known.request != r {
			return unprocessable("the key stands for another payout", payoutKeyHeader, key)
		}
		row, _ := p.truth.Payout(known.id)
		return answer(http.StatusCreated, row.Payout)
	}
	key = strings.Clone(key)
	row, refused, err := p.takePayout(key, r, p.termsOf(c, key), c.now)
	switch {
	case refused != nil:
		return unprocessable(refused.Reason, "pagamento.valor", r.Amount.String())
	case err != nil:
		return problem(pix.ProblemInternal, err.Error())
	}
	if s := p.payouts.state[row.EndToEndID]; s != nil { // nil where a broken truth lost it
		c.hideEffect(&s.hiding)
	}
	return answer(http.StatusCreated, row.Payout)
}

// termsOf are the plan's terms of a payout, changed by what strikes the call
// that begins it.
func (p *PSP) termsOf(c *call, key string) PayoutTerms {
	t := p.cfg.PayoutTerms(key)
	for _, m := range c.faults.list {
		ch := m.Change
		if ch.RejectMS > 0 {
			t.Rejects, t.SettleAfter = true, time.Duration(ch.RejectMS)*time.Millisecond
		}
		if ch.ReturnMS > 0 && ch.ReturnCents > 0 {
			after := time.Duration(ch.ReturnMS) * time.Millisecond
			t.Returns = append(t.Returns[:len(t.Returns):len(t.Returns)], ReturnTerms{After: after, Amount: pix.Amount(ch.ReturnCents)})
		}
		if ch.RejectMS > 0 || ch.ReturnMS > 0 {
			c.faults.fired = true
			p.fire(m.From)
		}
	}
	return t
}

func printable(key string) bool {
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxPayoutKey
}

// unprocessable is a 422, which API Pix does not know.
func unprocessable(reason, property, value string) Reply {
	problem := pix.NewProblem(pix.ProblemInvalidRequest, reason, pix.Violation{Reason: reason, Property: property, Value: value})
	problem.Status = http.StatusUnprocessableEntity
	return writeProblem(problem)
}

// getPayoutByKey shows the payout that was taken last under a key, however old.
func getPayoutByKey(p *PSP, c *call) Reply {
	return p.showPayout(c, p.payouts.keys[c.vars["key"]].id)
}

// getPayout shows a payout by its endToEndId.
func getPayout(p *PSP, c *call) Reply { return p.showPayout(c, pix.EndToEndID(c.vars["e2eid"])) }

func (p *PSP) showPayout(c *call, id pix.EndToEndID) Reply {
	row, ok := p.truth.Payout(id)
	if !ok {
		return problem(pix.ProblemNotFound, "no such payout")
	}
	if reply, hidden := p.hidden(c, row.RequestedAt, pix.ProblemNotFound); hidden {
		return reply
	}
	if p.hides(c, p.payouts.state[id].hiding) {
		return problem(pix.ProblemNotFound, "no such payout")
	}
	return answer(http.StatusOK, row.Payout)
}

// lookUpPayee hands out the endToEndId of a payout to a key, where this PSP does
// so; elsewhere there is no such resource.
func lookUpPayee(p *PSP, c *call) Reply {
	if p.cfg.PayoutIDs != PayoutIDsLookup {
		return problem(pix.ProblemNotFound, "no such resource: "+c.request.URL.Path)
	}
	to, err := pix.ParsePixKey(strings.Clone(c.vars["chave"]))
	if err != nil {
		return problem(pix.ProblemInvalidRequest, err.Error())
	}
	p.payouts.lookups++
	id, err := p.newEndToEndID(string(to)+"/"+pix.FormatTime(c.now)+"/"+strconv.Itoa(p.payouts.lookups), c.now)
	if err != nil {
		return problem(pix.ProblemInternal, err.Error())
	}
	if p.payouts.handedOut == nil {
		p.payouts.handedOut = map[pix.EndToEndID]pix.PixKey{}
	}
	p.payouts.handedOut[id] = to
	return answer(http.StatusOK, pix.PayeeLookup{PixKey: to, EndToEndID: id})
}

// payoutSubject is the plan's ID of the payout that a call is about.
func payoutSubject(p *PSP, c *call) string {
	if id := c.vars["e2eid"]; id != "" {
		row, _ := p.truth.Payout(pix.EndToEndID(id))
		return row.Subject
	}
	if key := c.vars["key"]; key != "" {
		return p.cfg.Subject(key)
	}
	return p.cfg.Subject(c.request.Header.Get(payoutKeyHeader))
}
