package broken

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// naive is the receiver that a first afternoon brings forth: it believes
// whoever posts, takes every delivery for another event, forgets a refund that
// comes before its credit, and never asks the bank what it missed.
func naive() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "naive", Invariant: "I1",
		Doc: "believes every callback, knows a delivery and not a Pix, and never asks what it missed",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := onEvents(e, func(ev receiver.Event) bool { return isCredit(ev) || isRefund(ev) }, "BookDelivery", takeAtItsWord)
			o.append = appendDelivery(e)
			b, err := reference(e, o)
			if err != nil {
				return b, err
			}
			b.Steps = slices.DeleteFunc(b.Steps, asksTheBank)
			return onCallbacks(b, believe(e)), nil
		},
	}
}

// takeAtItsWord books what a callback says, whatever it says. A refund whose
// credit is unknown is taken for done.
func takeAtItsWord(tx *memory.Tx, ev receiver.Event, a receiver.Application) (receiver.ApplyResult, error) {
	if isRefund(ev) {
		if _, known := tx.Payment(ev.Refund.EndToEndID); !known && ev.Refund.Status == pix.RefundReturned {
			return receiver.ApplyBooked, nil
		}
		return "", nil
	}
	c, _ := told(ev, a)
	reference := receiver.CreditReference(c.EndToEndID) + "/" + strconv.FormatInt(ev.ID, 10)
	if err := book(tx, c, true, reference); err != nil {
		return receiver.ApplyKnown, nil
	}
	return receiver.ApplyBooked, nil
}

// appendDelivery stores every delivery under a key of its own.
func appendDelivery(e scenarios.Env) func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
		for i := range in {
			if in[i].Credit != nil {
				in[i].Key += "/" + strconv.FormatInt(in[i].ReceivedAt.UnixMicro(), 36)
			}
		}
		return e.Store.AppendInbox(ctx, in)
	}
}

// believe gives every callback a good signature before anybody looks.
func believe(e scenarios.Env) func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set(pix.SignatureHeader, pix.Sign(e.Config.Secrets[0], e.Config.Clock.Now(), body))
		next.ServeHTTP(w, r)
	}
}

// asksTheBank says whether a step is one that looks for what callbacks missed.
func asksTheBank(s receiver.Step) bool {
	return slices.Contains([]receiver.Queue{receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.DutyReconcile}, s.Queue())
}
