package proptest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What payers, banks and the PSP do.

// settle has a payer pay: what is due, more, less, twice, to a code that nobody
// knows, or to the bare key. odd leaves only what is told of and not booked at once.
func (m *ordersMachine) settle(odd bool) (pix.EndToEndID, bool) {
	if m.payments >= 5 || m.within {
		return "", false
	}
	cents := pix.Amount(rapid.Int64Range(2, 100).Draw(m.t, "cents")) * 10
	order := fakepsp.PayOrder{
		EndToEndID: pix.EndToEndID(fmt.Sprintf("E99999008%sp%010d", m.now.Format("200601021504"), m.payments)),
		PixKey:     ourKey, Amount: cents, Lax: true,
	}
	m.payments++
	c := saleAsked{reference: fmt.Sprintf("PED-%d", m.payments), kind: receiver.ChargeDynamic, due: cents}
	how := m.die(10, "paid")
	if odd {
		how = 3 + how*6/10
	}
	switch {
	case how < 2: // what is due
	case how == 2:
		c.kind = receiver.ChargeStatic
	case how == 3:
		order.Amount += 10
	case how < 6:
		order.Amount -= 10
	case how == 6 && len(m.sales) > 0:
		c = pick(m, "a sale again", m.sales)
	case how < 9:
		c.kind = receiver.ChargeStatic
		m.strangers = append(m.strangers, c)
		order.TxID, order.Static = m.txid(c), true
	default:
		c.kind = "" // to the key
	}
	if c.kind != "" && order.TxID == "" {
		m.sell(c)
		order.TxID, order.Static = m.txid(c), c.kind == receiver.ChargeStatic
	}
	_, err := m.psp.Pay(order)
	m.must(err)
	m.must(m.hear())
	return order.EndToEndID, true
}

func (m *ordersMachine) sell(c saleAsked) {
	if slices.Contains(m.sales, c) {
		return
	}
	m.sales = append(m.sales, c)
	if status := m.charge(context.Background(), 0, c); status != http.StatusCreated {
		m.t.Fatalf("charge %s was answered with %d", c.reference, status)
	}
}

// register makes a code known that was paid before.
func (m *ordersMachine) register() {
	if len(m.strangers) == 0 {
		return
	}
	m.sell(m.strangers[0])
	m.strangers = m.strangers[1:]
}

// termsOf draws what becomes of a refund at the PSP, once.
func (m *ordersMachine) termsOf(of pix.EndToEndID, id pix.RefundID) fakepsp.RefundTerms {
	key := ledgerRefund{of, id}
	if known, ok := m.terms[key]; ok {
		return known
	}
	terms := fakepsp.RefundTerms{
		SettleAfter: pick(m, "settles after", []time.Duration{0, 0, 2 * time.Second, 10 * time.Minute, 5 * time.Hour}),
		Fails:       m.oneIn(4, "fails"),
	}
	m.terms[key] = terms
	return terms
}

// bankRefunds has the merchant refund in the bank's own app, now and then under
// an id that the receiver will choose too.
func (m *ordersMachine) bankRefunds() {
	if p, ok := m.anyPix(); ok {
		m.bankRefund(p)
	}
}

func (m *ordersMachine) bankRefund(p pix.Payment) {
	m.apps++
	id := pix.RefundID(fmt.Sprintf("APP%d", m.apps))
	if m.oneIn(5, "an id of ours") {
		id = pix.RefundID(m.seed.ID("refund", fmt.Sprintf("merchant/DEV-%d", len(m.asked)+1), 32))
	}
	order := fakepsp.RefundOrder{EndToEndID: p.EndToEndID, ID: id, Amount: m.part(p.Amount), Terms: m.termsOf(p.EndToEndID, id)}
	_, err := m.psp.AskRefund(order)
	var refused *fakepsp.NotRefundable
	switch {
	case err == nil:
		m.inApp[ledgerRefund{p.EndToEndID, id}] = true
	case !errors.As(err, &refused) && !errors.Is(err, fakepsp.ErrExists):
		m.t.Fatal(err)
	}
	m.must(m.hear())
}

// report opens a MED case.
func (m *ordersMachine) report() {
	if p, ok := m.anyPix(); ok && len(m.cases) < 6 {
		m.dispute(p)
	}
}

func (m *ordersMachine) dispute(p pix.Payment) {
	order := fakepsp.DisputeOrder{
		ID: fmt.Sprintf("m%d", len(m.cases)), EndToEndID: p.EndToEndID, Amount: m.part(p.Amount),
		Nature: pick(m, "nature", []string{pix.NatureMEDFraud, pix.NatureMEDOperational}),
		Outcome: pick(m, "outcome", []chaos.DisputeOutcome{
			chaos.DisputeAccepted, chaos.DisputeAccepted, chaos.DisputeRejected, chaos.DisputeCancelled,
		}),
		DecideAfter: pick(m, "analysis", []time.Duration{0, time.Second, 5 * time.Minute, 7 * 24 * time.Hour}),
	}
	err := m.psp.Report(order)
	var late *fakepsp.NotDisputable
	switch {
	case err == nil:
		m.cases = append(m.cases, order)
	case !errors.As(err, &late):
		m.t.Fatal(err)
	}
	m.must(m.hear())
}

// goOn lets the PSP do what it does next by itself: a refund settles or fails,
// a case is decided.
func (m *ordersMachine) goOn() {
	_, err := m.advance()
	m.must(err)
}
