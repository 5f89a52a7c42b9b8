package broken

import (
	"net/http"

	"github.com/pixlab/pixlab/scenarios"
)

// callbacksRefused answers 500 to every callback. Sweeps and reconciliation
// bring the money in all the same, hours later; a PSP would have switched the
// endpoint off by then.
func callbacksRefused() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "callbacks-refused", Invariant: "I17",
		Doc: "refuses every callback and leaves the money to the sweep",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			b, err := reference(e, e.Store)
			if err != nil {
				return b, err
			}
			return onCallbacks(b, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.WriteHeader(http.StatusInternalServerError)
			}), nil
		},
	}
}
