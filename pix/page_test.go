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

func TestPagingCountsPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ perPage, items, pages int }{
		{100, 0, 1}, {100, 1, 1}, {100, 100, 1}, {100, 101, 2}, {1, 7, 7}, {0, 3, 3},
	} {
		if got := pix.NewPaging(0, c.perPage, c.items).Pages; got != c.pages {
			t.Errorf("%d items at %d a page: %d pages, want %d", c.items, c.perPage, got, c.pages)
		}
	}
}

func TestPagesRoundTrip(t *testing.T) {
	t.Parallel()
	paging := pix.Paging{Page: 1, PerPage: 100, Pages: 2, Items: 142}
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawTime().Draw(t, "inicio"), drawTime().Draw(t, "fim")
		roundTrip(t, pix.PaymentPage{
			From: from, To: to, TxID: testTxID, TxIDPresent: new(true), RefundPresent: new(false),
			CPF: "12345678909", Paging: paging, Payments: drawList(drawPayment(), 3).Draw(t, "pix"),
		})
		roundTrip(t, pix.PaymentPage{From: from, To: to, Paging: paging})
		roundTrip(t, pix.ChargePage{
			From: from, To: to, CNPJ: "12345678000195", LocationPresent: new(true), Status: pix.ChargeActive,
			Paging: paging, Charges: drawList(drawCharge(), 2).Draw(t, "cobs"),
		})
		hook := pix.Webhook{URL: "https://x.example/a?b=c", PixKey: testKey, CreatedAt: from}
		roundTrip(t, pix.WebhookPage{Paging: paging, Webhooks: []pix.Webhook{hook}})
		roundTrip(t, pix.WebhookPage{From: from, To: to, Paging: paging})
		roundTrip(t, hook)
		roundTrip(t, pix.WebhookRequest{URL: hook.URL})
	})
}

func TestPaymentPageIsWrittenInTheStandardsNames(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(0)
	got, err := json.Marshal(pix.PaymentPage{From: at, To: at, Paging: pix.NewPaging(0, 100, 0), TxIDPresent: new(false)})
	want := `{"parametros":{"inicio":"1970-01-01T00:00:00.000Z","fim":"1970-01-01T00:00:00.000Z","txIdPresente":false,` +
		`"paginacao":{"paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,"quantidadeTotalDeItens":0}},"pix":[]}`
	if err != nil || string(got) != want {
		t.Errorf("Marshal:\n got %s, %v\nwant %s", got, err, want)
	}
}

const pageHead = `{"parametros":{"inicio":"2020-01-01T00:00:00Z","fim":"2020-01-02T00:00:00Z","paginacao":` +
	`{"paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,"quantidadeTotalDeItens":2}},`

func TestPaymentPageJudgesEachPixAlone(t *testing.T) {
	t.Parallel()
	body := []byte(pageHead + `"pix":[{"endToEndId":"E1"},` + item(`,"n":9007199254740993`) + `]}`)
	page, items, err := pix.ParsePaymentPage(body)
	if err != nil || len(items) != 2 || len(page.Payments) != 1 || page.Paging.Items != 2 {
		t.Fatalf("got %+v, %d items, %v", page, len(items), err)
	}
	if items[0].Err == nil || items[0].EndToEndID != "E1" {
		t.Errorf("first item: %+v", items[0])
	}
	if !strings.Contains(string(items[1].Raw), "9007199254740993") {
		t.Errorf("Raw = %s", items[1].Raw)
	}
	if err := json.Unmarshal(body, new(pix.PaymentPage)); err == nil {
		t.Error("a page with a malformed Pix was read as a whole")
	}
}

func TestPagesRefuseOtherBodies(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `null`, `[]`, `{}`, `{"pix":[]}`, pageHead + `"x":[]}`, pageHead + `"pix":null,"cobs":null,"webhooks":null}`,
		`{"parametros":{},"pix":[],"cobs":[],"webhooks":[]}`, `{"parametros":[],"pix":[],"cobs":[],"webhooks":[]}`,
	} {
		if _, _, err := pix.ParsePaymentPage([]byte(body)); err == nil {
			t.Errorf("read a page of pix from %s", body)
		}
		if err := new(pix.ChargePage).UnmarshalJSON([]byte(body)); err == nil {
			t.Errorf("read a page of cob from %s", body)
		}
		if err := new(pix.WebhookPage).UnmarshalJSON([]byte(body)); err == nil {
			t.Errorf("read a page of webhooks from %s", body)
		}
	}
}

func TestWebhookRequestViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, property string }{
		"https":    {`{"webhookUrl":"https://x.example/a?hmac=b&ignorar="}`, ""},
		"http":     {`{"webhookUrl":"http://127.0.0.1:8080"}`, ""},
		"missing":  {`{}`, "webhook.webhookUrl"},
		"number":   {`{"webhookUrl":1}`, "webhook.webhookUrl"},
		"relative": {`{"webhookUrl":"/pix"}`, "webhook.webhookUrl"},
		"no host":  {`{"webhookUrl":"https:///pix"}`, "webhook.webhookUrl"},
		"scheme":   {`{"webhookUrl":"ftp://x.example"}`, "webhook.webhookUrl"},
		"no JSON":  {`x`, "webhook"},
	} {
		_, found := pix.ParseWebhookRequest([]byte(c.body))
		wantViolation(t, name, found, c.property)
	}
}

func TestStatementRoundTrips(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1600000000123).UTC()
	want := pix.StatementPage{Next: "c2", Lines: []pix.StatementLine{
		{Kind: pix.KindPixIn, EndToEndID: testE2E, Cents: 10, SettledAt: at},
		{Kind: pix.KindRefundOut, EndToEndID: testE2E, ID: "D1", Cents: 4, SettledAt: at},
		{Kind: pix.KindPixOut, EndToEndID: testE2E, Cents: 5, SettledAt: at},
		{Kind: pix.KindReturnIn, EndToEndID: testE2E, ID: testRtr, Cents: 2, SettledAt: at},
	}}
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got pix.StatementPage
	if err := json.Unmarshal(body, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %s: got %+v, %v", body, got, err)
	}
	if line, err := json.Marshal(want.Lines[1]); err != nil || !strings.Contains(string(body), string(line)) {
		t.Errorf("line alone: %s, %v", line, err)
	}
	var sum int64
	for _, l := range got.Lines {
		sum += l.Signed()
	}
	if sum != 3 {
		t.Errorf("the lines sum to %d, want 3", sum)
	}
	if body, err := json.Marshal(pix.StatementPage{}); err != nil || string(body) != `{"lines":[]}` {
		t.Errorf("empty statement: %s, %v", body, err)
	}
}

func TestStatementLinesAreStrict(t *testing.T) {
	t.Parallel()
	const good = `{"kind":"refund_out","endToEndId":"` + testE2E + `","id":"D1","cents":10,"settled_at":"2020-01-01T00:00:00.000Z"}`
	if err := json.Unmarshal([]byte(good), new(pix.StatementLine)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"refund_out", "fee"}, {"refund_out", "return_in"}, {`"cents":10`, `"cents":0`}, {`"cents":10`, `"cents":-10`},
		{`"cents":10`, `"cents":10.0`}, {`"cents":10`, `"cents":"10"`}, {`"cents":10`, `"cents":10,"cents":11`},
		{`"id":"D1"`, `"id":null`}, {testE2E, "E1"}, {"00.000Z", "00"},
	} {
		body := strings.Replace(good, change[0], change[1], 1)
		if err := json.Unmarshal([]byte(body), new(pix.StatementLine)); err == nil {
			t.Errorf("read %s", body)
		}
		if err := json.Unmarshal([]byte(`{"lines":[`+body+`]}`), new(pix.StatementPage)); err == nil {
			t.Errorf("read a page of %s", body)
		}
	}
}
