package receiver

import (
	"context"
	"errors"
	"net/http"

	"github.com/pixlab/pixlab/pix"
)

// IdempotencyHeader names the header that carries the key of a request
// (draft-ietf-httpapi-idempotency-key-header; the value is taken as it stands).
const IdempotencyHeader = "Idempotency-Key"

// maxKey is the length of a key, in bytes.
const maxKey = 255

// parseKey reads the key of a request: once, 1 to 255 printable ASCII characters.
func parseKey(h http.Header) (string, error) {
	values := h.Values(IdempotencyHeader)
	switch {
	case len(values) == 0:
		return "", errors.New(IdempotencyHeader + ": want one, made where the intention is formed and sent with every repeat")
	case len(values) > 1:
		return "", errors.New(IdempotencyHeader + ": want one, not several")
	case values[0] == "" || len(values[0]) > maxKey:
		return "", errors.New(IdempotencyHeader + ": want 1 to 255 characters")
	}
	for i := range len(values[0]) {
		if c := values[0][i]; c < ' ' || c > '~' {
			return "", errors.New(IdempotencyHeader + ": want printable ASCII")
		}
	}
	return values[0], nil
}

// keyed is a request of a route that changes something: whose it is, its body as
// it came, and the claim on its key. A command that stores the intention takes
// the claim along.
type keyed struct {
	consumer string
	body     []byte
	claim    KeyClaim
}

// keyedEndpoint serves a route that wants an idempotency key.
type keyedEndpoint func(r *Receiver, w http.ResponseWriter, req *http.Request, k keyed)

// withKey reads key and body, and claims nothing yet: a request that cannot be
// read leaves no trace. Routes are told apart by name, so that one key on two of
// them is two.
func withKey(route string, serve keyedEndpoint) endpoint {
	return authenticated(func(r *Receiver, w http.ResponseWriter, req *http.Request, consumer string) {
		key, err := parseKey(req.Header)
		if err != nil {
			refuse(w, http.StatusBadRequest, pix.ProblemInvalidRequest, err.Error())
			return
		}
		body, ok := readRequest(w, req)
		if !ok {
			return
		}
		serve(r, w, req, keyed{consumer, body, KeyClaim{
			Ref: KeyRef{Consumer: consumer, Route: route, Key: key}, Hash: HashBody(body),
			Window: r.cfg.KeyWindow, TTL: r.cfg.KeyTTL,
		}})
	})
}

// read decodes the request's body into q and checks it. It answers 400 itself,
// and false, where it cannot.
func (k keyed) read(w http.ResponseWriter, q interface{ validate() error }) bool {
	return decodeRequest(w, k.body, q)
}

// answerKey answers a request that its key leaves nothing to do. what is what an
// expired key stands for, as it is now.
func (r *Receiver) answerKey(w http.ResponseWriter, o KeyOutcome, what any) {
	r.cfg.reachedIf(o.Result == KeyOther, MarkKeyOther)
	r.cfg.reachedIf(o.Result == KeyBusy, MarkKeyBusy)
	r.cfg.reachedIf(o.Result == KeyExpired, MarkKeyExpired)
	switch o.Result {
	case KeyDone:
		o.Answer.write(w)
	case KeyExpired:
		jsonAnswer(http.StatusOK, what).write(w)
	case KeyOther:
		refuse(w, http.StatusUnprocessableEntity, pix.ProblemInvalidRequest, IdempotencyHeader+": the key stands for another body")
	default:
		a := problemAnswer(http.StatusConflict, pix.ProblemInvalidRequest, IdempotencyHeader+": a request with this key is in flight")
		a.RetryAfter = r.cfg.CallTimeout
		a.write(w)
	}
}

// release lets go of a key whose request failed, so that a repeat need not wait
// for the window. Where even that fails, the window does.
func (r *Receiver) release(ctx context.Context, hold KeyHold) {
	now, err := r.now(ctx)
	if err != nil {
		return
	}
	hold.At = now
	_, _ = r.store.ReleaseKeys(ctx, []KeyHold{hold})
}

// keyPurger throws away answers that were kept long enough.
type keyPurger struct{ r *Receiver }

func (s keyPurger) Name() string { return "keys" }
func (s keyPurger) Queue() Queue { return DutyKeys }

// purgeBatch bounds one transaction of a purge.
const purgeBatch = 500

// RunOnce purges until nothing is old enough.
func (s keyPurger) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyKeys)
	if err != nil {
		return idle(err)
	}
	purge := KeyPurge{Before: now.Add(-s.r.cfg.KeyTTL), Now: now, Limit: purgeBatch}
	for {
		n, err := s.r.store.PurgeKeys(ctx, purge)
		if err != nil {
			return Progress{}, errors.Join(err, s.r.endTurn(ctx, d, now.Add(s.r.cfg.backoff("keys", 6))))
		}
		if n < purgeBatch {
			break
		}
	}
	return Progress{Done: 1}, s.r.endTurn(ctx, d, now.Add(s.r.cfg.KeyPurgeEvery))
}
