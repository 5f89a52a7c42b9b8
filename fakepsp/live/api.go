package live

import (
	"io"
	"net/http"
	"time"
)

// Bounds of a call. A fault may hold an answer back for longer; the time to
// write it counts from when it is let go.
const (
	maxHeader    = 64 << 10
	maxCall      = 1<<20 + 1 // one byte over what the API takes, so that it can say so
	headTimeout  = 5 * time.Second
	readTimeout  = 10 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = time.Minute
)

// api is the API port.
type api struct{ m *machine }

// ServeHTTP answers one call: it reads the body, has the PSP act, holds the
// answer back for as long as a fault wants, and writes it or cuts.
func (a api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	deadline := http.NewResponseController(w).SetWriteDeadline // no server of ours lacks it
	_ = deadline(time.Time{})                                  // or that of the connection's last call would hold
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		panic(http.ErrAbortHandler) // the caller never finished it
	}
	reply := a.m.handle(r, body)
	if reply.After > 0 {
		held := time.NewTimer(reply.After)
		defer held.Stop()
		select {
		case <-held.C:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	if reply.Cut {
		panic(http.ErrAbortHandler)
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	_ = deadline(time.Now().Add(writeTimeout))
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // the caller may be gone; there is no one else to tell
}
