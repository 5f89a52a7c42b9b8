package fakepsp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// specVariable names the environment variable that holds the path of API Pix's
// description, repaired so that a strict validator loads it.
const specVariable = "PIXLAB_OPENAPI_SPEC"

// TestConformance holds every exchange of a PSP without faults against the
// standard's own description.
func TestConformance(t *testing.T) {
	t.Parallel()
	router := specRouter(t)
	l := newLab(t)
	exchange := func(verb, target, body string, want int) {
		t.Helper()
		reply := conform(t, router, l, verb, target, body)
		if reply.Status != want {
			t.Errorf("%s %s: got %d %s, want %d", verb, target, reply.Status, reply.Body, want)
		}
	}
	full := strings.TrimSuffix(cobBody("37.00"), "}") + `,"devedor":{"cnpj":"12345678000195","nome":"Empresa"},` +
		`"solicitacaoPagador":"Pedido?","infoAdicionais":[{"nome":"Mesa","valor":"7"}]}`
	exchange("PUT", cobPath(1), full, 201)
	exchange("PUT", cobPath(1), full, 201)
	exchange("PUT", cobPath(1), cobBody("38.00"), 201)
	exchange("PUT", cobPath(1), cobBody("0.00"), 400)
	exchange("GET", cobPath(1), "", 200)
	exchange("GET", cobPath(1)+"?revisao=0", "", 200)
	exchange("GET", cobPath(9), "", 404)
	exchange("PATCH", cobPath(1), `{"valor":{"original":"39.00"}}`, 200)
	exchange("PATCH", cobPath(9), `{"valor":{"original":"39.00"}}`, 404)
	exchange("POST", "/v2/cob", cobBody("1.00"), 201)
	exchange("PUT", hookPath, `{"webhookUrl":"`+hookURL+`"}`, 200)
	exchange("GET", hookPath, "", 200)
	exchange("GET", "/v2/webhook", "", 200)
	exchange("GET", "/v2/webhook?inicio=2026-01-01T00:00:00Z&fim=2026-12-31T00:00:00Z", "", 200)

	o := order(1, "39.00")
	o.PayerNote = "mesa 7"
	l.pay(o)
	l.pay(PayOrder{EndToEndID: e2eOf(2), TxID: "CAFE", Static: true, Amount: 250})
	l.pay(PayOrder{EndToEndID: e2eOf(3), Amount: 250})
	exchange("GET", cobPath(1), "", 200)
	exchange("PUT", cobPath(1), cobBody("40.00"), 400)
	exchange("GET", "/v2/cob?"+wholeDay, "", 200)
	exchange("GET", "/v2/cob?"+wholeDay+"&cnpj=12345678000195&status=CONCLUIDA&locationPresente=true", "", 200)
	for n := 1; n <= 3; n++ {
		exchange("GET", "/v2/pix/"+string(e2eOf(n)), "", 200)
	}
	exchange("GET", "/v2/pix/"+string(e2eOf(9)), "", 404)
	exchange("GET", "/v2/pix?"+wholeDay, "", 200)
	exchange("GET", "/v2/pix?"+wholeDay+"&txid=CAFE&txIdPresente=true&devolucaoPresente=false&cpf=12345678901", "", 200)
	exchange("GET", "/v2/pix?inicio=2025-03-02T00:00:00-03:00&fim=2025-03-02T23:59:59.999-03:00&paginacao.itensPorPagina=1", "", 200)
	exchange("DELETE", hookPath, "", 204)
	exchange("DELETE", hookPath, "", 404)

	exchange("PUT", hookPath, `{"webhookUrl":"`+hookURL+`"}`, 200)
	for a := l.psp.Take(); a != nil; a = l.psp.Take() {
		conformCallback(t, router, a)
	}
}

// TestRefundsConform is TestConformance for refunds and what they do to the
// other answers.
func TestRefundsConform(t *testing.T) {
	t.Parallel()
	router := specRouter(t)
	l := refundLab(t, 2, RefundTerms{SettleAfter: time.Minute})
	exchange := func(verb, target, body string, want int) {
		t.Helper()
		reply := conform(t, router, l, verb, target, body)
		if reply.Status != want {
			t.Errorf("%s %s: got %d %s, want %d", verb, target, reply.Status, reply.Body, want)
		}
	}
	show := func() {
		t.Helper()
		exchange("GET", refundPath(1, "R1"), "", 200)
		exchange("GET", "/v2/pix/"+string(e2eOf(1)), "", 200)
		exchange("GET", "/v2/pix?"+wholeDay+"&devolucaoPresente=true", "", 200)
		exchange("GET", cobPath(1), "", 200)
		exchange("GET", "/v2/cob?"+wholeDay, "", 200)
	}
	full := `{"valor":"30.00","natureza":"ORIGINAL","descricao":"troca"}`
	exchange("PUT", refundPath(1, "R1"), full, 201)
	exchange("PUT", refundPath(1, "R1"), full, 201)
	exchange("PUT", refundPath(1, "R1"), `{"valor":"31.00"}`, 400)
	exchange("PUT", refundPath(1, "R2"), `{"valor":"71.00"}`, 400)
	exchange("PUT", refundPath(1, "R2"), `{"valor":"1.00","natureza":"RETIRADA"}`, 400)
	exchange("PUT", refundPath(9, "R1"), full, 404)
	exchange("GET", refundPath(1, "R9"), "", 404)
	show()
	l.report(disputeOf(2, "100.00", chaos.DisputeAccepted))
	l.report(DisputeOrder{
		ID: "m1", EndToEndID: e2eOf(1), Nature: pix.NatureMEDOperational, Outcome: chaos.DisputeAccepted, Amount: 10000,
	})
	for due, ok := l.psp.Due(); ok; due, ok = l.psp.Due() {
		l.now = due
		for a := l.psp.Take(); a != nil; a = l.psp.Take() {
			conformCallback(t, router, a)
			l.ack(a)
		}
	}
	show()
	if got := l.getRefund(1, "R1"); got.Status != pix.RefundFailed {
		t.Errorf("got %+v", got)
	}
	exchange("GET", refundPath(2, string(l.getPix(2).Refunds[0].ID)), "", 200)
}

// conform makes one call and validates both of its sides. Errors that the
// description leaves to a general section have no schema of their own there.
func conform(t *testing.T, router routers.Router, l *lab, verb, target, body string) Reply {
	t.Helper()
	r := httptest.NewRequest(verb, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, target, err)
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
			IncludeResponseStatus: true,
		},
	}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		t.Errorf("%s %s: request: %v", verb, target, err)
	}
	r.Body = io.NopCloser(strings.NewReader(body))
	reply := l.psp.Handle(r)
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: reply.Status, Header: reply.Header,
		Body: io.NopCloser(bytes.NewReader(reply.Body)), Options: in.Options,
	})
	if err != nil {
		t.Errorf("%s %s: answer %d %s: %v", verb, target, reply.Status, reply.Body, err)
	}
	return reply
}

// conformCallback validates a callback's body against the description of what
// the registered URL is sent.
func conformCallback(t *testing.T, router routers.Router, a *Attempt) {
	t.Helper()
	put := httptest.NewRequest("PUT", hookPath, nil)
	route, _, err := router.FindRoute(put)
	if err != nil {
		t.Fatal(err)
	}
	list := route.Operation.Callbacks["listaPix"].Value
	path := list.Value("{$request.body#/webhookUrl}/pix")
	r := httptest.NewRequest("POST", a.URL, bytes.NewReader(a.Body))
	r.Header = http.Header(a.Header).Clone()
	in := &openapi3filter.RequestValidationInput{Request: r, Route: &routers.Route{
		Spec: route.Spec, PathItem: path, Method: "POST", Operation: path.Post,
	}}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		t.Errorf("callback %s: %v", a.Body, err)
	}
}

func specRouter(t *testing.T) routers.Router {
	t.Helper()
	path := os.Getenv(specVariable)
	if path == "" {
		t.Skipf("set %s to the path of an OpenAPI description of API Pix 2.9 to run this test", specVariable)
	}
	doc, err := openapi3.NewLoader().LoadFromFile(path)
	if err != nil {
		t.Fatalf("load %s: %v", path, err)
	}
	doc.Servers = openapi3.Servers{{URL: "/v2"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("route %s: %v", path, err)
	}
	return router
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	var slept []time.Duration
	l := newLabWith(t, func(c *Config) {
		c.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
	}, put(1, chaosChange(700, false)), put(2, chaosChange(0, true)))
	server := httptest.NewServer(l.psp)
	defer server.Close()
	send := func() (*http.Response, error) {
		r, err := http.NewRequest("PUT", server.URL+cobPath(1), strings.NewReader(cobBody("10.00")))
		if err != nil {
			t.Fatal(err)
		}
		return http.DefaultTransport.RoundTrip(r)
	}
	resp, err := send()
	if err != nil || resp.StatusCode != http.StatusCreated || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %v, %v", resp, err)
	}
	resp.Body.Close()
	if len(slept) != 1 || slept[0] != 700*time.Millisecond {
		t.Errorf("slept %v", slept)
	}
	if resp, err := send(); err == nil {
		resp.Body.Close()
		t.Errorf("a cut call was answered with %d", resp.StatusCode)
	}
}
