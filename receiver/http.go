package receiver

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/pixlab/pixlab/pix"
)

// endpoint serves one route of a receiver.
type endpoint func(r *Receiver, w http.ResponseWriter, req *http.Request)

// ServeHTTP is never called: routes only carry the endpoint, and
// [Receiver.serve] calls it with its own receiver.
func (endpoint) ServeHTTP(http.ResponseWriter, *http.Request) {}

// The routes whose requests carry idempotency keys: part of each key's scope.
const (
	RouteCharges = "/charges"
	RouteRefunds = "/refunds"
	RoutePayouts = "/payouts"
)

// routes is shared by all receivers of the process: it holds no state.
var routes = sync.OnceValue(func() *mux.Router {
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	m.Handle("/pix", endpoint((*Receiver).serveCallback))
	m.Handle(RouteCharges, withKey(RouteCharges, (*Receiver).serveCreateCharge)).Methods(http.MethodPost)
	m.Handle("/charges/{reference}", authenticated((*Receiver).serveGetCharge)).Methods(http.MethodGet)
	m.Handle("/charges/{reference}", authenticated((*Receiver).serveRemoveCharge)).Methods(http.MethodDelete)
	m.Handle(RouteRefunds, withKey(RouteRefunds, (*Receiver).serveCreateRefund)).Methods(http.MethodPost)
	m.Handle("/refunds/{reference}", authenticated((*Receiver).serveGetRefund)).Methods(http.MethodGet)
	m.Handle(RoutePayouts, withKey(RoutePayouts, (*Receiver).serveCreatePayout)).Methods(http.MethodPost)
	m.Handle("/payouts/{reference}", authenticated((*Receiver).serveGetPayout)).Methods(http.MethodGet)
	m.Handle("/memos", authenticated((*Receiver).serveMemo)).Methods(http.MethodPost)
	m.NotFoundHandler = authenticated(nothingThere)
	return m
})

func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	switch r.callbackPath(req) {
	case callbackPix:
		r.serveCallback(w, req)
		return
	case callbackPayouts:
		r.servePayoutCallback(w, req)
		return
	}
	var match mux.RouteMatch
	routes().Match(req, &match)
	if errors.Is(match.MatchErr, mux.ErrMethodMismatch) {
		authenticated(otherMethod)(r, w, req)
		return
	}
	if h, ok := match.Handler.(endpoint); ok {
		h(r, w, mux.SetURLVars(req, match.Vars))
		return
	}
	authenticated(nothingThere)(r, w, req)
}

// What a PSP appends to the URL that we registered.
const (
	callbackPix     = "pix"
	callbackPayouts = "pagamentos"
)

// callbackPath recognises every form in which a PSP appends /pix to the URL
// that we registered: doubled or trailing slashes, the bare URL, and /pix that
// landed in the query; and the same of /pagamentos, but for the bare URL. It is
// "" on a path that is no callback's. No redirect: a PSP that follows none would
// lose the event.
func (r *Receiver) callbackPath(req *http.Request) string {
	for _, what := range [...]string{callbackPix, callbackPayouts} {
		if strings.HasSuffix(req.URL.RawQuery, "/"+what) {
			return what
		}
	}
	path := strings.Trim(req.URL.Path, "/")
	if base := r.callbackBase; base != "" {
		rest, ok := strings.CutPrefix(path, base)
		if !ok {
			return ""
		}
		path = strings.Trim(rest, "/")
	}
	switch path {
	case "", callbackPix:
		return callbackPix
	case callbackPayouts:
		return callbackPayouts
	}
	return ""
}

func notFound(_ *Receiver, w http.ResponseWriter, req *http.Request) {
	pix.WriteProblem(w, pix.NewProblem(pix.ProblemNotFound, "nothing at "+req.URL.Path))
}

// nothingThere is for those who are let in: others are not told what there is.
func nothingThere(r *Receiver, w http.ResponseWriter, req *http.Request, _ string) {
	notFound(r, w, req)
}

// otherMethod answers with the methods that the path has, to those who are let in.
func otherMethod(_ *Receiver, w http.ResponseWriter, req *http.Request, _ string) {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
		var match mux.RouteMatch
		like := *req
		like.Method = method
		if routes().Match(&like, &match) && match.MatchErr == nil {
			allowed = append(allowed, method)
		}
	}
	methodNotAllowed(w, req, allowed...)
}

func methodNotAllowed(w http.ResponseWriter, req *http.Request, allowed ...string) {
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, http.StatusMethodNotAllowed, pix.ProblemInvalidRequest, req.Method+" is not served at "+req.URL.Path)
}

// refuse answers with problem+json of our own status: the spec knows no 401,
// 413, 415, 422 or 429.
func refuse(w http.ResponseWriter, status int, kind pix.ProblemKind, detail string) {
	problemAnswer(status, kind, detail).write(w)
}

// unavailable asks the caller to come back: the store is not to be had.
func unavailable(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, pix.ProblemUnavailable, err.Error())
}

// readBody is io.ReadAll with room from the start for the length that was
// announced, as far as one is believed.
func readBody(r io.Reader, announced int64) ([]byte, error) {
	const least, most = 512, 1 << 16
	room := int64(least)
	if announced >= 0 {
		room = min(announced, most) + 1 // for the read that finds the end
	}
	b := make([]byte, 0, room)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, least)
		}
	}
}

// readJSON reads a request's body into q and checks it. It answers itself, and
// false, where it cannot.
func readJSON(w http.ResponseWriter, req *http.Request, q interface{ validate() error }) bool {
	body, ok := readRequest(w, req)
	return ok && decodeRequest(w, body, q)
}

func writeJSON(w http.ResponseWriter, status int, v any) { jsonAnswer(status, v).write(w) }
