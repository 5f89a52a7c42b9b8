package scenarios

import (
	"net/http"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// askTimeout is how long the merchant waits for an answer of the receiver.
const askTimeout = 20 * time.Second

// merchantHeader is what the merchant sends along: its token, and the key of the
// intention, which is made with it and stays the same in every repeat.
func (w *World) merchantHeader(reference string) http.Header {
	return http.Header{
		"Authorization":            {"Bearer " + consumerToken(w.plan.Seed)},
		receiver.IdempotencyHeader: {reference},
	}
}

// inFlight says whether an answer means that an earlier request with the same
// key is still at work, or died not long ago: the merchant comes again.
func inFlight(method string, status int) bool {
	return method == http.MethodPost && status == http.StatusConflict
}
