package receiver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Answer is an answer of the merchant's API, made before it is written: so it
// can be stored with the effect that it tells of, and given again byte by byte.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	// RetryAfter is set on an answer that holds for now only.
	RetryAfter time.Duration
}

// Kept says whether a repeat of the request gets this answer again: one that is
// done, or refused for good. What asks to come back, to show another token or to
// find us in better health is forgotten.
func (a Answer) Kept() bool {
	switch {
	case a.RetryAfter > 0:
		return false
	case a.Status == http.StatusUnauthorized, a.Status == http.StatusRequestTimeout, a.Status == http.StatusConflict,
		a.Status == http.StatusTooEarly, a.Status == http.StatusTooManyRequests:
		return false
	}
	return a.Status >= 200 && a.Status < 300 || a.Status >= 400 && a.Status < 500
}

func (a Answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.ContentType)
	if a.RetryAfter > 0 {
		w.Header().Set("Retry-After", seconds(a.RetryAfter))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the caller may be gone: it asks again
}

// seconds is a time as Retry-After wants it, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

func jsonAnswer(status int, v any) Answer {
	body, err := json.Marshal(v)
	if err != nil {
		return problemAnswer(http.StatusInternalServerError, pix.ProblemInternal, err.Error())
	}
	return Answer{Status: status, ContentType: "application/json", Body: body}
}

// problemAnswer is problem+json of our own status: the spec knows no 401, 413,
// 415, 422 or 429.
func problemAnswer(status int, kind pix.ProblemKind, detail string) Answer {
	p := pix.NewProblem(kind, detail)
	p.Status = status
	return Answer{Status: status, ContentType: pix.ProblemContentType, Body: p.Encode()}
}

// Answer is what the request that wanted this charge gets once the charge stands
// as c: 201 made, 422 refused, 202 not known yet, in which case GET tells later.
func (n NewCharge) Answer(c Charge) Answer {
	if c.Consumer != n.Charge.Consumer {
		return problemAnswer(http.StatusUnprocessableEntity, pix.ProblemChargeInvalid, "the txid is another charge's")
	}
	return c.answer()
}

// answer is the charge as the request that made it is answered.
func (c Charge) answer() Answer { return jsonAnswer(chargeStatus(c), answerOf(c)) }

// Answer is what the request that wanted this refund gets: 202 accepted, 422
// refused or another refund's reference, 409 with Retry-After while the Pix is
// unknown or not confirmed.
func (n NewRefund) Answer(o ReserveOutcome) Answer {
	if o.Result == ReserveKnown && (o.Refund.EndToEndID != n.Refund.EndToEndID || o.Refund.Amount != n.Refund.Amount) {
		o = ReserveOutcome{Result: ReserveRefused, Reason: ReasonOtherRefund}
	}
	switch o.Result {
	case ReserveEarly:
		a := problemAnswer(http.StatusConflict, pix.ProblemRefundInvalid, o.Reason)
		a.RetryAfter = earlyRefund
		return a
	case ReserveRefused:
		return problemAnswer(http.StatusUnprocessableEntity, pix.ProblemRefundInvalid, o.Reason)
	}
	return jsonAnswer(http.StatusAccepted, refundAnswerOf(o.Refund))
}

// earlyRefund is when to ask again for a refund of a Pix that is not confirmed.
const earlyRefund = time.Minute
