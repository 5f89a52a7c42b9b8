package fakepsp

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const (
	formType = "application/x-www-form-urlencoded"
	fullForm = "grant_type=client_credentials&client_id=shop&client_secret=s3cret"
)

// closedLab is a lab whose API wants tokens of the clients shop, good for
// everything, and till, good for reading.
func closedLab(t *testing.T, faults ...chaos.Deviation) *lab {
	t.Helper()
	return newLabWith(t, func(c *Config) {
		c.TokenTTL = 10 * time.Minute
		c.Clients = []Client{
			{ID: "shop", Secret: "s3cret"},
			{ID: "till", Secret: "other", Scopes: []string{ScopeChargeRead, ScopePaymentRead}},
		}
	}, faults...)
}

func (l *lab) send(verb, target, body string, header ...string) Reply {
	l.t.Helper()
	r := httptest.NewRequest(verb, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return l.psp.Handle(r)
}

// login asks for a token by a form and wants one.
func (l *lab) login(form string) tokenAnswer {
	l.t.Helper()
	reply := l.send("POST", "/oauth/token", form, "Content-Type", formType)
	var got tokenAnswer
	if err := json.Unmarshal(reply.Body, &got); reply.Status != http.StatusOK || err != nil || got.AccessToken == "" {
		l.t.Fatalf("token: got %d %s", reply.Status, reply.Body)
	}
	return got
}

func (l *lab) with(token, verb, target, body string) Reply {
	l.t.Helper()
	return l.send(verb, target, body, "Authorization", "Bearer "+token)
}

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

func TestTokenOpensTheAPI(t *testing.T) {
	t.Parallel()
	l := closedLab(t)
	got := l.login(fullForm)
	if got.TokenType != "Bearer" || got.ExpiresIn != 600 || got.Scope != "cob.write cob.read pix.write pix.read webhook.write webhook.read" {
		t.Errorf("got %+v", got)
	}
	if reply := l.with(got.AccessToken, "PUT", cobPath(1), cobBody("10.00")); reply.Status != http.StatusCreated {
		t.Errorf("got %d %s", reply.Status, reply.Body)
	}
	if reply := l.send("GET", cobPath(1), "", "Authorization", "bearer "+got.AccessToken); reply.Status != http.StatusOK {
		t.Errorf("the scheme's case matters: got %d", reply.Status)
	}
	if next := l.login(fullForm); next.AccessToken == got.AccessToken {
		t.Error("two tokens are one")
	}
	if again := closedLab(t).login(fullForm); again.AccessToken != got.AccessToken {
		t.Errorf("another run gives %s, not %s", again.AccessToken, got.AccessToken)
	}
}

func TestWaysToAskForAToken(t *testing.T) {
	t.Parallel()
	const grant = "grant_type=client_credentials"
	for name, tc := range map[string]struct {
		body   string
		header []string
		status int
		want   string // the scope, or the error
	}{
		"Basic and a form":       {grant, []string{"Content-Type", formType, "Authorization", basic("till", "other")}, 200, "cob.read pix.read"},
		"Basic and JSON":         {`{"grant_type":"client_credentials"}`, []string{"Content-Type", "application/json; charset=utf-8", "Authorization", basic("till", "other")}, 200, "cob.read pix.read"},
		"all in JSON":            {`{"grant_type":"client_credentials","client_id":"till","client_secret":"other"}`, []string{"Content-Type", "application/json"}, 200, "cob.read pix.read"},
		"an escaped secret":      {grant, []string{"Content-Type", formType, "Authorization", basic("till", "%6fther")}, 200, "cob.read pix.read"},
		"fewer scopes":           {grant + "&client_id=till&client_secret=other&scope=pix.read", []string{"Content-Type", formType}, 200, "pix.read"},
		"a scope it has not":     {grant + "&client_id=till&client_secret=other&scope=pix.write", []string{"Content-Type", formType}, 400, "invalid_scope"},
		"a wrong secret":         {grant + "&client_id=till&client_secret=Other", []string{"Content-Type", formType}, 401, "invalid_client"},
		"an unknown client":      {grant + "&client_id=x&client_secret=other", []string{"Content-Type", formType}, 401, "invalid_client"},
		"nobody":                 {grant, []string{"Content-Type", formType}, 401, "invalid_client"},
		"another grant":          {"grant_type=password&client_id=till&client_secret=other", []string{"Content-Type", formType}, 400, "unsupported_grant_type"},
		"credentials twice":      {grant + "&client_secret=other", []string{"Content-Type", formType, "Authorization", basic("till", "other")}, 400, "invalid_request"},
		"a body that is no JSON": {grant, []string{"Content-Type", "application/json"}, 400, "invalid_request"},
		"a body that is no form": {"a=%zz", []string{"Content-Type", formType}, 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			l := closedLab(t)
			reply := l.send("POST", "/oauth/token", tc.body, tc.header...)
			var got struct{ Scope, Error string }
			if err := json.Unmarshal(reply.Body, &got); err != nil || reply.Status != tc.status || got.Scope+got.Error != tc.want {
				t.Errorf("got %d %s", reply.Status, reply.Body)
			}
			if reply.Header.Get("Cache-Control") != "no-store" || (reply.Header.Get("WWW-Authenticate") != "") != (tc.status == 401) {
				t.Errorf("header %v", reply.Header)
			}
			if call := l.calls[0]; call.Route != chaos.RouteToken || call.Target != "/oauth/token" {
				t.Errorf("observed %+v", call)
			}
		})
	}
}

func TestWithoutAGoodToken(t *testing.T) {
	t.Parallel()
	l := closedLab(t)
	token := l.login(fullForm).AccessToken
	unauthorized := func(name, challenge string, header ...string) {
		t.Helper()
		reply := l.send("GET", "/v2/pix?"+wholeDay, "", header...)
		p, err := pix.ParseProblem(reply.Body)
		if reply.Status != 401 || err != nil || p.Status != 401 || p.Type != "about:blank" {
			t.Errorf("%s: got %d %s", name, reply.Status, reply.Body)
		}
		if got := reply.Header.Get("WWW-Authenticate"); got != challenge {
			t.Errorf("%s: challenge %s", name, got)
		}
	}
	const plain, invalid = `Bearer realm="pix"`, `Bearer realm="pix", error="invalid_token"`
	unauthorized("no token", plain)
	unauthorized("another scheme", plain, "Authorization", basic("shop", "s3cret"))
	unauthorized("an unknown token", invalid, "Authorization", "Bearer x")
	l.at(10*time.Minute - 1)
	if reply := l.with(token, "GET", "/v2/pix?"+wholeDay, ""); reply.Status != 200 {
		t.Errorf("just before its end: got %d", reply.Status)
	}
	l.at(10 * time.Minute)
	unauthorized("an expired token", invalid, "Authorization", "Bearer "+token)
	l.login(fullForm)
	unauthorized("one that was forgotten", invalid, "Authorization", "Bearer "+token)
	if len(l.psp.tokens.byText) != 1 || len(l.psp.tokens.order) != 1 {
		t.Errorf("%d tokens are kept", len(l.psp.tokens.byText))
	}
	if reply := l.send("GET", "/v2/nothing", ""); reply.Status != 404 {
		t.Errorf("what is not there: got %d", reply.Status)
	}
}

func TestEachRouteWantsItsScope(t *testing.T) {
	t.Parallel()
	e2e := string(e2eOf(1))
	for _, tc := range []struct{ scope, verb, target string }{
		{ScopeChargeWrite, "PUT", cobPath(1)}, {ScopeChargeWrite, "PATCH", cobPath(1)}, {ScopeChargeWrite, "POST", "/v2/cob"},
		{ScopeChargeRead, "GET", cobPath(1)}, {ScopeChargeRead, "GET", "/v2/cob"},
		{ScopePaymentRead, "GET", "/v2/pix"}, {ScopePaymentRead, "GET", "/v2/pix/" + e2e}, {ScopePaymentRead, "GET", "/extrato"},
		{ScopePaymentRead, "GET", refundPath(1, "R")}, {ScopePaymentWrite, "PUT", refundPath(1, "R")},
		{ScopeWebhookRead, "GET", hookPath}, {ScopeWebhookRead, "GET", "/v2/webhook"},
		{ScopeWebhookWrite, "PUT", hookPath}, {ScopeWebhookWrite, "DELETE", hookPath},
	} {
		l := closedLab(t)
		for _, scope := range Scopes() {
			token := l.login(fullForm + "&scope=" + scope).AccessToken
			reply := l.with(token, tc.verb, tc.target, "")
			if (reply.Status == 403) != (scope != tc.scope) || reply.Status == 401 {
				t.Errorf("%s %s with %s: got %d", tc.verb, tc.target, scope, reply.Status)
			}
			if p, err := pix.ParseProblem(reply.Body); reply.Status == 403 && (err != nil || p.Kind() != pix.ProblemForbidden) {
				t.Errorf("got %s", reply.Body)
			}
		}
	}
}

func TestAnOpenAPIWantsNoToken(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.charge(1, "10.00")
	l.problem(pix.ProblemNotFound, "POST", "/oauth/token", "")
}

func TestTokensAreRevoked(t *testing.T) {
	t.Parallel()
	l := closedLab(t, window(chaos.PlaceToken, 60_000, 120_000, chaos.Change{Revoked: true}))
	old := l.login(fullForm).AccessToken
	get := func(token string) int { return l.with(token, "GET", cobPath(1), "").Status }
	l.at(time.Minute - 1)
	if get(old) != 404 || l.fired() != 0 {
		t.Errorf("fired %d before the window", l.fired())
	}
	l.at(time.Minute)
	fresh := l.login(fullForm).AccessToken
	if l.fired() != 0 {
		t.Error("fired before anybody met it")
	}
	if got := get(old); got != 401 || l.fired() != 1 {
		t.Errorf("got %d, fired %d", got, l.fired())
	}
	if got := get(fresh); got != 404 {
		t.Errorf("a new token: got %d", got)
	}
	if last := l.calls[len(l.calls)-2]; !last.Faulted {
		t.Errorf("observed %+v", last)
	}
	l.at(3 * time.Minute)
	if got := get(old); got != 401 {
		t.Errorf("after the window: got %d", got)
	}
	l.psp.Heal()
	if a, b := get(old), get(fresh); a != 401 || b != 404 {
		t.Errorf("after heal: got %d and %d", a, b)
	}
}

func TestTheTokenRouteFails(t *testing.T) {
	t.Parallel()
	l := closedLab(t, window(chaos.PlaceToken, 0, 1000, chaos.Change{Down: true}),
		window(chaos.PlaceToken, 1000, 2000, chaos.Change{Status: 429}))
	for ms, want := range map[int]int{0: 503, 999: 503, 1000: 429, 2000: 200} {
		l.at(time.Duration(ms) * time.Millisecond)
		reply := l.send("POST", "/oauth/token", fullForm, "Content-Type", formType)
		if reply.Status != want {
			t.Errorf("at %d ms: got %d %s", ms, reply.Status, reply.Body)
		}
	}
	if l.fired() != 2 {
		t.Errorf("fired %d", l.fired())
	}
}

func TestClientsAreValidated(t *testing.T) {
	t.Parallel()
	for name, clients := range map[string][]Client{
		"no ID":     {{Secret: "s"}},
		"no secret": {{ID: "a"}},
		"twice":     {{ID: "a", Secret: "s"}, {ID: "a", Secret: "t"}},
		"a scope":   {{ID: "a", Secret: "s", Scopes: []string{"pix"}}},
	} {
		cfg := Config{PixKeys: []pix.PixKey{ourKey}, Now: func() time.Time { return labStart }, Secret: pix.Secret{Key: []byte("k")}, Clients: clients}
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: New took it", name)
		}
	}
}
