package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func (w *World) scheduleRefunds() {
	for i := range w.plan.Refunds {
		r, of := &w.plan.Refunds[i], w.payments[w.plan.Refunds[i].Payment]
		if r.Origin == chaos.OriginBank {
			w.wish(chaos.MS(r.AtMS), "bank/"+r.ID, r.ID, "refund", func() { w.refundInApp(r, of) })
			if w.option.ApplyTwice {
				w.wish(chaos.MS(r.AtMS)+chaos.Minute, "bank/"+r.ID+"/twice", r.ID, "refund", func() { w.mustExist(w.refundInApp(r, of)) })
			}
			continue
		}
		ask := &refundAsk{w: w, refund: r, pix: of}
		w.wish(chaos.MS(r.AtMS), "merchant/"+r.ID, r.ID, "refund", ask.send)
	}
	for i := range w.plan.Disputes {
		d, of := &w.plan.Disputes[i], w.payments[w.plan.Disputes[i].Payment]
		w.wish(chaos.MS(d.ReportAtMS), "payer/"+d.ID, d.ID, "report", func() { w.dispute(d, of) })
		if w.option.ApplyTwice {
			w.wish(chaos.MS(d.ReportAtMS)+chaos.Minute, "payer/"+d.ID+"/twice", d.ID, "report", func() { w.mustExist(w.dispute(d, of)) })
		}
	}
}

// refundAsk is the merchant's side of one refund: it asks the receiver until it
// is accepted or refused.
type refundAsk struct {
	w      *World
	refund *chaos.Refund
	pix    *chaos.Payment
	tries  int
}

// maxAskTries bounds the merchant's patience with "not yet".
const maxAskTries = 60

// refundBody is POST /refunds.
type refundBody struct {
	Amount     pix.Amount `json:"amount"`
	EndToEndID string     `json:"endToEndId"`
	Reference  string     `json:"reference"`
}

func (k *refundAsk) send() {
	w, r := k.w, k.refund
	k.tries++
	wanted := refundBody{pix.Amount(r.AmountCents), k.pix.EndToEndID, r.Reference}
	body, err := json.Marshal(wanted)
	if err != nil {
		w.fail(err)
		return
	}
	ask := &asking{
		w: w, subject: r.ID, route: receiver.RouteRefunds, reference: r.Reference, endToEnd: k.pix.EndToEndID, body: body,
	}
	ask.altered = func() ([]byte, error) {
		wanted.Amount++
		return json.Marshal(wanted)
	}
	in := ask.request("merchant/"+r.ID+"/"+strconv.Itoa(k.tries), body, false)
	if k.tries == 1 {
		ask.first(in)
	}
	in.answered = func(_ *instance, status int) {
		if status == http.StatusUnprocessableEntity {
			k.judge()
		}
	}
	in.then = func(status int, _ []byte, err error) {
		w.emit("merchant", "refund.answer", outcome(status, err), "subject", r.ID)
		if err == nil && status < 500 && status != http.StatusConflict || k.tries >= maxAskTries {
			return
		}
		pause := chaos.Minute * chaos.Instant(min(k.tries, 30))
		w.at(w.sched.Now()+pause, in.name+"/again", r.ID, "again", k.send)
	}
	w.send(in)
}

// judge finds fault with a refusal that was wrong when it was decided. The
// store's own was looked at in its command; one of a receiver that asks no store
// is looked at now.
func (k *refundAsk) judge() {
	w, r := k.w, k.refund
	wrong, decided := w.refusedRefunds[r.Reference]
	if !decided {
		wrong = w.wronglyRefused(r.ID, pix.EndToEndID(k.pix.EndToEndID), pix.Amount(r.AmountCents))
	}
	if w.falseRefusal == "" {
		w.falseRefusal = wrong
	}
}

// wronglyRefused says why a refund should have been accepted as things stand:
// the Pix confirmed, in time, with enough left of it, and the account with
// enough confirmed money to spend. It is "" where refusing is right.
func (w *World) wronglyRefused(subject string, id pix.EndToEndID, amount pix.Amount) string {
	v := w.view
	known := v.at(id)
	p := known.Payment
	if p == nil || !p.Confirmed {
		return ""
	}
	left := min(known.Money.Credited, known.Truth.Amount)
	for _, r := range known.Refunds {
		if r.State != receiver.RefundFailed {
			left -= r.Amount
		}
	}
	late := w.now().After(p.PaidAt.Add(receiver.RefundWindow))
	if amount > left || amount > v.free() || late {
		return ""
	}
	return fmt.Sprintf("refund %s of %s on Pix %s was refused with %s left", subject, amount.BRL(), id, left.BRL())
}

// free is what the account has to spend: what settled and is confirmed, less
// what refunds and payouts hold and MED blocks.
func (v *View) free() pix.Amount {
	held := v.Balance[receiver.AccountInProcess] + v.Balance[receiver.AccountInTransit]
	return v.Balance[receiver.AccountSettlement] + held - v.blocked() - v.Unspendable
}

// blocked is what MED holds, as far as the receiver was told.
func (v *View) blocked() pix.Amount {
	var sum pix.Amount
	for _, m := range v.Memos {
		if !m.Released {
			sum += m.Amount
		}
	}
	return sum
}

// refundInApp is a refund that the bank's app makes, past the receiver.
func (w *World) refundInApp(r *chaos.Refund, of *chaos.Payment) error {
	id := pix.EndToEndID(of.EndToEndID)
	_, err := w.psp.AskRefund(fakepsp.RefundOrder{
		EndToEndID: id, ID: pix.RefundID(r.Reference), Amount: pix.Amount(r.AmountCents),
		Terms: w.refundTerms(id, pix.RefundID(r.Reference)),
	})
	w.emit("bank", "refund.app", fmt.Sprint(err), "subject", r.ID)
	w.scheduleCourier()
	w.rouse()
	return err
}

// mustExist has a second application of the same thing be refused as known.
func (w *World) mustExist(err error) {
	if !errors.Is(err, fakepsp.ErrExists) {
		w.judge.report("PSP", fmt.Sprintf("the same was applied a second time and the PSP answered: %v", err), nil)
	}
}

// dispute is a MED report: the PSP blocks at once, and may tell the merchant.
func (w *World) dispute(d *chaos.Dispute, of *chaos.Payment) error {
	id := pix.EndToEndID(of.EndToEndID)
	err := w.psp.Report(fakepsp.DisputeOrder{
		ID: d.ID, Payment: d.Payment, EndToEndID: id, Nature: d.Nature, Outcome: d.Outcome,
		Amount: pix.Amount(d.AmountCents), DecideAfter: chaos.MS(d.DecideAfterMS).Duration(),
		NotifyAfter: chaos.MS(d.NotifyAfterMS).Duration(),
	})
	w.emit("payer", "dispute.reported", fmt.Sprint(err), "subject", d.ID)
	w.scheduleCourier()
	w.rouse()
	if err != nil || !d.Memo {
		return err
	}
	w.memo(d, id, false, 1)
	w.at(w.sched.Now()+chaos.MS(d.DecideAfterMS), "psp/"+d.ID+"/release", d.ID, "release", func() { w.memo(d, id, true, 1) })
	return nil
}

// memo tells the receiver of a block, or of its end, until it has heard.
func (w *World) memo(d *chaos.Dispute, id pix.EndToEndID, released bool, try int) {
	body, err := json.Marshal(map[string]any{
		"id": d.ID, "endToEndId": id, "amount": pix.Amount(d.AmountCents), "released": released,
	})
	if err != nil {
		w.fail(err)
		return
	}
	name := fmt.Sprintf("psp/%s/memo/%t/%d", d.ID, released, try)
	w.send(&inbound{
		name: name, subject: d.ID, method: http.MethodPost, path: "/memos", header: w.merchantHeader(d.ID), body: body, timeout: askTimeout,
		then: func(status int, _ []byte, err error) {
			if err != nil || status >= 500 {
				w.at(w.sched.Now()+chaos.Minute, name+"/again", d.ID, "again", func() { w.memo(d, id, released, try+1) })
			}
		},
	})
}

// refundTerms says what the plan wants of a refund at the PSP.
func (w *World) refundTerms(id pix.EndToEndID, refund pix.RefundID) fakepsp.RefundTerms {
	r := w.refundByID[refundName{id, refund}]
	if r == nil {
		return fakepsp.RefundTerms{Payment: w.subjects[string(id)], NotifyAfter: time.Second}
	}
	return fakepsp.RefundTerms{
		Subject: r.ID, Payment: r.Payment, SettleAfter: chaos.MS(r.SettleAfterMS).Duration(),
		NotifyAfter: chaos.MS(r.NotifyAfterMS).Duration(), Fails: r.Fails,
	}
}

// refundName names a refund at the PSP.
type refundName struct {
	pix pix.EndToEndID
	id  pix.RefundID
}
