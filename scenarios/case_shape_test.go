package scenarios_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: the txid was taken for the payment's identity, and every
// further Pix of one code vanished as a duplicate.
func TestEveryPixOfOneTxidIsCredited(t *testing.T) {
	l := newLab(t, labOptions{})
	code := l.code("BALCAO", "")
	txid := l.sale("PED-1", "30.00")
	first, twin := l.pay(code, "10.00"), l.pay(code, "10.00") // one second, one payer
	if !first.PaidAt.Equal(twin.PaidAt) {
		t.Fatal("the twins are of different instants")
	}
	l.clock.advance(time.Minute)
	third := l.pay(code, "25.00")
	settles := l.pay(txid, "30.00")
	excess := l.pay(txid, "30.00", lax)
	l.deliver()
	l.rest()
	for _, p := range []pix.Payment{first, twin, third, settles, excess} {
		l.credited(p.EndToEndID, p.Amount.String())
	}
	l.settled("BALCAO", "45.00", false) // a code is never paid off
	l.settled("PED-1", "30.00", true)
	l.holds(receiver.AccountRevenue, "75.00")
	l.holds(receiver.AccountToReturn, "30.00")
	if got := l.payment(excess.EndToEndID).Disposition; got != receiver.DispositionSecond {
		t.Errorf("the second Pix of a paid charge is booked as %q, want %q", got, receiver.DispositionSecond)
	}
	if !strings.Contains(l.money(), receiver.OutboxToReturn+" 30.00") {
		t.Error("the merchant is not told of the money to return")
	}
	l.endOfDay()
}

// From the field: a reader took the array's first element and answered 200 for
// all of them.
func TestEveryElementOfACallbackIsStoredBeforeTheAnswer(t *testing.T) {
	l := newLab(t, labOptions{})
	code := l.code("BALCAO", "")
	one, two := l.pay(l.sale("PED-1", "10.00"), "10.00"), l.pay(l.sale("PED-2", "20.00"), "20.00")
	three := l.pay(code, "30.00")
	l.callback(http.StatusOK, body(l.itemOf(one), l.itemOf(two), l.itemOf(one), l.itemOf(three)))
	for _, p := range []pix.Payment{one, two, three} {
		if e := l.event(p.EndToEndID); e.State != receiver.EventReceived {
			t.Errorf("at the answer the event of %s is %s, want RECEIVED", p.EndToEndID, e.State)
		}
	}
	l.rest()
	l.credited(one.EndToEndID, "10.00")
	l.credited(two.EndToEndID, "20.00")
	l.credited(three.EndToEndID, "30.00")
	l.endOfDay()
}

// All of a body or nothing of it: a store that fails must not be answered for.
func TestBodyThatCannotBeStoredWholeIsNotAcknowledged(t *testing.T) {
	l := newLab(t, labOptions{})
	one, two := l.pay(l.sale("PED-1", "10.00"), "10.00"), l.pay(l.sale("PED-2", "20.00"), "20.00")
	l.store.before["AppendInbox"] = func() error { return receiver.ErrUnavailable }
	l.callback(http.StatusServiceUnavailable, body(l.itemOf(one), l.itemOf(two)))
	if n := len(l.events()); n != 0 {
		t.Errorf("%d events after a 503, want none", n)
	}
	l.endOfDay()
	l.credited(one.EndToEndID, "10.00")
	l.credited(two.EndToEndID, "20.00")
}

func TestCallbackWithoutItemsHasNoEffect(t *testing.T) {
	l := newLab(t, labOptions{})
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"empty array", `{"pix":[]}`, http.StatusOK},
		{"no member pix", `{}`, http.StatusBadRequest},
		{"another member", `{"pixs":[],"PIX":[]}`, http.StatusBadRequest},
		{"pix is null", `{"pix":null}`, http.StatusBadRequest},
		{"pix is a text", `{"pix":"[]"}`, http.StatusBadRequest},
		{"no body", ``, http.StatusBadRequest},
		{"two values", `{"pix":[]}{"pix":[]}`, http.StatusBadRequest},
	} {
		if rec := l.send(0, "/pix", c.body); rec.Code != c.want {
			t.Errorf("%s: got %d %s, want %d", c.name, rec.Code, rec.Body, c.want)
		}
	}
	if n := len(l.events()); n != 0 {
		t.Errorf("%d events, want none", n)
	}
}

// From the field: an optional member came as null, or in another shape, the
// mapping failed, and the event was answered 200 and forgotten.
func TestOptionalMembersInAnyShapeCostNoPayment(t *testing.T) {
	const refund = `{"id":"D1","rtrId":"D9999900820260302120000000000001","valor":"1.00","status":"EM_PROCESSAMENTO"}`
	for name, more := range map[string]string{
		"devolucoes absent":          ``,
		"devolucoes null":            `,"devolucoes":null`,
		"devolucoes empty":           `,"devolucoes":[]`,
		"devolucoes array of one":    `,"devolucoes":[` + refund + `]`,
		"devolucoes a single object": `,"devolucoes":` + refund,
		"infoPagador null":           `,"infoPagador":null`,
		"infoPagador broken":         `,"infoPagador":"\ud800 \u0000"`,
		"componentesValor null":      `,"componentesValor":null`,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.pay(l.sale("PED-1", "10.00"), "10.00")
			l.callback(http.StatusOK, body(l.itemOf(p, more)))
			l.rest()
			l.credited(p.EndToEndID, "10.00")
			l.settled("PED-1", "10.00", true)
			if n := len(l.quarantined(receiver.QuarantineBad)); n != 0 {
				t.Errorf("%d events cannot be read, want none", n)
			}
		})
	}
}

// The members that carry identity may be null where they may be absent.
func TestTxidAndKeyMayBeNull(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay("", "10.00")
	l.callback(http.StatusOK, body(`{"endToEndId":"`+string(p.EndToEndID)+`","valor":"10.00","txid":null,"chave":null,`+
		`"horario":"`+pix.FormatTime(p.PaidAt)+`"}`))
	l.rest()
	l.credited(p.EndToEndID, "10.00")
	l.holds(receiver.AccountUnidentified, "10.00")
	l.endOfDay()
}

// What must be there, or what is there and cannot be read, is never a 200 and
// nothing: the item is kept for an operator, and sinks no neighbour.
func TestUnreadableItemIsKeptAndSinksNoNeighbour(t *testing.T) {
	for name, bad := range map[string]string{
		"valor null":             `{"endToEndId":"E","valor":null}`,
		"a refund without an id": `{"endToEndId":"E9999900820260302120099999999999","valor":"1.00","horario":"2026-03-02T12:00:00Z","devolucoes":[{"valor":"1.00"}]}`,
		"no object":              `"pix"`,
		"two amounts":            `{"endToEndId":"E9999900820260302120099999999999","valor":"1.00","valor":"100.00","horario":"2026-03-02T12:00:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			one, two := l.pay(l.sale("PED-1", "10.00"), "10.00"), l.pay(l.sale("PED-2", "20.00"), "20.00")
			l.callback(http.StatusOK, body(l.itemOf(one), bad, l.itemOf(two)))
			l.rest()
			l.credited(one.EndToEndID, "10.00")
			l.credited(two.EndToEndID, "20.00")
			aside := l.quarantined(receiver.QuarantineBad)
			if len(aside) != 1 || string(aside[0].Raw) != bad || aside[0].Reason == "" {
				t.Errorf("set aside: got %+v, want %s with a reason", aside, bad)
			}
			l.unmoved("the same body again", func() {
				l.callback(http.StatusOK, body(l.itemOf(one), bad, l.itemOf(two)))
				l.rest()
			})
			l.endOfDay()
		})
	}
}

// From the field: the PSP added a member, or a word to a list, and a strict
// reader stopped taking payments.
func TestMembersAndWordsNobodyKnowsYetCostNoPayment(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	newer := `{"devolucoes":[` +
		`{"status":"EM_ANALISE_FUTURA","natureza":"MED_NOVA_2027","valor":"10.00","rtrId":"D9999900820260302120000000000001","id":"M1"},` +
		`{"status":"AGUARDANDO_X","valor":"5.00","rtrId":"D9999900820260302120000000000002","id":"M2","horario":{"novo":[]}}],` +
		`"sequencial":9007199254740993,"pagadorDetalhado":{"contas":[{"agencia":"0001"}]},"matriz":[[1,2],[[]],[9e99]],` +
		`"horario":"` + pix.FormatTime(p.PaidAt) + `","chave":"` + string(labKey) + `","valor":"100.00",` +
		`"txid":"` + string(p.TxID) + `","endToEndId":"` + string(p.EndToEndID) + `"}`
	l.callback(http.StatusOK, `{"versao":"3.0","pagina":[null,9007199254740993],"pix":[`+newer+`]}`)
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.settled("PED-1", "100.00", true)
	if raw := l.event(p.EndToEndID).Raw; !bytes.Equal(raw, []byte(newer)) {
		t.Errorf("the item is kept as\n%s\nand came as\n%s", raw, newer)
	}
	if n := len(l.quarantined(receiver.QuarantineBad)); n != 0 {
		t.Errorf("%d events cannot be read, want none", n)
	}
}
