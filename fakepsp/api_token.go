package fakepsp

import (
	"crypto/subtle"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// tokenRequest is the body of POST /oauth/token, as a form or as JSON.
type tokenRequest struct {
	GrantType    string `json:"grant_type"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Scope        string `json:"scope"`
}

// tokenAnswer is a token as RFC 6749, 5.1 writes it.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
}

// tokenError is a refusal as RFC 6749, 5.2 writes it.
type tokenError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// postToken is the client credentials grant (RFC 6749, 4.4). The client names
// itself by HTTP Basic or in the body, not by both.
func postToken(p *PSP, c *call) Reply {
	if len(p.cfg.Clients) == 0 {
		return problem(pix.ProblemNotFound, "no such resource: "+c.request.URL.Path)
	}
	r, ok := readTokenRequest(c)
	if !ok {
		return refuseToken("invalid_request", "want a form or a JSON object of texts, and credentials in one place")
	}
	client, known := p.client(r)
	switch {
	case !known:
		reply := tokenReply(http.StatusUnauthorized, tokenError{"invalid_client", "unknown client or wrong secret"})
		reply.Header.Set("WWW-Authenticate", `Basic realm="pix"`)
		return reply
	case r.GrantType != "client_credentials":
		return refuseToken("unsupported_grant_type", "want client_credentials")
	}
	scopes := client.scopes()
	if asked := strings.Fields(r.Scope); len(asked) > 0 {
		for _, scope := range asked {
			if !slices.Contains(scopes, scope) {
				return refuseToken("invalid_scope", "the client has no scope of this name: "+scope)
			}
		}
		scopes = asked
	}
	t := p.tokens.issue(p, client, scopes, c.now)
	return tokenReply(http.StatusOK, tokenAnswer{
		AccessToken: t.text, TokenType: "Bearer",
		ExpiresIn: int64(p.cfg.TokenTTL / time.Second), Scope: strings.Join(t.scopes, " "),
	})
}

func readTokenRequest(c *call) (r tokenRequest, ok bool) {
	kind, _, _ := mime.ParseMediaType(c.request.Header.Get("Content-Type"))
	if kind == "application/json" {
		if err := json.Unmarshal(c.body, &r); err != nil {
			return r, false
		}
	} else {
		form, err := url.ParseQuery(string(c.body))
		if err != nil {
			return r, false
		}
		r = tokenRequest{form.Get("grant_type"), form.Get("client_id"), form.Get("client_secret"), form.Get("scope")}
	}
	id, secret, basic := c.request.BasicAuth()
	if !basic {
		return r, true
	}
	if r.ClientSecret != "" {
		return r, false
	}
	r.ClientID, r.ClientSecret = unescaped(id), unescaped(secret)
	return r, true
}

// unescaped undoes the form encoding that RFC 6749, 2.3.1 wants inside Basic;
// who sends the plain text is taken at it.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// client finds who asks, comparing secrets in constant time.
func (p *PSP) client(r tokenRequest) (Client, bool) {
	for _, c := range p.cfg.Clients {
		if c.ID == r.ClientID {
			return c, subtle.ConstantTimeCompare([]byte(c.Secret), []byte(r.ClientSecret)) == 1
		}
	}
	return Client{}, false
}

func refuseToken(code, description string) Reply {
	return tokenReply(http.StatusBadRequest, tokenError{code, description})
}

func tokenReply(status int, v any) Reply {
	body, err := json.Marshal(v)
	if err != nil { // cannot happen: it is texts and a number
		return problem(pix.ProblemInternal, err.Error())
	}
	header := contentType("application/json")
	header.Set("Cache-Control", "no-store")
	return Reply{Status: status, Header: header, Body: body}
}

// authorize is the refusal of a call without a token that is good for it, where
// tokens are wanted at all.
func (p *PSP) authorize(c *call) (Reply, bool) {
	if len(p.cfg.Clients) == 0 || c.method.scope == "" {
		return Reply{}, false
	}
	scheme, text, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || text == "" {
		return challenge(statusProblem(http.StatusUnauthorized, "no bearer token"), ""), true
	}
	t := p.tokens.byText[strings.TrimSpace(text)]
	switch {
	case t == nil || !c.now.Before(t.expires):
		return challenge(statusProblem(http.StatusUnauthorized, "the token is unknown or has expired"), "invalid_token"), true
	case t.revoked:
		c.faults.fired = true
		p.fire(t.revokedBy)
		return challenge(statusProblem(http.StatusUnauthorized, "the token was revoked"), "invalid_token"), true
	case !slices.Contains(t.scopes, c.method.scope):
		return challenge(problem(pix.ProblemForbidden, "the token lacks the scope "+c.method.scope), "insufficient_scope"), true
	}
	return Reply{}, false
}

// challenge adds what RFC 6750, 3 wants beside a refusal.
func challenge(reply Reply, code string) Reply {
	value := `Bearer realm="pix"`
	if code != "" {
		value += `, error="` + code + `"`
	}
	reply.Header.Set("WWW-Authenticate", value)
	return reply
}
