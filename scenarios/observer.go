package scenarios

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// pspObserver keeps the view's idea of the truth, and the trace's.
type pspObserver struct {
	fakepsp.NoObserver
	w *World
}

// Settled adds a Pix to the truth.
func (o pspObserver) Settled(row fakepsp.SettledPix) {
	w := o.w
	w.view.of(row.EndToEndID).Truth = TruePix{Settled: true, TxID: row.TxID, Amount: row.Amount, PaidAt: row.PaidAt}
	w.lastSettled = w.sched.Now()
	w.emit("psp", "pix.settled", row.Amount.String(), "e2e", string(row.EndToEndID), "txid", string(row.TxID))
}

// RefundAsked notes a refund that began.
func (o pspObserver) RefundAsked(row fakepsp.RefundRow) {
	o.w.emit("psp", "refund.asked", row.Amount.String(), "e2e", string(row.EndToEndID), "refund", string(row.ID), "rtr", string(row.ReturnID))
}

// RefundSettled adds a refund's end to the truth.
func (o pspObserver) RefundSettled(row fakepsp.RefundRow) {
	w := o.w
	w.view.TruthRefunds = append(w.view.TruthRefunds, TrueRefund{
		EndToEndID: row.EndToEndID, ID: row.ID, ReturnID: row.ReturnID, Amount: row.Amount, Nature: row.Nature, Status: row.Status,
	})
	w.lastSettled = w.sched.Now()
	w.emit("psp", "refund.settled", string(row.Status)+" "+row.Amount.String(), "e2e", string(row.EndToEndID), "refund", string(row.ID), "rtr", string(row.ReturnID))
}

// PayoutAsked adds a payout to the truth, in process, and its endToEndId to the
// plan's subjects.
func (o pspObserver) PayoutAsked(row fakepsp.PayoutRow) {
	w := o.w
	w.subjects[string(row.EndToEndID)] = row.Subject
	w.view.TruthByKey[row.Key] = append(w.view.TruthByKey[row.Key], row.EndToEndID)
	o.putPayout(row, "payout.asked", row.Amount.String()+" to "+string(row.PixKey))
}

// PayoutEnded notes a payout's end.
func (o pspObserver) PayoutEnded(row fakepsp.PayoutRow) {
	o.w.lastSettled = o.w.sched.Now()
	o.putPayout(row, "payout.ended", string(row.Status)+" "+row.Amount.String())
}

// PayoutReturned notes money of a payout that came back.
func (o pspObserver) PayoutReturned(row fakepsp.PayoutRow, back pix.PayoutReturn) {
	o.w.lastSettled = o.w.sched.Now()
	o.putPayout(row, "payout.returned", back.Amount.String()+" "+string(back.ReturnID))
}

func (o pspObserver) putPayout(row fakepsp.PayoutRow, kind, detail string) {
	o.w.view.TruthPayouts[row.EndToEndID] = row
	o.w.emit("psp", kind, detail, "e2e", string(row.EndToEndID), "key", row.Key, "subject", row.Subject)
}

// Disputed notes a stage of a MED case.
func (o pspObserver) Disputed(c fakepsp.DisputeCase) {
	o.w.emit("psp", "dispute", string(c.Stage), "dispute", c.ID)
}

// Sent notes what an attempt says, if it is signed well and not so.
func (o pspObserver) Sent(a *fakepsp.Attempt) {
	w := o.w
	w.emit("psp", "callback.sent", attemptName(a.Address), "subject", a.Address.Subject)
	m := w.faults.Callback(a.Address)
	untrue := m.Change.SayCents != 0 || m.Change.SayEndToEndID != "" || a.Address.Notice == chaos.NoticePhantom || a.Address.Notice == chaos.NoticeForged
	if m.Change.Signature != "" || !untrue {
		return
	}
	items, err := pix.ParseCallback(a.Body)
	if err != nil {
		return
	}
	for _, it := range items {
		if it.Err == nil {
			id := it.Payment.EndToEndID
			w.view.Said[id] = append(w.view.Said[id], it.Payment.Amount)
		}
	}
}

// Acknowledged counts the callbacks that went through.
func (o pspObserver) Acknowledged(at chaos.CallbackAddress, body []byte, _ time.Time) {
	o.w.acknowledged++
	o.w.emit("psp", "callback.acked", attemptName(at), "subject", at.Subject)
}

// Refused notes a failed attempt.
func (o pspObserver) Refused(at chaos.CallbackAddress, answer fakepsp.Answer, next time.Time) {
	o.w.marks.reach(markRefused)
	o.w.emit("psp", "callback.refused", outcome(answer.Status, answer.Err)+", again at "+pix.FormatTime(next), "subject", at.Subject)
}

// GivenUp notes the end of a callback's tries.
func (o pspObserver) GivenUp(at chaos.CallbackAddress, answer fakepsp.Answer) {
	o.w.marks.reach(markGivenUp)
	o.w.emit("psp", "callback.given_up", outcome(answer.Status, answer.Err), "subject", at.Subject)
}

// Dropped notes a callback that a fault lost.
func (o pspObserver) Dropped(at chaos.CallbackAddress) {
	o.w.emit("psp", "callback.dropped", attemptName(at), "subject", at.Subject)
}

// Lost notes a callback without a URL to go to.
func (o pspObserver) Lost(at chaos.CallbackAddress) {
	o.w.marks.reach(markNoWebhook)
	o.w.emit("psp", "callback.no_webhook", attemptName(at), "subject", at.Subject)
}

// Called notes a call of the API.
func (o pspObserver) Called(c fakepsp.APICall) {
	o.w.lastCall = c
	if txid, ok := strings.CutPrefix(c.Target, "/v2/cob/"); ok && c.Method == http.MethodPut && o.w.subjects[txid] == "" {
		o.w.view.MadeCharges[pix.TxID(txid)] = true
	}
	status := fmt.Sprint(c.Status)
	if c.Status == 0 {
		status = "cut"
	}
	o.w.emit("psp", "api", c.Method+" "+c.Target+" "+status, "subject", c.Subject)
}
