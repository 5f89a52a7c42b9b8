package scenarios

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// onePerKey is I15: what the merchant asks for under one idempotency key has one
// effect, and one answer, byte by byte, for as long as answers are kept. Another
// body under the key is refused. It is read from the log of the API.
type onePerKey struct{}

func (onePerKey) id() string       { return "I15" }
func (onePerKey) sentence() string { return "One idempotency key: one effect, the same bytes" }

// keptFor is how long an answer is given again for certain: the receivers' TTL,
// less the time that its making may have taken.
const keptFor = 24*time.Hour - 10*time.Minute

func (onePerKey) answer(v *View, a *apiAnswer) string {
	given := receiver.Answer{Status: a.status}
	if !given.Kept() {
		return ""
	}
	if a.altered {
		if a.status != http.StatusUnprocessableEntity {
			return fmt.Sprintf("another body under key %s was answered %s", a.reference, a.words())
		}
		return ""
	}
	if given.Status < 300 && !v.intended(a.asking) {
		return fmt.Sprintf("the request under key %s was answered %s, and nothing came of it", a.reference, a.words())
	}
	before, known := v.Answers.first(a)
	switch {
	case !known:
		v.Answers.keep(a)
	case before.Status != a.status || before.ContentType != a.contentType || !bytes.Equal(before.Body, a.body):
		return fmt.Sprintf("the request under key %s was answered %s and, %s later, %s",
			a.reference, answerWords(before.Status, before.ContentType, before.Body), before.since(a.at), a.words())
	}
	return ""
}

// intended says whether the store has what a request asked for.
func (v *View) intended(k *asking) bool {
	if k.route == receiver.RouteCharges {
		return v.Charges[receiver.ChargeRef{Consumer: consumer, Reference: k.reference}] != nil
	}
	for _, r := range v.at(pix.EndToEndID(k.endToEnd)).Refunds {
		if r.Consumer == consumer && r.Reference == k.reference {
			return true
		}
	}
	return false
}

// end looks for effects that no request stands for: a charge at the PSP that is
// not the plan's. Refunds are I14's.
func (onePerKey) end(f *final) string {
	for _, txid := range sorted(f.MadeCharges) {
		if _, ok := f.w.psp.Charge(txid); ok {
			return fmt.Sprintf("the PSP has charge %s, which is a second effect of some request", txid)
		}
	}
	return ""
}
