package fakepsp

import (
	"bytes"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// getPayment shows one Pix, the moment it settled: the lag of the lists does
// not hold here.
func getPayment(p *PSP, c *call) Reply {
	row, ok := p.truth.Pix(pix.EndToEndID(c.vars["e2eid"]))
	if !ok {
		return problem(pix.ProblemPaymentNotFound, "no Pix of this endToEndId")
	}
	if reply, hidden := p.hidden(c, row.PaidAt, pix.ProblemPaymentNotFound); hidden {
		return reply
	}
	item, _ := p.truth.Payment(row.EndToEndID)
	return answer(http.StatusOK, item)
}

// paymentQuery is the question of GET /v2/pix.
type paymentQuery struct {
	*listQuery
	txid              string
	hasTxID, refunded *bool
}

func readPaymentQuery(c *call) paymentQuery {
	q := paymentQuery{listQuery: readListQuery(c, windowRequired)}
	q.person()
	q.txid = c.query.Get("txid")
	if q.txid != "" {
		if _, err := pix.ParseTxID(q.txid); err != nil {
			q.bad("txid", "want 1 to 35 of [a-zA-Z0-9]")
		}
	}
	q.hasTxID = q.boolean("txIdPresente")
	q.refunded = q.boolean("devolucaoPresente")
	return q
}

// plain tells that the window alone decides, and whether there are refunds.
func (q paymentQuery) plain() bool {
	return q.txid == "" && q.hasTxID == nil && (q.refunded == nil || *q.refunded) && q.cpf == "" && q.cnpj == ""
}

func (q paymentQuery) wants(t *Truth, row *SettledPix) bool {
	return (q.txid == "" || q.txid == string(row.TxID)) &&
		(q.hasTxID == nil || *q.hasTxID == (row.TxID != "")) &&
		(q.refunded == nil || *q.refunded == (len(t.refunds.ofPix[row.EndToEndID]) > 0)) &&
		q.payer(row.Payer)
}

// listPayments is GET /v2/pix in the total order (horario, endToEndId).
func listPayments(p *PSP, c *call) Reply {
	q := readPaymentQuery(c)
	if len(q.found) > 0 {
		return problem(pix.ProblemPaymentQueryInvalid, "", q.found...)
	}
	reply, lag := p.lagging(c, func(lag time.Duration) Reply {
		return p.paymentPage(q, c.now.Add(-lag), false)
	})
	if c.faults.greatest(shifts) == 0 {
		return reply
	}
	moved := p.paymentPage(q, c.now.Add(-lag), true)
	if !bytes.Equal(moved.Body, reply.Body) {
		p.fireWhere(c, func(ch chaos.Change) bool { return ch.Shift })
	}
	return moved
}

func shifts(ch chaos.Change) int64 { return oneIf(ch.Shift) }

// lagging answers by the lag that is in force, and counts the faults that made
// it longer where that kept a row out. It also says what the lag was.
func (p *PSP) lagging(c *call, page func(lag time.Duration) Reply) (Reply, time.Duration) {
	reply := page(p.lag)
	ms := c.faults.greatest(func(ch chaos.Change) int64 { return ch.LagMS })
	if ms == 0 {
		return reply, p.lag
	}
	lag := p.lag + time.Duration(ms)*time.Millisecond
	late := page(lag)
	if !bytes.Equal(late.Body, reply.Body) {
		p.fireWhere(c, func(ch chaos.Change) bool { return ch.LagMS > 0 })
	}
	return late, lag
}

// paymentPage answers the question from what is visible: settled at the
// instant visible or earlier.
//
// A shifted page stands for a list that changed after the reader took page 0,
// which stays as it is. Where the number of rows is even, a row of page 0 has
// left the list: all rows behind it moved up by one, and the first row of page
// 1 is on no page that this reader sees. Where it is odd, a row came in before
// the edge: all moved down, and the last row of page 0 is on page 1 again.
func (p *PSP) paymentPage(q paymentQuery, visible time.Time, shifted bool) Reply {
	to := q.to
	if visible.Before(to) {
		to = visible
	}
	rows := p.matching(q, to.Add(1))
	n, move := len(rows), 0
	if shifted && q.page > 0 && q.page*q.perPage < n {
		move = 1 - 2*(n%2)
	}
	page := pix.PaymentPage{
		From: q.from, To: q.to, TxID: pix.TxID(q.txid), TxIDPresent: q.hasTxID, RefundPresent: q.refunded,
		CPF: q.cpf, CNPJ: q.cnpj, Paging: pix.NewPaging(q.page, q.perPage, n-move),
	}
	lo, hi := q.cut(n)
	if move != 0 {
		lo = min(q.page*q.perPage+move, n)
		hi = min(lo+q.perPage, n)
	}
	return p.withRows(answer(http.StatusOK, page), rows[lo:hi])
}

// withRows puts the rows' JSON into the empty list that ends the page.
func (p *PSP) withRows(reply Reply, rows []int) Reply {
	const end = "]}"
	size := len(reply.Body)
	for _, i := range rows {
		size += len(p.truth.json(i)) + 1
	}
	body := append(make([]byte, 0, size), reply.Body[:len(reply.Body)-len(end)]...)
	for k, i := range rows {
		if k > 0 {
			body = append(body, ',')
		}
		body = append(body, p.truth.json(i)...)
	}
	reply.Body = append(body, end...)
	return reply
}

// matching are the rows that the question asks for, settled before an instant.
// Those with refunds are a list of their own: a sweep for them pages through a
// long time of which they are a small part.
func (p *PSP) matching(q paymentQuery, before time.Time) []int {
	list := p.truth.byTime
	if q.refunded != nil && *q.refunded {
		list = p.truth.refunds.pix
	}
	rows := p.truth.span(list, q.from, before)
	if q.plain() {
		return rows
	}
	var match []int
	for _, i := range rows {
		if q.wants(p.truth, &p.truth.rows[i]) {
			match = append(match, i)
		}
	}
	return match
}
