package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// slowPSP stands between receivers and a PSP and is slower than whoever asks for a
// payout has patience: no such call is answered before the caller has given up.
// Of every second payout the first call does not even reach the PSP before; it
// does once the caller has asked what became of it and was told that there is
// nothing. Questions are answered at once.
type slowPSP struct {
	url    string // where it listens
	psp    string // the one behind it
	server *http.Server
	calls  *http.Client
	ended  <-chan struct{} // the load was interrupted

	mu    sync.Mutex
	keys  map[string]*slowKey
	count slowCount
	late  sync.WaitGroup // calls that are carried out for nobody
}

// slowKey is one payout as it passed by.
type slowKey struct {
	calls    int
	late     bool          // the first call is to come late
	asked    chan struct{} // closed when the first question was answered
	question sync.Once
}

// slowCount counts calls that ask for payouts.
type slowCount struct {
	calls, unanswered, late int
}

// slowPatience bounds every wait for a caller.
const slowPatience = 30 * time.Second

// startSlowPSP starts one that waits for nobody any more once ctx has ended.
func startSlowPSP(ctx context.Context, psp string) (*slowPSP, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, environmentError{"open a port", err}
	}
	s := &slowPSP{
		url: "http://" + l.Addr().String(), psp: psp, keys: map[string]*slowKey{},
		ended: ctx.Done(),
		calls: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: slowPatience}
	go func() { _ = s.server.Serve(l) }() // ends by close alone
	return s, nil
}

// close ends it, with what is still to be carried out.
func (s *slowPSP) close() error {
	s.late.Wait()
	err := s.server.Close()
	s.calls.CloseIdleConnections()
	return err
}

// drained waits until nothing is left to be carried out late, and counts.
func (s *slowPSP) drained() slowCount {
	s.late.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// The paths of payouts.
const (
	payoutPath      = "/pagamentos/pix"
	payoutByKeyPath = payoutPath + "/chave-idempotencia/"
)

// ServeHTTP is the PSP's API.
func (s *slowPSP) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the caller is gone
	}
	if req.Method == http.MethodPost && req.URL.Path == payoutPath {
		s.pay(w, req, body)
		return
	}
	got, err := s.pass(req.Context(), req, body)
	got.write(w, err)
	if key, is := strings.CutPrefix(req.URL.Path, payoutByKeyPath); is && err == nil {
		k := s.key(key)
		k.question.Do(func() { close(k.asked) })
	}
}

// key is the payout of a key.
func (s *slowPSP) key(name string) *slowKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[name]
	if k == nil {
		k = &slowKey{late: len(s.keys)%2 == 0, asked: make(chan struct{})}
		s.keys[name] = k
	}
	return k
}

// pay is a call for a payout: carried out at once, or late, and in either case not
// answered before the caller has hung up.
func (s *slowPSP) pay(w http.ResponseWriter, req *http.Request, body []byte) {
	k := s.key(req.Header.Get("Idempotency-Key"))
	s.mu.Lock()
	k.calls++
	late := k.late && k.calls == 1
	s.count.calls++
	s.mu.Unlock()
	alone := context.WithoutCancel(req.Context())
	var got passed
	var err error
	if !late {
		got, err = s.pass(alone, req, body)
	}
	select {
	case <-req.Context().Done():
		s.note(func(c *slowCount) { c.unanswered++ })
	case <-time.After(slowPatience):
		if !late {
			got.write(w, err)
			return
		}
	}
	if late {
		s.note(func(c *slowCount) { c.late++ })
		s.late.Go(func() {
			select {
			case <-k.asked:
			case <-time.After(slowPatience):
			case <-s.ended:
				return
			}
			_, _ = s.pass(alone, req, body) // nobody hears of it
		})
	}
}

func (s *slowPSP) note(count func(c *slowCount)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count(&s.count)
}

// passed is the PSP's answer.
type passed struct {
	status int
	header http.Header
	body   []byte
}

// pass has the PSP carry a call out.
func (s *slowPSP) pass(ctx context.Context, req *http.Request, body []byte) (passed, error) {
	ctx, cancel := context.WithTimeout(ctx, slowPatience)
	defer cancel()
	out, err := http.NewRequestWithContext(ctx, req.Method, s.psp+req.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return passed{}, err
	}
	out.Header = req.Header.Clone()
	resp, err := s.calls.Do(out)
	if err != nil {
		return passed{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return passed{resp.StatusCode, resp.Header, text}, err
}

func (p passed) write(w http.ResponseWriter, err error) {
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body) // the caller may be gone
}
