package live

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/pixlab/pixlab/pix"
)

// guarded is the port's handler with a deadline on each request's context, and
// a 500 in place of a panic.
func guarded(cfg ServerConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := cfg.Clock.WithTimeout(req.Context(), cfg.HandlerTimeout)
		defer cancel()
		late := cfg.Clock.Now().Add(cfg.ReadTimeout)
		seen := &sniffer{ResponseWriter: w, refusing: func() { drain(w, req, earlier(late, cfg.Clock.Now().Add(drainLimit))) }}
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			cfg.Panicked()
			cfg.Log.Error("handler panicked", "port", cfg.Name, "path", req.URL.Path, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			if seen.status != 0 {
				panic(http.ErrAbortHandler) // half an answer is out: cut it, so that nobody takes it for whole
			}
			pix.WriteProblem(w, pix.NewProblem(pix.ProblemInternal, "internal error"))
		}()
		cfg.Handler.ServeHTTP(seen, req.WithContext(ctx))
	})
}

// maxSniffed bounds what is kept of a refusal's body, in bytes.
const maxSniffed = 2 << 10

// sniffer is a response writer that remembers the status, and the beginning of
// a refusal's body.
type sniffer struct {
	http.ResponseWriter
	status int // 0 until something was written
	body   []byte
	// refusing is called once, before a refusal goes out.
	refusing func()
}

// WriteHeader remembers the status; 1xx are on the way to it.
func (s *sniffer) WriteHeader(status int) {
	if s.status == 0 && status >= 200 {
		if s.status = status; status >= 400 && s.refusing != nil {
			s.refusing()
		}
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write remembers what a refusal says.
func (s *sniffer) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	if s.status >= 400 && len(s.body) < maxSniffed {
		s.body = append(s.body, p[:min(len(p), maxSniffed-len(s.body))]...)
	}
	return s.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (s *sniffer) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// minToken is the length of a token that cannot be guessed, in bytes.
const minToken = 16

// checkToken says what is wrong with a token.
func checkToken(what, token string) error {
	if len(token) < minToken {
		return fmt.Errorf("live: %s: want %d characters or more", what, minToken)
	}
	return nil
}

// bearer lets those pass who show the token. The comparison takes as long for
// any two tokens.
func bearer(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		scheme, shown, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(shown)))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !strings.EqualFold(scheme, "Bearer") {
			w.Header().Set("WWW-Authenticate", "Bearer")
			problem(w, http.StatusUnauthorized, pix.ProblemForbidden, "want the bearer token")
			return
		}
		next.ServeHTTP(w, req)
	})
}

// problem answers with problem+json of our own status.
func problem(w http.ResponseWriter, status int, kind pix.ProblemKind, detail string) {
	p := pix.NewProblem(kind, detail)
	p.Status = status
	pix.WriteProblem(w, p)
}
