package scenarios

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
)

// TestExchangesOfARunConform holds every exchange under /v2 of whole runs, but
// for those that a fault changed, against API Pix's own description: what the
// receiver asks and what the PSP answers.
func TestExchangesOfARunConform(t *testing.T) {
	t.Parallel()
	const variable = "PIXLAB_OPENAPI_SPEC"
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("set %s to the path of an OpenAPI description of API Pix 2.9 to run this test", variable)
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
	seen := map[string]int{}
	for seed := 1; seed <= 12; seed++ {
		plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: "mixed"})
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWorld(plan, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.watch = func(req *http.Request, body []byte, reply fakepsp.Reply) {
			if strings.HasPrefix(req.URL.Path, "/v2/") && !w.lastCall.Faulted && reply.Status != http.StatusUnauthorized {
				seen[conforms(t, router, req, body, reply)]++
			}
		}
		if _, err := w.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, operation := range []string{
		"PUT /cob/{txid}", "GET /pix", "GET /pix/{e2eid}", "PUT /webhook/{chave}", "GET /webhook/{chave}",
		"PUT /pix/{e2eid}/devolucao/{id}", "GET /pix/{e2eid}/devolucao/{id}",
	} {
		if seen[operation] == 0 {
			t.Errorf("no run made an unfaulted %s: got %v", operation, seen)
		}
	}
}

// conforms validates both sides of an exchange and names its operation. 401 has
// no place in the description, so it is not shown here.
func conforms(t *testing.T, router routers.Router, req *http.Request, body []byte, reply fakepsp.Reply) string {
	t.Helper()
	r := req.Clone(context.Background())
	r.URL.Scheme, r.URL.Host, r.Host = "", "", ""
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Errorf("%s %s: %v", req.Method, req.URL, err)
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		t.Errorf("%s %s: request %s: %v", req.Method, req.URL, body, err)
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: reply.Status, Header: reply.Header,
		Body: io.NopCloser(bytes.NewReader(reply.Body)), Options: in.Options,
	})
	if err != nil {
		t.Errorf("%s %s: answer %d %s: %v", req.Method, req.URL, reply.Status, reply.Body, err)
	}
	return req.Method + " " + route.Path
}
