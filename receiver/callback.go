package receiver

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// serveCallback is the PSP's way in: size, signature over the raw bytes, shape;
// then every item into the inbox, then 200. Nothing is booked here. An item
// that cannot be read is stored for an operator and sinks no neighbour.
func (r *Receiver) serveCallback(w http.ResponseWriter, req *http.Request) {
	r.takeCallback(w, req, func(body []byte, now time.Time) (int, []InboxItem, error) {
		items, err := pix.ParseCallback(body)
		if err != nil || len(items) > r.cfg.MaxItems {
			return len(items), nil, err
		}
		return len(items), r.inboxItems(items, ChannelCallback, now), nil
	})
}

// takeCallback takes a callback whose body parse reads: into how many items, and
// what they are in the inbox.
func (r *Receiver) takeCallback(
	w http.ResponseWriter, req *http.Request, parse func(body []byte, now time.Time) (int, []InboxItem, error),
) {
	if req.Method != http.MethodPost {
		methodNotAllowed(w, req, http.MethodPost)
		return
	}
	body, ok := r.readCallback(w, req)
	if !ok {
		return
	}
	now := r.cfg.Clock.Now()
	verifier := pix.Verifier{Secrets: r.cfg.Secrets, Tolerance: r.cfg.Tolerance}
	if err := verifier.Verify(req.Header.Get(pix.SignatureHeader), body, now); err != nil {
		r.cfg.reached(MarkBadSignature)
		refuse(w, http.StatusUnauthorized, pix.ProblemForbidden, err.Error())
		return
	}
	n, items, err := parse(body, now)
	if err != nil {
		r.cfg.reached(MarkUnreadable)
		refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
		return
	}
	if n > r.cfg.MaxItems {
		refuse(w, http.StatusRequestEntityTooLarge, pix.ProblemInvalidRequest, "too many Pix in one callback")
		return
	}
	if len(items) > 0 {
		if _, err := r.store.AppendInbox(req.Context(), items); err != nil {
			unavailable(w, err)
			return
		}
	}
	w.WriteHeader(http.StatusOK)
}

// readCallback reads the body within the limit. It answers itself when it cannot.
func (r *Receiver) readCallback(w http.ResponseWriter, req *http.Request) ([]byte, bool) {
	if refuseCompressed(w, req) {
		return nil, false
	}
	if req.ContentLength > r.cfg.MaxBody {
		r.cfg.reached(MarkTooLarge)
		refuse(w, http.StatusRequestEntityTooLarge, pix.ProblemInvalidRequest, "the body is too large")
		return nil, false
	}
	body, err := readBody(http.MaxBytesReader(w, req.Body, r.cfg.MaxBody), req.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, pix.ProblemInvalidRequest, "the body is too large")
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, "the body ends early: "+err.Error())
		return nil, false
	case req.ContentLength >= 0 && int64(len(body)) != req.ContentLength:
		refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, "the body has another length than was announced")
		return nil, false
	}
	return body, true
}

// inboxItems are the inbox items of what came on a channel: a Pix is one, and so
// is each state of each of its refunds. Only the PSP's own API confirms; a
// callback does not.
func (r *Receiver) inboxItems(items []pix.CallbackItem, ch Channel, now time.Time) []InboxItem {
	out := make([]InboxItem, 0, len(items))
	for _, it := range items {
		in := InboxItem{Source: r.cfg.Source, Channel: ch, Confirmed: ch != ChannelCallback, Raw: it.Raw, ReceivedAt: now}
		if it.Err != nil {
			sum := sha256.Sum256(it.Raw)
			in.Key, in.Invalid = "invalid:"+hex.EncodeToString(sum[:]), unreadable(it)
			out = append(out, in)
			continue
		}
		c := creditOf(it.Payment)
		in.Key, in.Credit = CreditKey(c.EndToEndID), &c
		out = append(out, in)
		for _, d := range it.Payment.Refunds {
			x := contentOf(c.EndToEndID, d)
			in.Key, in.Credit, in.Refund = x.Key(), nil, &x
			out = append(out, in)
		}
	}
	return out
}

// unreadable says what is wrong with an item, and which Pix it claims to be.
func unreadable(it pix.CallbackItem) string {
	if it.EndToEndID == "" {
		return it.Err.Error()
	}
	return fmt.Sprintf("%v (endToEndId %q)", it.Err, it.EndToEndID)
}
