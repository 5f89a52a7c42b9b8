package live

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
)

// errAnswerLost is what the PSP sees of an answer that a fault lost.
var errAnswerLost = errors.New("the answer got lost")

// courier carries the PSP's callbacks.
type courier struct {
	m    *machine
	http *http.Client
}

func newCourier(m *machine) *courier {
	transport := &http.Transport{
		TLSHandshakeTimeout: m.opt.CallbackTimeout, MaxIdleConnsPerHost: m.opt.Senders, IdleConnTimeout: 30 * time.Second,
		DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
	}
	if m.opt.CallbackTLS != nil {
		transport.TLSClientConfig = m.opt.CallbackTLS.Clone()
	}
	return &courier{m: m, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// run takes what is due, as long as one of its senders is free, until ctx ends.
// It returns when the last of them is back; for those on their way when ctx
// ends, the grace period is the longest that this takes.
func (c *courier) run(ctx context.Context) {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	free := make(chan struct{}, c.m.opt.Senders)
	var senders sync.WaitGroup
	for {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
		}
		a := c.next(ctx)
		if a == nil {
			break
		}
		senders.Go(func() {
			c.send(sending, a)
			<-free
		})
	}
	late := time.AfterFunc(c.m.opt.Grace, stop)
	defer late.Stop()
	senders.Wait()
	c.http.CloseIdleConnections()
}

// next waits for an attempt that is due; nil is the end of ctx.
func (c *courier) next(ctx context.Context) *fakepsp.Attempt {
	for ctx.Err() == nil {
		a, next, more := c.m.take()
		if a != nil {
			return a
		}
		if !c.m.courierBell.wait(ctx, next, more) {
			break
		}
	}
	return nil
}

// take is the attempt that is due, or how long it is until one may be.
func (m *machine) take() (a *fakepsp.Attempt, next time.Duration, more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	if a = m.psp.Take(); a != nil {
		return a, 0, true
	}
	due, more := m.psp.Due()
	return nil, due.Sub(m.now), more
}

// send carries one attempt and hands in what came of it.
func (c *courier) send(ctx context.Context, a *fakepsp.Attempt) {
	answer := c.post(ctx, a)
	if a.LoseAnswer && answer.Err == nil {
		answer = fakepsp.Answer{Err: errAnswerLost}
	}
	c.m.do(func(p *fakepsp.PSP) { p.Done(a, answer) })
}

// post is one exchange, within the attempt's time-out.
func (c *courier) post(ctx context.Context, a *fakepsp.Attempt) fakepsp.Answer {
	ctx, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, bytes.NewReader(a.Body))
	if err != nil {
		return fakepsp.Answer{Err: err}
	}
	req.Header = a.Header.Clone()
	resp, err := c.http.Do(req)
	if err != nil {
		return fakepsp.Answer{Err: err}
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection serves again; nobody reads it
	return fakepsp.Answer{Status: resp.StatusCode}
}
