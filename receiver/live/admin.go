package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Check is one thing that has to be right before traffic is welcome.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// AdminConfig is what the administrators' port is made of.
type AdminConfig struct {
	// Token has to be shown as a bearer token by whoever asks for anything but
	// /healthz, 16 characters or more.
	Token string
	Store receiver.Store
	// Consumer is whose charges and payouts are meant, unless it is told.
	Consumer string
	Metrics  http.Handler
	// Checks are what /readyz looks at.
	Checks []Check
}

// NewAdmin serves operators and machines:
//
//	GET  /healthz                        the process serves; needs no token
//	GET  /readyz                         each check; 503 unless all are right
//	GET  /metrics                        for Prometheus
//	GET  /admin/quarantine               ?kind=waiting|bad &after=ID &limit=N
//	GET  /admin/quarantine/{id}          one event, with its bytes
//	POST /admin/quarantine/{id}/requeue  {operator, note}
//	POST /admin/quarantine/{id}/drop     {operator, note}
//	GET  /admin/cases                    ?state=open|closed &after=ID &limit=N
//	GET  /admin/cases/{id}               one case
//	POST /admin/cases/{id}/close         {operator, note, to}
//	POST /admin/attach                   {operator, note, endToEndId, reference, consumer}
//	GET  /admin/payouts                  the conciliation queue; ?open what has no known end, ?all every one; ?after=NEXT &limit=N
//	GET  /admin/payouts/{reference}      one payout; ?consumer=
//	POST /admin/payouts/{reference}/retry {operator, note, consumer}
//	POST /admin/payouts/{reference}/fail {operator, note, consumer}
//	GET  /admin/outbox                   dead letters; ?all every event; ?endpoint= &after=ID &limit=N
//	POST /admin/outbox/{id}/replay       {operator, note}
//	POST /admin/outbox/{id}/skip         {operator, note}
//	POST /admin/reconcile                {operator, note, from, to}; answers 202 with an id
//	GET  /admin/reconcile/{id}           202 until it is done, then the report; ?format=json|text|csv
//	GET  /admin/report/{day}             the report of a closed day; ?format=json|text|csv
//	GET  /admin/records                  what operators did; ?after=NUMBER &limit=N
//
// The store records every decision with the operator's name and note, in the
// transaction that carries it out. A decision that finds nothing to decide
// answers 409.
func NewAdmin(c AdminConfig) (http.Handler, error) {
	if err := checkToken("the administrators' token", c.Token); err != nil {
		return nil, err
	}
	a := &admin{c}
	m := http.NewServeMux()
	m.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	m.HandleFunc("GET /readyz", a.ready)
	m.Handle("GET /metrics", c.Metrics)
	m.HandleFunc("GET /admin/quarantine", a.listQuarantine)
	m.HandleFunc("GET /admin/quarantine/{id}", a.showEvent)
	m.HandleFunc("POST /admin/quarantine/{id}/requeue", a.decide(c.Store.RequeueEvents))
	m.HandleFunc("POST /admin/quarantine/{id}/drop", a.decide(c.Store.DropEvents))
	m.HandleFunc("GET /admin/cases", a.listCases)
	m.HandleFunc("POST /admin/cases/{id}/close", a.closeCase)
	m.HandleFunc("POST /admin/attach", a.attach)
	m.HandleFunc("GET /admin/cases/{id}", a.showCase)
	m.HandleFunc("GET /admin/payouts", a.listPayouts)
	m.HandleFunc("GET /admin/payouts/{reference}", a.showPayout)
	m.HandleFunc("POST /admin/payouts/{reference}/retry", a.resolvePayout(receiver.ResolveRetry))
	m.HandleFunc("POST /admin/payouts/{reference}/fail", a.resolvePayout(receiver.ResolveFailed))
	m.HandleFunc("GET /admin/outbox", a.listOutbox)
	m.HandleFunc("POST /admin/outbox/{id}/replay", a.decideLetter(c.Store.ReplayOutbox))
	m.HandleFunc("POST /admin/outbox/{id}/skip", a.decideLetter(c.Store.SkipOutbox))
	m.HandleFunc("POST /admin/reconcile", a.requestWindow)
	m.HandleFunc("GET /admin/reconcile/{id}", a.showWindow)
	m.HandleFunc("GET /admin/report/{day}", a.showReport)
	m.HandleFunc("GET /admin/records", a.listRecords)
	m.HandleFunc("/", nothingFor)
	open := http.NewServeMux()
	open.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	open.Handle("/", bearer(c.Token, m))
	return unclean(open, bearer(c.Token, http.HandlerFunc(nothingFor))), nil
}

func nothingFor(w http.ResponseWriter, req *http.Request) {
	problem(w, http.StatusNotFound, pix.ProblemNotFound, "nothing for "+req.Method+" at "+req.URL.Path)
}

// unclean leaves paths such as //admin/cases to another handler: http.ServeMux
// would send the caller elsewhere, whoever that is.
func unclean(next, other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		clean := path.Clean("/" + req.URL.Path)
		if clean != req.URL.Path && clean+"/" != req.URL.Path {
			other.ServeHTTP(w, req)
			return
		}
		next.ServeHTTP(w, req)
	})
}

type admin struct{ AdminConfig }

func (a *admin) ready(w http.ResponseWriter, req *http.Request) {
	status, checks := http.StatusOK, map[string]string{}
	for _, c := range a.Checks {
		checks[c.Name] = "ok"
		if err := c.Run(req.Context()); err != nil {
			status, checks[c.Name] = http.StatusServiceUnavailable, err.Error()
		}
	}
	answer(w, status, map[string]any{"ready": status == http.StatusOK, "checks": checks})
}

// word is an operator's: who, and why.
type word struct {
	Operator string `json:"operator"`
	Note     string `json:"note"`
}

func (o word) validate() error {
	if o.Operator == "" || o.Note == "" {
		return errors.New("want operator and note: the decision is recorded with both")
	}
	return nil
}

// maxWord bounds an operator's body, in bytes.
const maxWord = 64 << 10

// read takes a request's body into v, or answers 400.
func read(w http.ResponseWriter, req *http.Request, v interface{ validate() error }) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxWord))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("want one JSON object and nothing after it")
		}
	}
	if err == nil {
		err = v.validate()
	}
	if err != nil {
		problem(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return false
	}
	return true
}

// maxPage bounds a list's page.
const maxPage = 500

// pageSize is the limit of a list, 100 unless told.
func pageSize(req *http.Request) (int, error) {
	text := req.URL.Query().Get("limit")
	if text == "" {
		return 100, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, errors.New("limit: want a whole number from 1 to " + strconv.Itoa(maxPage))
	}
	return n, nil
}

// done answers a decision: carried out, nothing to decide, or not known.
func done(w http.ResponseWriter, ok bool, why string, err error) {
	switch {
	case err != nil:
		unavailable(w, err)
	case !ok:
		problem(w, http.StatusConflict, pix.ProblemInvalidRequest, why)
	default:
		answer(w, http.StatusOK, map[string]bool{"done": true})
	}
}

func unavailable(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "5")
	problem(w, http.StatusServiceUnavailable, pix.ProblemUnavailable, err.Error())
}

func answer(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		problem(w, http.StatusInternalServerError, pix.ProblemInternal, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the peer may be gone; there is no one else to tell
}
