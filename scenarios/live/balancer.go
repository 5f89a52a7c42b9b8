package live

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// balancer stands before the receivers as a load balancer does: it hands each
// request to the next one in turn that takes connections. One that cut its
// connection had the request, so that it is no one else's to answer: 502.
type balancer struct {
	http *http.Client

	mu       sync.Mutex
	backends map[int]string // URL by instance
	order    []int
	turn     int
	calls    int64
}

func newBalancer() *balancer {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxIdleConnsPerHost: 64, DisableCompression: true,
	}
	return &balancer{
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		backends: map[int]string{},
	}
}

// put says where an instance listens, "" that it does nowhere.
func (b *balancer) put(instance int, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.backends[instance]; !known {
		b.order = append(b.order, instance)
	}
	b.backends[instance] = url
}

// inTurn are the receivers that are up, the one whose turn it is first.
func (b *balancer) inTurn() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	b.calls++
	var out []string
	for i := range b.order {
		if url := b.backends[b.order[(b.turn+i)%len(b.order)]]; url != "" {
			out = append(out, url)
		}
	}
	return out
}

func (b *balancer) count() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

// maxForwarded is over every receiver's own limit.
const maxForwarded = 32 << 20

// ServeHTTP hands one request on.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForwarded))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	for _, url := range b.inTurn() {
		resp, err := b.forward(r, url, body)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			continue // nobody has seen it
		}
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body) // whoever asked may be gone
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

func (b *balancer) forward(r *http.Request, url string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, url+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = r.Header.Clone()
	return b.http.Do(req)
}
