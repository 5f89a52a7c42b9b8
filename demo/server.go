package demo

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/web"
)

// maxOrder bounds the body of an order, in bytes.
const maxOrder = 1 << 12

// Server serves the page and its session. Orders are taken from the page's own
// origin only; off loopback they need the token as well.
type Server struct {
	Session *Session
	// Profiles are those that can be chosen.
	Profiles []chaos.Profile
	// Token, if set, has to come with every request but those for assets: once as
	// ?token=, then as the cookie that this sets.
	Token string
}

// Handler is the demo's front door.
func (s *Server) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.page)
	m.Handle("GET /assets/", web.Assets())
	m.Handle("GET /fonts/", web.Assets())
	m.HandleFunc("GET /api/state", s.state)
	m.HandleFunc("GET /api/changes", s.changes)
	m.HandleFunc("GET /api/receivers", s.receivers)
	m.HandleFunc("GET /api/profiles", s.profiles)
	m.HandleFunc("GET /api/lines", s.lines)
	m.HandleFunc("GET /api/plan", s.plan)
	m.HandleFunc("POST /api/press", s.press)
	m.HandleFunc("POST /api/rate", s.rate)
	m.HandleFunc("POST /api/reset", s.reset)
	m.HandleFunc("POST /api/receiver", s.face)
	m.HandleFunc("POST /api/scene", s.scene)
	m.HandleFunc("POST /api/operate", s.operate)
	return guard(s.Token, m)
}

// guard sets the headers of every answer, and refuses strangers: those without
// the token, where one is set, and orders from other pages.
func guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if !admitted(token, w, r) {
			http.Error(w, "want the token: open the address that pixlab demo printed", http.StatusForbidden)
			return
		}
		if r.Method == http.MethodPost && !sameOrigin(r) {
			http.Error(w, "orders are taken from the demo's own page only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

const tokenCookie = "pixlab_demo"

func admitted(token string, w http.ResponseWriter, r *http.Request) bool {
	if token == "" {
		return true
	}
	same := func(given string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1 }
	if same(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return true
	}
	c, err := r.Cookie(tokenCookie)
	return err == nil && same(c.Value)
}

// sameOrigin wants the Origin that a browser sends with every POST to be ours.
// An address by name must be localhost: another name that leads here is a
// stranger's page (DNS rebinding).
func sameOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || u.Host != r.Host {
		return false
	}
	host := u.Hostname()
	return host == "localhost" || net.ParseIP(host) != nil
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(web.Demo())
}

func (s *Server) state(w http.ResponseWriter, _ *http.Request) {
	state, _ := s.Session.State()
	answer(w, state)
}

// changes tells of every version by server-sent events. A page that comes back
// with the version it saw last hears at once if there is a newer one.
func (s *Server) changes(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "this connection cannot be streamed to", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	seen, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil {
		seen = 0
	}
	fmt.Fprint(w, "retry: 500\n\n")
	flusher.Flush()
	for {
		state, changed := s.Session.State()
		if state.Version > seen {
			seen = state.Version
			fmt.Fprintf(w, "id: %d\nevent: version\ndata: %d\n\n", seen, seen)
			flusher.Flush()
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

// Choice is a receiver that can stand on the left.
type Choice struct {
	Name      string `json:"name"`
	Doc       string `json:"doc"`
	Invariant string `json:"invariant"`
}

func (s *Server) receivers(w http.ResponseWriter, _ *http.Request) {
	var out []Choice
	for _, r := range s.Session.Receivers() {
		out = append(out, Choice{r.Name, r.Doc, r.Invariant})
	}
	answer(w, out)
}

func (s *Server) plan(w http.ResponseWriter, _ *http.Request) {
	p := s.Session.Plan()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(PlanName(p)))
	w.Write(p.Encode())
}

// order is the body of every POST; a route reads what it needs.
type order struct {
	Button   Button        `json:"button"`
	Tenths   int           `json:"tenths"`
	At       chaos.Instant `json:"at"`
	Seed     *chaos.Seed   `json:"seed"`
	Profile  string        `json:"profile"`
	Receiver string        `json:"receiver"`
	Scene    int           `json:"scene"`
	// Operate is an operator's act; its instant is At.
	Operate chaos.OperatorAct `json:"operate"`
}

// refusal is the answer to an order that cannot be carried out as things stand,
// in one line. It is no error of whoever asks: a button may be pressed at any
// instant.
type refusal struct {
	Refused string `json:"refused"`
}

// take reads an order and carries it out. What cannot be meant is answered 400,
// what cannot be done then is a refusal.
func (s *Server) take(w http.ResponseWriter, r *http.Request, do func(order) error) {
	var o order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOrder)).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := do(o); err != nil {
		refuse(w, err)
		return
	}
	s.state(w, r)
}

func refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrUnknown) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, refusal{err.Error()})
}

func (s *Server) press(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error { return s.Session.Press(o.Button, o.At) })
}

func (s *Server) rate(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error { return s.Session.Rate(o.Button, o.Tenths, o.At) })
}

func (s *Server) reset(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error {
		if o.Seed == nil {
			return errors.New("want a seed")
		}
		return s.Session.Reset(chaos.Options{Seed: *o.Seed, Profile: o.Profile})
	})
}

func (s *Server) face(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error { return s.Session.Face(o.Receiver) })
}

func (s *Server) scene(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error { return s.Session.Play(o.Scene) })
}

func (s *Server) operate(w http.ResponseWriter, r *http.Request) {
	s.take(w, r, func(o order) error { return s.Session.Operate(o.Operate, o.At) })
}

func answer(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(raw)
}
