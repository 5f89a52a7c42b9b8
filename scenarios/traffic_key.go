package scenarios

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
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

// asking is a request of the merchant under an idempotency key, the same in all
// its repeats.
type asking struct {
	w         *World
	subject   string
	route     string
	reference string
	endToEnd  string // of the Pix to refund; empty for a charge
	body      []byte
	altered   func() ([]byte, error) // the same with another amount
}

// key names the request's idempotency key.
func (k *asking) key() receiver.KeyRef {
	return receiver.KeyRef{Consumer: consumer, Route: k.route, Key: k.reference}
}

// first sends the merchant's own first request: what goes wrong with it is
// planned here.
func (k *asking) first(in *inbound) {
	w, m := k.w, k.w.faults.Request(k.subject)
	in.loseAnswer = m.Change.AckLost
	if after := m.Change.AgainAfterMS; after > 0 {
		k.later("repeat", after, func(name string) {
			k.fired(m, func(c chaos.Change) bool { return c.AgainAfterMS > 0 })
			k.extra(name, k.body, false)
		})
	}
	if after := m.Change.AlteredAfterMS; after > 0 {
		k.later("alter", after, func(name string) {
			body, err := k.altered()
			known, failed := w.store.FindKeys(context.Background(), []receiver.KeyRef{k.key()})
			if err := errors.Join(err, failed); err != nil {
				w.fail(err)
				return
			}
			if known[0] == nil {
				return // the key stands for nothing yet: another body would be the first
			}
			k.fired(m, func(c chaos.Change) bool { return c.AlteredAfterMS > 0 })
			k.extra(name, body, true)
		})
	}
}

// fired marks those faults of a request that do one thing.
func (k *asking) fired(m chaos.Merged, does func(chaos.Change) bool) {
	for _, i := range m.From {
		if does(k.w.plan.Faults[i].Set) {
			k.w.tally.FireOne(i)
		}
	}
}

func (k *asking) later(what string, afterMS int64, do func(name string)) {
	w, name := k.w, "merchant/"+k.subject+"/"+what
	at := w.sched.Now()
	if afterMS > 1 { // 1 is at once
		at += chaos.MS(afterMS)
	}
	w.wish(at, name, k.subject, what, func() { do(name) })
}

// extra sends a request that nobody waits for.
func (k *asking) extra(name string, body []byte, altered bool) {
	in := k.request(name+"/sent", body, altered)
	in.then = func(status int, _ []byte, err error) {
		k.w.emit("merchant", "extra.answer", outcome(status, err), "subject", k.subject)
	}
	k.w.send(in)
}

// request is one request, whose answer goes into the log of the API.
func (k *asking) request(name string, body []byte, altered bool) *inbound {
	in := &inbound{
		name: name, subject: k.subject, method: http.MethodPost, path: k.route,
		header: k.w.merchantHeader(k.reference), body: body, timeout: askTimeout,
	}
	in.logged = func(rec *recorder) {
		if in.loseAnswer {
			k.fired(k.w.faults.Request(k.subject), func(c chaos.Change) bool { return c.AckLost })
		}
		k.w.judge.answer(&apiAnswer{
			asking: k, altered: altered, at: k.w.now(), status: rec.code(),
			contentType: rec.header.Get("Content-Type"), body: rec.body.Bytes(),
		})
	}
	return in
}

// apiAnswer is one answer that a handler of the receiver gave to the merchant.
type apiAnswer struct {
	*asking
	altered     bool
	at          time.Time
	status      int
	contentType string
	body        []byte
}

// words is the answer in short, for findings.
func (a *apiAnswer) words() string { return answerWords(a.status, a.contentType, a.body) }

func answerWords(status int, contentType string, body []byte) string {
	const most = 120
	text := string(body)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Itoa(status) + " " + contentType + " " + text
}
