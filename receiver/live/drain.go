package live

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// What is read of a body that is refused, in bytes, and for how long.
const (
	maxDrained = 8 << 20
	drainLimit = 5 * time.Second
)

// drain reads what is left of a refused request's body. A connection that is
// closed with bytes unread is reset, and a client that sends all of its body
// before it looks for an answer would be told of the reset and not of the
// refusal. What is larger still, or slower, is cut off. A client that waits for
// 100 Continue looks for the answer first, and has sent nothing.
func drain(w http.ResponseWriter, req *http.Request, until time.Time) {
	if req.Body == nil || req.Body == http.NoBody || req.Header.Get("Expect") != "" {
		return
	}
	conn := http.NewResponseController(w)
	if err := conn.SetReadDeadline(until); err != nil {
		return // no connection of net/http's: nothing to reset
	}
	if _, err := io.CopyN(io.Discard, req.Body, maxDrained); !errors.Is(err, io.EOF) {
		w.Header().Set("Connection", "close")
		return
	}
	_ = conn.SetReadDeadline(time.Time{}) // that of the next request is set when it is waited for
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
