package fakepsp

import (
	"errors"
	"net/http"
	"strings"

	"github.com/pixlab/pixlab/pix"
)

// putRefund asks for a refund. Its id belongs to its Pix alone; one that is
// there already is a repeat, whatever else has changed since, see repeated.
func putRefund(p *PSP, c *call) Reply {
	of, ok := p.truth.Pix(pix.EndToEndID(c.vars["e2eid"]))
	if !ok {
		return problem(pix.ProblemNotFound, "no Pix of this endToEndId")
	}
	id, err := pix.ParseRefundID(c.vars["id"])
	if err != nil {
		return invalidRefund(pix.Violation{Reason: err.Error(), Property: "devolucao.id", Value: c.vars["id"]})
	}
	r, found := pix.ParseRefundRequest(c.body)
	if len(found) > 0 {
		return invalidRefund(found...)
	}
	if row, known := p.truth.Refund(of.EndToEndID, id); known {
		return p.repeated(row, r)
	}
	id = pix.RefundID(strings.Clone(string(id))) // not the whole URL that it was part of
	row, err := p.takeRefund(of, id, r, p.cfg.Terms(of.EndToEndID, id), c.now)
	var refused *NotRefundable
	switch {
	case errors.As(err, &refused):
		return invalidRefund(refused.Violations...)
	case err != nil:
		return problem(pix.ProblemInternal, err.Error())
	}
	var h *hiding
	if c.hideEffect(&h); h != nil {
		p.refunds.hide(refundKey{of.EndToEndID, id}, h)
	}
	return answer(http.StatusCreated, row.Refund)
}

// repeated answers an id that the Pix has a refund of. The same body gets the
// refund as it stands, or is refused, by the PSP's habit; another body is
// always refused.
func (p *PSP) repeated(row RefundRow, r pix.RefundRequest) Reply {
	nature := r.Nature
	if nature == "" {
		nature = pix.NatureOriginal
	}
	same := r.Amount == row.Amount && nature == row.Nature && r.Description == row.Description
	switch {
	case p.cfg.RefundRepeat == RefundRepeatConflict:
		p.reached(MarkRefundInUse)
		return statusProblem(http.StatusConflict, "this Pix has a refund of this id")
	case same && p.cfg.RefundRepeat == RefundRepeatSame:
		p.reached(MarkRefundSame)
		return answer(http.StatusCreated, row.Refund)
	}
	p.reached(MarkRefundInUse)
	return invalidRefund(pix.Violation{
		Reason: "used already by another refund of this Pix", Property: "devolucao.id", Value: string(row.ID),
	})
}

// getRefund shows one refund as it stands.
func getRefund(p *PSP, c *call) Reply {
	key := refundKey{pix.EndToEndID(c.vars["e2eid"]), pix.RefundID(c.vars["id"])}
	row, ok := p.truth.Refund(key.endToEndID, key.id)
	if !ok {
		return problem(pix.ProblemRefundNotFound, "no refund of this id")
	}
	if reply, hidden := p.hidden(c, row.RequestedAt, pix.ProblemRefundNotFound); hidden {
		return reply
	}
	if p.hides(c, p.refunds.hiding[key]) {
		return problem(pix.ProblemRefundNotFound, "no refund of this id")
	}
	return answer(http.StatusOK, row.Refund)
}

// refundSubject is the plan's ID of the refund that a call's path names.
func refundSubject(p *PSP, c *call) string {
	of, id := pix.EndToEndID(c.vars["e2eid"]), pix.RefundID(c.vars["id"])
	if row, known := p.truth.Refund(of, id); known {
		return row.Subject
	}
	if terms := p.cfg.Terms(of, id); terms.Subject != "" {
		return terms.Subject
	}
	return p.cfg.Subject(string(id))
}

func invalidRefund(v ...pix.Violation) Reply {
	return problem(pix.ProblemRefundInvalid, "", v...)
}
