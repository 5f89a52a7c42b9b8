package pix_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
)

// standardPayment is the example of the standard, in Go and on the wire.
func standardPayment() (pix.Payment, string) {
	at := func(s string) time.Time {
		t, err := pix.ParseTime(s)
		if err != nil {
			panic(err)
		}
		return t
	}
	p := pix.Payment{
		EndToEndID: testE2E, TxID: testTxID, Amount: 11000, PixKey: testKey,
		PaidAt: at("2020-09-09T20:15:00.358Z"), PayerNote: "0123456789",
		Refunds: []pix.Refund{{
			ID: "123ABC", ReturnID: testRtr, Amount: 1000, Nature: pix.NatureOriginal, Status: pix.RefundReturned,
			RequestedAt: at("2020-09-09T20:15:00.358Z"), SettledAt: at("2020-09-09T20:15:02.100Z"),
		}},
	}
	return p, `{"endToEndId":"` + testE2E + `","txid":"` + testTxID + `","valor":"110.00","chave":"` + testKey +
		`","horario":"2020-09-09T20:15:00.358Z","infoPagador":"0123456789","devolucoes":[{"id":"123ABC","rtrId":"` +
		testRtr + `","valor":"10.00","natureza":"ORIGINAL","horario":{"solicitacao":"2020-09-09T20:15:00.358Z",` +
		`"liquidacao":"2020-09-09T20:15:02.100Z"},"status":"DEVOLVIDO"}]}`
}

func TestPaymentIsWrittenInTheStandardsNames(t *testing.T) {
	t.Parallel()
	p, want := standardPayment()
	got, err := json.Marshal(p)
	if err != nil || string(got) != want {
		t.Errorf("Marshal:\n got %s, %v\nwant %s", got, err, want)
	}
	if got := p.Refunded(); got != 1000 {
		t.Errorf("Refunded() = %d, want 1000", got)
	}
}

func TestPaymentOmitsWhatIsAbsent(t *testing.T) {
	t.Parallel()
	p := pix.Payment{EndToEndID: testE2E, Amount: 1, PaidAt: time.UnixMilli(0)}
	got, err := json.Marshal(p)
	want := `{"endToEndId":"` + testE2E + `","valor":"0.01","horario":"1970-01-01T00:00:00.000Z"}`
	if err != nil || string(got) != want {
		t.Errorf("Marshal:\n got %s, %v\nwant %s", got, err, want)
	}
}

func TestPaymentRefusesToWriteBadAmounts(t *testing.T) {
	t.Parallel()
	for _, p := range []pix.Payment{
		{Amount: -1},
		{Amount: pix.MaxAmount + 1},
		{Amount: 1, Refunds: []pix.Refund{{Amount: -1}}},
	} {
		if got, err := json.Marshal(p); err == nil {
			t.Errorf("Marshal(%v) = %s, want an error", p, got)
		}
	}
}

func TestPaymentRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawPayment().Draw(t, "payment")
		roundTrip(t, want)
	})
}

func TestRefundRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		roundTrip(t, drawRefund().Draw(t, "refund"))
		roundTrip(t, pix.RefundRequest{
			Amount:      drawMoney(1).Draw(t, "asked"),
			Nature:      rapid.SampledFrom([]string{"", pix.NatureWithdrawal}).Draw(t, "nature asked"),
			Description: drawNote().Filter(storable).Draw(t, "why"),
		})
	})
}

// roundTrip writes and reads want, twice over to see that bytes are stable.
func roundTrip[T any](t *rapid.T, want T) {
	t.Helper()
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	var got T
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("read %s: %v", body, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("read %s:\n got %+v\nwant %+v", body, got, want)
	}
	again, err := json.Marshal(got)
	if err != nil || string(again) != string(body) {
		t.Fatalf("written again: %s, %v, want %s", again, err, body)
	}
}

func TestObjectsAreNotReadFromOtherJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `{`, `null`, `[]`, `"x"`, `{}`} {
		for _, v := range []json.Unmarshaler{
			new(pix.Payment), new(pix.Refund), new(pix.RefundRequest), new(pix.Charge), new(pix.ChargeRequest),
			new(pix.Webhook), new(pix.WebhookRequest), new(pix.PaymentPage), new(pix.StatementLine), new(pix.StatementPage),
		} {
			if err := v.UnmarshalJSON([]byte(body)); err == nil {
				t.Errorf("%T was read from %q", v, body)
			}
		}
	}
}

func TestRefundStatusIsFinal(t *testing.T) {
	t.Parallel()
	for s, want := range map[pix.RefundStatus]bool{
		pix.RefundReturned: true, pix.RefundFailed: true,
		pix.RefundProcessing: false, "AGUARDANDO_X": false, "devolvido": false, "": false,
	} {
		if got := s.Final(); got != want {
			t.Errorf("%q.Final() = %v, want %v", s, got, want)
		}
	}
}

func TestRefundRequestViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, property string }{
		"good":             {`{"valor":"7.89"}`, ""},
		"good with nature": {`{"valor":"7.89","natureza":"RETIRADA","descricao":"ok","x":1}`, ""},
		"no JSON":          {`{"valor":"7.89"`, "devolucao"},
		"array":            {`[]`, "devolucao"},
		"no value":         {`{}`, "devolucao.valor"},
		"number":           {`{"valor":7.89}`, "devolucao.valor"},
		"one decimal":      {`{"valor":"7.8"}`, "devolucao.valor"},
		"zero":             {`{"valor":"0.00"}`, "devolucao.valor"},
		"nature of MED":    {`{"valor":"7.89","natureza":"MED_FRAUDE"}`, "devolucao.natureza"},
		"long description": {`{"valor":"7.89","descricao":"` + strings.Repeat("é", 141) + `"}`, "devolucao.descricao"},
	} {
		_, found := pix.ParseRefundRequest([]byte(c.body))
		wantViolation(t, name, found, c.property)
	}
}

// wantViolation holds found to one violation of property, or to none.
func wantViolation(t *testing.T, name string, found []pix.Violation, property string) {
	t.Helper()
	switch {
	case property == "" && len(found) != 0:
		t.Errorf("%s: got %+v, want no violation", name, found)
	case property != "" && (len(found) != 1 || found[0].Property != property || found[0].Reason == ""):
		t.Errorf("%s: got %+v, want one violation of %s", name, found, property)
	}
}
