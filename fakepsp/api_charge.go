package fakepsp

import (
	"net/http"
	"strconv"

	"github.com/pixlab/pixlab/pix"
)

// putCharge creates a charge, or alters one that is ATIVA (revisao + 1). A
// repeat that alters nothing is answered with the same object, whatever the
// charge's status: that makes a replay after a lost answer safe.
func putCharge(p *PSP, c *call) Reply {
	txid, err := pix.ParseChargeTxID(c.vars["txid"])
	if err != nil {
		return invalidCharge(pix.Violation{Reason: err.Error(), Property: "cob.txid", Value: c.vars["txid"]})
	}
	r, found := p.chargeRequest(c.body)
	if len(found) > 0 {
		return invalidCharge(found...)
	}
	ch := p.charges.find(txid)
	if ch == nil {
		ch = p.createCharge(txid, r, c.now)
		c.hideEffect(&ch.hiding)
		return answer(http.StatusCreated, p.shown(ch.now))
	}
	next := requested(ch.now, r)
	if sameTerms(ch.now, next) {
		return answer(http.StatusCreated, p.shown(ch.now))
	}
	if ch.now.Status != pix.ChargeActive {
		return invalidCharge(notActive(ch))
	}
	p.revise(ch, next)
	c.hideEffect(&ch.hiding)
	return answer(http.StatusCreated, p.shown(ch.now))
}

// postCharge creates a charge under a txid of the PSP's own choice.
func postCharge(p *PSP, c *call) Reply {
	r, found := p.chargeRequest(c.body)
	if len(found) > 0 {
		return invalidCharge(found...)
	}
	ch := p.createCharge(p.freshTxID(), r, c.now)
	return answer(http.StatusCreated, p.shown(ch.now))
}

// patchCharge alters what is given, or removes the charge.
func patchCharge(p *PSP, c *call) Reply {
	ch := p.charges.find(pix.TxID(c.vars["txid"]))
	if ch == nil {
		return noCharge()
	}
	r, found := pix.ParseChargePatch(c.body)
	if len(found) == 0 && r.PixKey != nil {
		found = p.foreignKey("cob.chave", *r.PixKey)
	}
	if len(found) > 0 {
		return invalidCharge(found...)
	}
	next := patched(ch.now, r)
	alters := !sameTerms(ch.now, next)
	removes := r.Status != nil && ch.now.Status != *r.Status
	switch {
	case !alters && !removes:
		return answer(http.StatusOK, p.shown(ch.now))
	case ch.now.Status != pix.ChargeActive:
		return invalidCharge(notActive(ch))
	case alters && removes:
		return invalidCharge(pix.Violation{
			Reason: "a removal takes no other change", Property: "cob.status", Value: string(*r.Status),
		})
	case removes:
		next.Status = *r.Status
	}
	p.revise(ch, next)
	return answer(http.StatusOK, p.shown(ch.now))
}

// getCharge shows a charge with its Pix, or an earlier revision as it was.
func getCharge(p *PSP, c *call) Reply {
	ch := p.charges.find(pix.TxID(c.vars["txid"]))
	if ch == nil {
		return noCharge()
	}
	if reply, hidden := p.hidden(c, ch.now.CreatedAt, pix.ProblemChargeNotFound); hidden {
		return reply
	}
	if p.hides(c, ch.hiding) {
		return noCharge()
	}
	if !c.query.Has("revisao") {
		return answer(http.StatusOK, p.complete(ch))
	}
	text := c.query.Get("revisao")
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil || n < 0:
		return problem(pix.ProblemChargeQueryInvalid, "",
			pix.Violation{Reason: "want a whole number from 0", Property: "revisao", Value: text})
	case int(n) > ch.now.Revision:
		return noCharge()
	case int(n) == ch.now.Revision:
		return answer(http.StatusOK, p.complete(ch))
	}
	return answer(http.StatusOK, p.shown(ch.earlier[n]))
}

// listCharges is GET /v2/cob, by creation.
func listCharges(p *PSP, c *call) Reply {
	q := readListQuery(c, windowRequired)
	q.person()
	located := q.boolean("locationPresente")
	if len(q.found) > 0 {
		return problem(pix.ProblemChargeQueryInvalid, "", q.found...)
	}
	status := pix.ChargeStatus(c.query.Get("status"))
	var match []*charge
	for _, ch := range p.charges.span(q.from, q.to) {
		if q.debtor(ch.now.debtor()) && (status == "" || status == ch.now.Status) &&
			(located == nil || *located) { // every charge has a location
			match = append(match, ch)
		}
	}
	page := pix.ChargePage{
		From: q.from, To: q.to, CPF: q.cpf, CNPJ: q.cnpj, LocationPresent: located, Status: status,
		Paging: pix.NewPaging(q.page, q.perPage, len(match)),
	}
	lo, hi := q.cut(len(match))
	for _, ch := range match[lo:hi] {
		page.Charges = append(page.Charges, p.complete(ch))
	}
	return answer(http.StatusOK, page)
}

// chargeRequest reads a whole request and looks at what only the PSP knows.
func (p *PSP) chargeRequest(body []byte) (pix.ChargeRequest, []pix.Violation) {
	r, found := pix.ParseChargeRequest(body)
	if len(found) == 0 {
		found = p.foreignKey("cob.chave", r.PixKey)
	}
	return r, found
}

func (p *PSP) foreignKey(property string, key pix.PixKey) []pix.Violation {
	if p.ours(key) {
		return nil
	}
	return []pix.Violation{{Reason: "not a key of this account", Property: property, Value: string(key)}}
}

func invalidCharge(v ...pix.Violation) Reply {
	return problem(pix.ProblemChargeInvalid, "", v...)
}

func noCharge() Reply { return problem(pix.ProblemChargeNotFound, "no charge of this txid") }

func notActive(ch *charge) pix.Violation {
	return pix.Violation{
		Reason: "the charge is not ATIVA and cannot be altered", Property: "cob.status", Value: string(ch.now.Status),
	}
}
