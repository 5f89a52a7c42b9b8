package broken

import (
	"bytes"
	"io"
	"net/http"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios"
)

// signatureNotChecked takes everybody's word: the callback is signed afresh
// with the right key before the reference looks at it. It asks no GET either.
func signatureNotChecked() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "signature-not-checked", Invariant: "I3",
		Doc: "believes a callback whoever sent it",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			b, err := reference(e, e.Store)
			if err != nil {
				return b, err
			}
			return onCallbacks(b, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				r.Header.Set(pix.SignatureHeader, pix.Sign(e.Config.Secrets[0], e.Config.Clock.Now(), body))
				next.ServeHTTP(w, r)
			}), nil
		},
	}
}
