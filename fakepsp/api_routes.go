package fakepsp

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/pixlab/pixlab/chaos"
)

// method is one operation of the API.
type method struct {
	verb  string
	serve func(p *PSP, c *call) Reply
	// route is the operation's name in fault addresses, "" if it has none; id
	// is the path variable that names the subject.
	route, id string
	// subject names the subject where no single variable does; nil otherwise.
	subject func(p *PSP, c *call) string
	// scope is what a token has to be good for, "" for a call that needs none.
	scope string
	// place is where windows strike it besides [chaos.PlacePSP], "" if nowhere.
	place string
}

// about is the plan's name of what a call of the method speaks of.
func (m *method) about(p *PSP, c *call) string {
	if m.subject != nil {
		return m.subject(p, c)
	}
	return p.cfg.Subject(c.vars[m.id])
}

// resource is one path and its operations.
type resource struct {
	path    string
	methods []method
}

func (r *resource) method(verb string) *method {
	for i := range r.methods {
		if r.methods[i].verb == verb {
			return &r.methods[i]
		}
	}
	return nil
}

// allow is the value of the Allow header.
func (r *resource) allow() string {
	verbs := make([]string, len(r.methods))
	for i, m := range r.methods {
		verbs[i] = m.verb
	}
	return strings.Join(verbs, ", ")
}

// table is the API's routing, built once and never changed: a PSP is made many
// times a second, and a router compiles a regular expression for each path.
type table struct {
	router    *mux.Router
	resources map[*mux.Route]*resource
}

var routes = sync.OnceValue(func() *table {
	t := &table{router: mux.NewRouter().SkipClean(true), resources: map[*mux.Route]*resource{}}
	for _, r := range resources() {
		t.resources[t.router.Path(r.path)] = &r
	}
	return t
})

// resources lists the paths, the busiest first: they are tried in order.
func resources() []resource {
	return slices.Concat(busyResources(), []resource{
		{"/v2/webhook/{chave}", []method{
			{verb: http.MethodGet, serve: getWebhook, scope: ScopeWebhookRead},
			{verb: http.MethodPut, serve: putWebhook, scope: ScopeWebhookWrite},
			{verb: http.MethodDelete, serve: deleteWebhook, scope: ScopeWebhookWrite},
		}},
		{"/v2/cob", []method{
			{verb: http.MethodGet, serve: listCharges, scope: ScopeChargeRead},
			{verb: http.MethodPost, serve: postCharge, scope: ScopeChargeWrite},
		}},
		{"/v2/webhook", []method{
			{verb: http.MethodGet, serve: listWebhooks, scope: ScopeWebhookRead},
		}},
		{"/oauth/token", []method{
			{verb: http.MethodPost, serve: postToken, route: chaos.RouteToken, place: chaos.PlaceToken},
		}},
	})
}

func busyResources() []resource {
	const refundPath = "/v2/pix/{e2eid}/devolucao/{id}"
	return []resource{
		{"/v2/pix", []method{
			{verb: http.MethodGet, serve: listPayments, scope: ScopePaymentRead,
				route: chaos.RoutePixList, place: chaos.PlaceList},
		}},
		{"/extrato", []method{
			{verb: http.MethodGet, serve: listStatement, scope: ScopePaymentRead,
				route: chaos.RouteStatementList, place: chaos.PlaceStatement},
		}},
		{"/v2/cob/{txid}", []method{
			{verb: http.MethodGet, serve: getCharge, scope: ScopeChargeRead, route: chaos.RouteChargeGet, id: "txid"},
			{verb: http.MethodPut, serve: putCharge, scope: ScopeChargeWrite, route: chaos.RouteChargePut, id: "txid"},
			{verb: http.MethodPatch, serve: patchCharge, scope: ScopeChargeWrite},
		}},
		{"/v2/pix/{e2eid}", []method{
			{verb: http.MethodGet, serve: getPayment, scope: ScopePaymentRead, route: chaos.RoutePixGet, id: "e2eid"},
		}},
		{refundPath, []method{
			{verb: http.MethodGet, serve: getRefund, scope: ScopePaymentRead, route: chaos.RouteRefundGet, subject: refundSubject},
			{verb: http.MethodPut, serve: putRefund, scope: ScopePaymentWrite, route: chaos.RouteRefundPut, subject: refundSubject},
		}},
		{"/pagamentos/pix", []method{
			{verb: http.MethodPost, serve: postPayout, scope: ScopePaymentWrite, route: chaos.RoutePayoutPost, subject: payoutSubject},
		}},
		{"/pagamentos/pix/chave-idempotencia/{key}", []method{
			{verb: http.MethodGet, serve: getPayoutByKey, scope: ScopePaymentRead, route: chaos.RoutePayoutGet, subject: payoutSubject},
		}},
		{"/pagamentos/pix/{e2eid}", []method{
			{verb: http.MethodGet, serve: getPayout, scope: ScopePaymentRead, route: chaos.RoutePayoutGet, subject: payoutSubject},
		}},
		{"/pagamentos/chaves/{chave}", []method{
			{verb: http.MethodGet, serve: lookUpPayee, scope: ScopePaymentRead},
		}},
	}
}

// match finds the call's operation. The router only matches: it redirects
// nothing, so a path with "//" is simply not found.
func (c *call) match() {
	t := routes()
	var m mux.RouteMatch
	if !t.router.Match(c.request, &m) {
		return
	}
	r := t.resources[m.Route]
	c.vars = m.Vars
	if c.method = r.method(c.request.Method); c.method == nil {
		c.allow = r.allow()
	}
}
