package fakepsp

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Reply is the PSP's answer to a call, before it meets a connection.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	// After is how long the answer is held back; the effect happened at once.
	After time.Duration
	// Cut closes the connection without an answer; everything but After is zero.
	Cut bool
}

// maxRequestBody is far above any body that the API takes.
const maxRequestBody = 1 << 20

var errTooLarge = errors.New("body is larger than 1 MiB")

// call is one request on its way through the API.
type call struct {
	request *http.Request
	method  *method // nil if the route or the method does not exist
	allow   string  // the methods of a route that lacks the one called
	vars    map[string]string
	query   url.Values
	body    []byte
	bad     error // why the body could not be read
	now     time.Time
	faults  apiFaults
	subject string
	nth     int
}

// Handle answers one call of the API: /v2, GET /extrato and POST /oauth/token.
// It reads the body,
// acts and answers at the clock's present instant; holding the answer back
// (Reply.After) is the caller's work.
func (p *PSP) Handle(r *http.Request) Reply {
	c := newCall(r)
	p.mu.Lock()
	defer p.unlock()
	c.now = p.present()
	p.hooks.forget(p, c.now)
	p.tokens.revoke(p, c.now)
	p.meetFaults(c)
	reply := p.reply(c)
	p.tell(func(o Observer) { o.Called(c.account(reply)) })
	return reply
}

// ServeHTTP is Handle on a real connection: it waits by Config.Sleep and cuts
// by aborting the handler, which closes the connection.
func (p *PSP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply := p.Handle(r)
	if reply.After > 0 && p.cfg.Sleep != nil {
		if err := p.cfg.Sleep(r.Context(), reply.After); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	if reply.Cut {
		panic(http.ErrAbortHandler)
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // the caller may be gone; there is no one else to tell
}

func newCall(r *http.Request) *call {
	c := &call{request: r}
	c.match()
	if r.URL.RawQuery != "" {
		c.query = r.URL.Query()
	}
	if r.Body != nil && r.Body != http.NoBody {
		c.body, c.bad = io.ReadAll(io.LimitReader(r.Body, maxRequestBody+1))
		if c.bad == nil && len(c.body) > maxRequestBody {
			c.bad = errTooLarge
		}
	}
	return c
}

// reply acts on a call and lets its faults have their way with the answer.
func (p *PSP) reply(c *call) Reply {
	reply, instead := p.answerInstead(c)
	if !instead {
		reply = p.afterwards(c, p.act(c))
	}
	return p.holdBack(c, reply)
}

// act is what a conforming PSP does.
func (p *PSP) act(c *call) Reply {
	switch {
	case c.method == nil && c.allow != "":
		return notAllowed(c)
	case c.method == nil:
		return problem(pix.ProblemNotFound, "no such resource: "+c.request.URL.Path)
	}
	if refusal, refused := p.authorize(c); refused {
		return refusal
	}
	if c.bad != nil {
		return problem(pix.ProblemInvalidRequest, "read body: "+c.bad.Error())
	}
	return c.method.serve(p, c)
}

// account is the call as the observer is told of it.
func (c *call) account(reply Reply) APICall {
	out := APICall{
		Method: c.request.Method, Target: c.request.URL.RequestURI(),
		Subject: c.subject, Nth: c.nth,
		Status: reply.Status, After: reply.After, Faulted: c.faults.fired,
	}
	if c.method != nil {
		out.Route = c.method.route
	}
	return out
}

// marshaler is an object of package pix that writes itself without reflection.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// answer writes an object with a status.
func answer(status int, v marshaler) Reply {
	body, err := v.MarshalJSON()
	if err != nil {
		return problem(pix.ProblemInternal, err.Error())
	}
	return Reply{Status: status, Header: contentType("application/json"), Body: body}
}

func contentType(name string) http.Header { return http.Header{"Content-Type": {name}} }
