package live

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// The largest bodies that the lab port reads.
const (
	maxOrders = 16 << 20
	maxPlan   = 64 << 20
)

// lab is the lab port.
type lab struct {
	m     *machine
	token [sha256.Size]byte // its digest: comparing digests tells nothing of its length
}

// action is what a path does: it gives a value to answer with, or an error.
type action func(r *http.Request) (any, error)

// routes are the paths of the lab port.
func (l *lab) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, act action) { mux.Handle(pattern, l.guarded(act.serve)) }
	handle("POST /lab/charges", l.charge)
	handle("POST /lab/payments", l.pay)
	handle("POST /lab/refunds", l.refund)
	handle("POST /lab/disputes", l.dispute)
	handle("POST /lab/plan", l.applyPlan)
	handle("GET /lab/plan", func(*http.Request) (any, error) { return l.m.planState() })
	handle("POST /lab/heal", func(*http.Request) (any, error) { return l.m.heal(), nil })
	handle("GET /lab/truth", func(*http.Request) (any, error) { return l.m.truth(), nil })
	handle("GET /lab/statement", func(*http.Request) (any, error) { return l.m.statement(), nil })
	handle("GET /lab/check", func(*http.Request) (any, error) { return l.m.check(), nil })
	handle("GET /lab/deliveries", func(*http.Request) (any, error) { return l.m.deliveries(), nil })
	handle("GET /lab/faults", func(*http.Request) (any, error) { return l.m.faults(), nil })
	mux.Handle("GET /lab/deliveries/acknowledged", l.guarded(l.acknowledged))
	mux.Handle("/lab/", l.guarded(func(w http.ResponseWriter, r *http.Request) { writeError(w, notFound("no such path: %s", r.URL.Path)) }))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	return mux
}

// guarded lets through who shows the token.
func (l *lab) guarded(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(token))
		if subtle.ConstantTimeCompare(got[:], l.token[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
			writeError(w, refusal{http.StatusUnauthorized, "want the lab's token as a bearer token"})
			return
		}
		next(w, r)
	})
}

// serve answers with what the action gives.
func (act action) serve(w http.ResponseWriter, r *http.Request) {
	value, err := act(r)
	if err != nil {
		writeError(w, err)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n')) // the caller may be gone; there is no one else to tell
}

func (l *lab) applyPlan(r *http.Request) (any, error) {
	body, err := readBody(r, maxPlan)
	if err != nil {
		return nil, err
	}
	plan, err := chaos.ReadPlan(bytes.NewReader(body))
	if err != nil {
		return nil, badRequest("%s", err)
	}
	charges := r.URL.Query().Get("charges")
	if charges != "" && charges != chargesMake {
		return nil, badRequest("charges is %q; want %q, or nothing", charges, chargesMake)
	}
	return l.m.apply(plan, charges == chargesMake)
}

// chargesMake in the query of POST /lab/plan has the lab make the charges.
const chargesMake = "make"

// acknowledged writes the callbacks that were answered 2xx, in that order.
func (l *lab) acknowledged(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, line := range l.m.acknowledged() {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

func (m *machine) statement() pix.StatementPage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	return pix.StatementPage{Lines: m.psp.Statement(m.now.AddDate(-1, 0, 0), m.now.AddDate(1, 0, 0))}
}

func (m *machine) check() Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.psp.Check(); err != nil {
		return Verdict{Detail: err.Error()}
	}
	return Verdict{OK: true}
}

// readBody reads a body up to a limit.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return nil, badRequest("read the body: %s", err)
	}
	return body, err
}

// readJSON reads a body into one value, strictly: no member that is not known,
// and nothing after it.
func readJSON(r *http.Request, into any) error {
	body, err := readBody(r, maxOrders)
	if err != nil {
		return err
	}
	return decodeStrictly(body, into)
}

func decodeStrictly(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return badRequest("read the body: %s", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badRequest("read the body: something follows the first value")
	}
	return nil
}
