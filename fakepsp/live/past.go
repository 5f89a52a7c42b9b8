package live

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
)

// pastCall is a call of the API that changed something: a charge, a webhook, a
// token. Before money moves there is nothing else.
type pastCall struct {
	at             time.Time
	method, target string
	header         http.Header
	body           []byte
}

// reborn is a PSP with the run's faults and the past of the present one: each
// call once more, at its old instant. No fault strikes it, since all of them
// are addressed to times from the run's beginning on and to subjects that have
// no name before it.
func (m *machine) reborn(r *run) (*fakepsp.PSP, error) {
	present := m.now
	defer func() { m.now = present }()
	p, err := m.newPSP(r)
	if err != nil {
		return nil, err
	}
	for _, c := range m.past {
		m.now = c.at
		req, err := newRequest(c.method, c.target, c.header)
		if err != nil {
			return nil, err
		}
		req.Body = newBody(c.body)
		if reply := p.Handle(req); reply.Status < 200 || reply.Status > 299 {
			return nil, fmt.Errorf("repeat %s %s: %d", c.method, c.target, reply.Status)
		}
	}
	return p, nil
}

// newRequest is a request that comes by no wire, without its body.
func newRequest(method, target string, header http.Header) (*http.Request, error) {
	req, err := http.NewRequest(method, target, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header = header
	return req, nil
}

// pickHeader keeps what a call's effect can hang on.
func pickHeader(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key"} {
		if values, ok := h[name]; ok {
			out[name] = values
		}
	}
	return out
}

func newBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
