package live

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// refusal is what the lab port answers in place of doing what it was told.
// Nothing has changed then.
type refusal struct {
	status int
	text   string
}

// Error is the text, one line.
func (r refusal) Error() string { return r.text }

func conflict(format string, args ...any) error {
	return refusal{http.StatusConflict, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return refusal{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func unacceptable(err error) error { return refusal{http.StatusUnprocessableEntity, err.Error()} }

// refused turns what the PSP has against an order into a refusal.
func refused(err error) error {
	var notRefundable *fakepsp.NotRefundable
	var notDisputable *fakepsp.NotDisputable
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fakepsp.ErrExists):
		return conflict("%s", err)
	case errors.As(err, &notRefundable), errors.As(err, &notDisputable):
		return unacceptable(err)
	}
	return badRequest("%s", err)
}

// writeError is the one place where an error becomes an answer of the lab port.
func writeError(w http.ResponseWriter, err error) {
	var r refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &r):
	case errors.As(err, &large):
		r = refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", large.Limit)}
	default:
		r = refusal{http.StatusInternalServerError, err.Error()}
	}
	if r.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="pixlab"`)
	}
	pix.WriteProblem(w, pix.Problem{Type: "about:blank", Title: http.StatusText(r.status), Status: r.status, Detail: r.text})
}
