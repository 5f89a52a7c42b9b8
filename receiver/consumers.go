package receiver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
)

// TokenDigest is the SHA-256 of a consumer's bearer token: the token itself is
// kept nowhere.
type TokenDigest [sha256.Size]byte

// DigestToken is the digest of a token.
func DigestToken(token string) TokenDigest { return sha256.Sum256([]byte(token)) }

// sharedToken names two consumers that show the same token, so that nobody can
// tell them apart; empty if there are none.
func (c *Config) sharedToken() string {
	owners := map[TokenDigest]string{}
	for _, name := range c.consumerNames() {
		if other, ok := owners[c.Consumers[name]]; ok {
			return other + " and " + name
		}
		owners[c.Consumers[name]] = name
	}
	return ""
}

func (c *Config) consumerNames() []string {
	names := make([]string, 0, len(c.Consumers))
	for name := range c.Consumers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// consumerOf is who sends a request, by its bearer token. All tokens are
// compared, each in the same time, whichever fits.
func (r *Receiver) consumerOf(req *http.Request) (string, bool) {
	scheme, shown, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	got := DigestToken(strings.TrimSpace(shown))
	found := ""
	for _, name := range r.consumers {
		want := r.cfg.Consumers[name]
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			found = name
		}
	}
	switch {
	case found != "" && strings.EqualFold(scheme, "Bearer"):
		return found, true
	case r.cfg.Open:
		return r.cfg.Consumer, true
	}
	return "", false
}

// merchantEndpoint serves a route of the merchant's API, once it is known whose
// request it is.
type merchantEndpoint func(r *Receiver, w http.ResponseWriter, req *http.Request, consumer string)

// authenticated lets in who shows a consumer's token.
func authenticated(serve merchantEndpoint) endpoint {
	return func(r *Receiver, w http.ResponseWriter, req *http.Request) {
		consumer, ok := r.consumerOf(req)
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, pix.ProblemForbidden, "want the bearer token of a consumer")
			return
		}
		serve(r, w, req, consumer)
	}
}
