package broken

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// checkThenInsert asks whether a Pix is credited and credits it if not, in two
// transactions: two copies of a callback both hear no.
func checkThenInsert() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "check-then-insert", Invariant: "I1",
		Doc: "credits in the callback's handler: SELECT, and INSERT if it found nothing",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			b, err := reference(e, e.Store)
			if err != nil {
				return b, err
			}
			return onCallbacks(b, eager{e}.serve), nil
		},
	}
}

// eager books callbacks before the workers do.
type eager struct{ env scenarios.Env }

func (g eager) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &statusKeeper{ResponseWriter: w}
	next.ServeHTTP(answer, r)
	if answer.status != http.StatusOK {
		return
	}
	items, err := pix.ParseCallback(body)
	if err != nil {
		return
	}
	for i, it := range items {
		if it.Err == nil {
			g.credit(r, it.Payment, i)
		}
	}
}

// statusKeeper remembers the status that a handler wrote.
type statusKeeper struct {
	http.ResponseWriter
	status int
}

// WriteHeader passes the status on.
func (k *statusKeeper) WriteHeader(status int) {
	k.status = status
	k.ResponseWriter.WriteHeader(status)
}

func (g eager) credit(r *http.Request, p pix.Payment, item int) {
	var found bool
	subject := []string{string(p.EndToEndID)}
	err := g.env.Exec(r.Context(), "SelectPayment", subject, func(tx *memory.Tx) error {
		_, found = tx.Payment(p.EndToEndID)
		return nil
	})
	if err != nil || found {
		return
	}
	// Here is the gap: whoever asks now hears the same no.
	_ = g.env.Exec(r.Context(), "InsertPayment", subject, func(tx *memory.Tx) error {
		reference := receiver.CreditReference(p.EndToEndID) + "/" + strconv.FormatInt(tx.Now().UnixNano(), 36) + "/" + strconv.Itoa(item)
		return book(tx, credit(p), false, reference)
	})
}
