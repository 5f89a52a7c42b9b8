package broken

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// newKeyEveryRetry sends each try under an id of its own, so that the PSP
// cannot see that it is the same refund.
func newKeyEveryRetry() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "new-key-every-retry", Invariant: "I14",
		Doc: "makes a new id for every try of a refund",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.HTTP = &keyMaker{next: e.Config.HTTP}
			return reference(e, e.Store)
		},
	}
}

// keyMaker gives every PUT of a refund another id.
type keyMaker struct {
	next receiver.Doer
	puts int
}

func isRefundCall(r *http.Request, method string) bool {
	return r.Method == method && strings.Contains(r.URL.Path, "/devolucao/")
}

// Do sends a request, a PUT of a refund under a fresh id.
func (k *keyMaker) Do(r *http.Request) (*http.Response, error) {
	if !isRefundCall(r, http.MethodPut) {
		return k.next.Do(r)
	}
	k.puts++
	url := *r.URL
	tail := strconv.Itoa(k.puts)
	url.Path = url.Path[:len(url.Path)-len(tail)] + tail
	again := *r
	again.URL = &url
	return k.next.Do(&again)
}

// timeoutIsFailure books a refund as failed when its call was not answered.
func timeoutIsFailure() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "timeout-is-failure", Invariant: "I14",
		Doc: "takes a call without an answer for one that did nothing, and puts the money back",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.record = func(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
				for i, c := range in {
					if c.Status == "" && c.NewID == "" {
						in[i].Refused, in[i].Problem = true, "time-out"
					}
				}
				return e.Store.RecordRefunds(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// notFoundIsProof takes the PSP's 404 for proof that a call did nothing.
func notFoundIsProof() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "not-found-is-proof", Invariant: "I14",
		Doc: "gives a refund up when the PSP does not find it, however soon it asks",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.ProofAfter = time.Nanosecond
			e.Config.HTTP = &believer{next: e.Config.HTTP, missed: map[string]bool{}}
			return reference(e, e.Store)
		},
	}
}

// believer answers a repeated PUT itself once a GET found nothing.
type believer struct {
	next   receiver.Doer
	missed map[string]bool
}

// Do sends a request, unless it believes to know the answer.
func (b *believer) Do(r *http.Request) (*http.Response, error) {
	if isRefundCall(r, http.MethodPut) && b.missed[r.URL.Path] {
		return &http.Response{
			StatusCode: http.StatusBadRequest, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader([]byte(`{"type":"x","title":"not found","status":400,"violacoes":[{"propriedade":"devolucao.valor"}]}`))),
		}, nil
	}
	resp, err := b.next.Do(r)
	if err == nil && isRefundCall(r, http.MethodGet) && resp.StatusCode == http.StatusNotFound {
		b.missed[r.URL.Path] = true
	}
	return resp, err
}

// refundsRefused refuses every refund.
func refundsRefused() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "refunds-refused", Invariant: "I17",
		Doc: "refuses every refund that the merchant asks for",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.reserve = func(_ context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
				out := make([]receiver.ReserveOutcome, len(in))
				for i := range out {
					out[i] = receiver.ReserveOutcome{Result: receiver.ReserveRefused, Reason: "refunds are closed"}
				}
				return out, nil
			}
			return reference(e, o)
		},
	}
}
