package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func (w *World) schedulePayouts() {
	for i := range w.plan.Payouts {
		o := &w.plan.Payouts[i]
		ask := &payoutAsk{w: w, payout: o}
		w.at(chaos.MS(o.AtMS), "merchant/"+o.ID, o.ID, "payout", ask.send)
	}
}

// indexPayouts gives every id of the plan's payouts its subject. An endToEndId
// that the PSP makes gets its own when it is made.
func (w *World) indexPayouts() {
	for i := range w.plan.Payouts {
		o := &w.plan.Payouts[i]
		key := chaos.PayoutKey(w.plan.Seed, *o)
		w.subjects[o.Reference], w.subjects[key], w.payoutByKey[key] = o.ID, o.ID, o
	}
}

// payoutAsk is the merchant's side of one payout: it asks the receiver until it
// is accepted or refused.
type payoutAsk struct {
	w      *World
	payout *chaos.Payout
	tries  int
}

// payoutBody is POST /payouts.
type payoutBody struct {
	Amount    pix.Amount `json:"amount"`
	PixKey    string     `json:"pix_key"`
	Reference string     `json:"reference"`
}

func (k *payoutAsk) send() {
	w, o := k.w, k.payout
	k.tries++
	body, err := json.Marshal(payoutBody{pix.Amount(o.AmountCents), o.Payee, o.Reference})
	if err != nil {
		w.fail(err)
		return
	}
	in := &inbound{
		name: "merchant/" + o.ID + "/" + strconv.Itoa(k.tries), subject: o.ID,
		method: http.MethodPost, path: "/payouts", header: w.merchantHeader(o.Reference), body: body, timeout: askTimeout,
	}
	in.answered = func(_ *instance, status int) {
		if status == http.StatusUnprocessableEntity {
			k.judge()
		}
	}
	in.then = func(status int, _ []byte, err error) {
		w.emit("merchant", "payout.answer", outcome(status, err), "subject", o.ID)
		if err == nil && status < 500 && status != http.StatusConflict || k.tries >= maxAskTries {
			return
		}
		pause := chaos.Minute * chaos.Instant(min(k.tries, 30))
		w.at(w.sched.Now()+pause, in.name+"/again", o.ID, "again", k.send)
	}
	w.send(in)
}

// judge finds fault with a refusal that was wrong when it was decided; see
// [refundAsk.judge].
func (k *payoutAsk) judge() {
	w, o := k.w, k.payout
	wrong, decided := w.refusedPayouts[o.Reference]
	if !decided {
		wrong = w.wronglyRefusedPayout(o.ID, pix.Amount(o.AmountCents))
	}
	if w.falseRefusal == "" {
		w.falseRefusal = wrong
	}
}

// wronglyRefusedPayout says why a payout should have been accepted as things
// stand: the account has enough confirmed money to spend. It is "" where refusing
// is right.
func (w *World) wronglyRefusedPayout(subject string, amount pix.Amount) string {
	if free := w.view.free(); amount <= free {
		return fmt.Sprintf("payout %s of %s was refused with %s free", subject, amount.BRL(), free.BRL())
	}
	return ""
}

// payoutTerms says what the plan wants of a payout at the PSP.
func (w *World) payoutTerms(key string) fakepsp.PayoutTerms {
	o := w.payoutByKey[key]
	if o == nil {
		return fakepsp.PayoutTerms{NotifyAfter: time.Second}
	}
	return termsOfPayout(o)
}

func termsOfPayout(o *chaos.Payout) fakepsp.PayoutTerms {
	t := fakepsp.PayoutTerms{
		Subject: o.ID, SettleAfter: chaos.MS(o.SettleAfterMS).Duration(), Rejects: o.Outcome == chaos.PayoutRejected,
		NotifyAfter: chaos.MS(o.NotifyAfterMS).Duration(),
	}
	for _, r := range o.Returns {
		t.Returns = append(t.Returns, fakepsp.ReturnTerms{After: chaos.MS(r.AfterMS).Duration(), Amount: pix.Amount(r.AmountCents)})
	}
	return t
}

// operatorEvery is how often the world's operator looks into the conciliation
// queue once the plan is over.
const operatorEvery = chaos.Hour

// operate is the operator's look into the conciliation queue. The operator has
// the PSP on the phone: what it has is asked about again, what it never had and
// may still take is sent again, and the rest has failed.
func (w *World) operate() {
	ctx := context.Background()
	queued, err := w.store.ListPayouts(ctx, receiver.PayoutQuery{Queued: true})
	if err != nil {
		w.fail(err)
		return
	}
	in := make([]receiver.PayoutResolution, len(queued))
	for i, x := range queued {
		in[i] = receiver.PayoutResolution{
			Ref: receiver.PayoutRef{Consumer: x.Consumer, Reference: x.Reference}, Action: receiver.ResolveRetry,
			Operator: "world", Note: "the PSP has it, or may still take it", Now: w.now(),
		}
		if len(w.view.TruthByKey[x.Key]) == 0 && w.now().After(x.FirstCallAt.Add(w.keyTTL()-time.Minute)) {
			in[i].Action, in[i].Note = receiver.ResolveFailed, "the PSP never had it"
		}
		w.emit("world", "operator", in[i].Action, "subject", w.subjects[x.Reference])
	}
	if len(in) > 0 {
		if _, err := w.store.ResolvePayouts(ctx, in); err != nil {
			w.fail(err)
		}
		w.rouse()
	}
	if open, err := w.store.ListPayouts(ctx, receiver.PayoutQuery{Open: true, Limit: 1}); err != nil || len(open) > 0 {
		w.at(w.sched.Now()+operatorEvery, "world/operator/"+strconv.FormatInt(int64(w.sched.Now()), 10), "", "operate", w.operate)
	}
}

// keyTTL is how long the PSP remembers a payout's key.
func (w *World) keyTTL() time.Duration {
	if ms := w.plan.Settings.PayoutKeyTTLMS; ms > 0 {
		return chaos.MS(ms).Duration()
	}
	return 24 * time.Hour
}
