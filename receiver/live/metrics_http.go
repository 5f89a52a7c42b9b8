package live

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// routeOf is the merchant API's route that a request is for, or "callback": the
// receiver takes a callback in many forms of its path.
func routeOf(req *http.Request) string {
	first, _, _ := strings.Cut(strings.Trim(req.URL.Path, "/"), "/")
	switch first {
	case "charges", "refunds", "memos":
		return first
	}
	return routeCallback
}

const routeCallback = "callback"

// Front counts the answers of the public port, and times acknowledgements.
func (m *Metrics) Front(clock receiver.Clock, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		route, began := routeOf(req), clock.Now()
		seen := &sniffer{ResponseWriter: w}
		next.ServeHTTP(seen, req)
		status := seen.status
		if status == 0 {
			status = http.StatusOK // what net/http answers for a handler that says nothing
		}
		if route != routeCallback {
			m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
			return
		}
		m.callbacks.WithLabelValues(strconv.Itoa(status)).Inc()
		if status < 400 {
			m.ack.Observe(clock.Now().Sub(began).Seconds())
			return
		}
		m.refusals.WithLabelValues(refusalReason(status, seen.body)).Inc()
	})
}

// refusalReason is why a callback was refused, as one of a few words.
func refusalReason(status int, body []byte) string {
	switch status {
	case http.StatusUnauthorized:
		return signatureReason(body)
	case http.StatusRequestEntityTooLarge:
		return "too_large"
	case http.StatusUnsupportedMediaType:
		return "compressed"
	case http.StatusBadRequest:
		return "malformed"
	case http.StatusServiceUnavailable:
		return "unavailable"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "no_callback"
	}
	return "other"
}

func signatureReason(body []byte) string {
	p, err := pix.ParseProblem(body)
	if err != nil {
		return "signature"
	}
	switch p.Detail {
	case pix.ErrSignatureMissing.Error():
		return "signature_missing"
	case pix.ErrSignatureMalformed.Error():
		return "signature_malformed"
	case pix.ErrSignatureUnknownKey.Error():
		return "signature_unknown_key"
	case pix.ErrSignatureMismatch.Error():
		return "signature_mismatch"
	case pix.ErrSignatureExpired.Error():
		return "signature_expired"
	}
	return "signature"
}

func isPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}
