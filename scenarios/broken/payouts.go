package broken

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// payoutTimeoutIsFailure books a payout as failed when its call was not answered.
func payoutTimeoutIsFailure() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "payout-timeout-is-failure", Invariant: "I14",
		Doc: "takes a payout's call without an answer for one that did nothing, and puts the money back",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.recordPayouts = func(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
				for i := range in {
					giveUp(&in[i])
				}
				return e.Store.RecordPayouts(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// giveUp makes a call that taught nothing one that was refused.
func giveUp(c *receiver.PayoutCall) {
	if c.Status == "" && !c.LookedUp {
		c.Refused, c.Problem = true, "no answer"
	}
}

// payoutAskedByIDOnly has nothing to ask by where the answer got lost that would
// have told the endToEndId.
func payoutAskedByIDOnly() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "payout-asked-by-id-only", Invariant: "I14",
		Doc: "asks about payouts by endToEndId alone, and takes one whose id it was never told for one that was never made",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.recordPayouts = func(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
				refs := make([]receiver.PayoutRef, len(in))
				for i := range in {
					refs[i] = in[i].Ref
				}
				known, err := e.Store.FindPayouts(ctx, refs)
				if err != nil {
					return nil, err
				}
				for i, x := range known {
					if x != nil && x.EndToEndID == "" {
						giveUp(&in[i])
					}
				}
				return e.Store.RecordPayouts(ctx, in)
			}
			return reference(e, o)
		},
	}
}

// payoutRepeatedPastItsKey goes on repeating, although the PSP may have forgotten
// the key: then the same key is another payout.
func payoutRepeatedPastItsKey() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "payout-repeated-past-its-key", Invariant: "I14",
		Doc: "repeats a payout under its key for ever, past the time for which the PSP remembers that key",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.PayoutAttempts = 1 << 10
			e.Config.PayoutKeyTTL = 1 << 12 * time.Hour
			return reference(e, e.Store)
		},
	}
}

// payoutNewKeyEveryTry sends each try under a key of its own, so that the PSP
// cannot see that it is the same payout.
func payoutNewKeyEveryTry() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "payout-new-key-every-try", Invariant: "I14",
		Doc: "makes a new key for every try of a payout",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			e.Config.HTTP = &payoutKeyMaker{next: e.Config.HTTP, tries: map[string]int{}}
			return reference(e, e.Store)
		},
	}
}

// payoutKeyMaker gives every request of a payout but its first another key, and
// does not wonder at answers under it.
type payoutKeyMaker struct {
	next  receiver.Doer
	tries map[string]int
}

// Do sends a request, the repeat of a payout's under a fresh key.
func (k *payoutKeyMaker) Do(r *http.Request) (*http.Response, error) {
	key := r.Header.Get(receiver.IdempotencyHeader)
	if key == "" {
		return k.next.Do(r)
	}
	if k.tries[key]++; k.tries[key] == 1 {
		return k.next.Do(r)
	}
	fresh := key + "x" + strconv.Itoa(k.tries[key])
	again := *r
	again.Header = r.Header.Clone()
	again.Header.Set(receiver.IdempotencyHeader, fresh)
	resp, err := k.next.Do(&again)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.ReplaceAll(body, []byte(fresh), []byte(key))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}
