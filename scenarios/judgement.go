package scenarios

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// consumer is who calls the receiver's charges API in a world.
const consumer = chaos.Consumer

// answered looks at the receiver's answer to a callback: a 2xx makes it answer
// for the body, a refusal of something genuine is a finding.
func (w *World) answered(a *fakepsp.Attempt, in *inbound, inst *instance, status int) {
	if status >= 200 && status <= 299 {
		if chaos.AboutPayout(a.Address.Notice) {
			w.judge.ackPayouts(a.Body)
		} else {
			w.judge.ack(a.Body)
		}
		return
	}
	skewed := w.faults.At(inst.clockPlace, w.sched.Now()).Any()
	if in.bent || skewed || in.troubles != w.troubles {
		return
	}
	w.refusals++
	if w.firstRefusal == "" {
		w.firstRefusal = attemptName(a.Address) + " with " + strconv.Itoa(status)
	}
}

// bent says whether an attempt is not what a conforming PSP would send, so
// that refusing it may be right.
func (w *World) bent(a chaos.CallbackAddress) bool {
	c := w.faults.Callback(a).Change
	return c.Signature != "" || c.Frozen || len(c.Shape) > 0 || a.Notice != chaos.NoticeCredit
}

// pending says in words what is left to do, nothing if the run came to rest.
func (w *World) pending() []string {
	if w.sched.NextWake() == chaos.Never || w.stop() {
		return nil
	}
	var out []string
	events, charges, refunds, outbox := 0, 0, 0, 0
	for e := range w.view.Events.all() {
		if e.State == receiver.EventReceived {
			events++
		}
	}
	for _, c := range w.view.Charges {
		if c.State == receiver.ChargeIntended {
			charges++
		}
	}
	for _, id := range sorted(w.view.Pix) {
		refunds += openRefunds(w.view.Pix[id].Refunds)
	}
	for _, o := range w.view.Outbox.all() {
		if !o.sent && !o.dead {
			outbox++
		}
	}
	add := func(n int, what string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(events, "events in the inbox that are neither processed nor quarantined")
	add(charges, "charges whose call has no known outcome")
	add(refunds, "refunds whose end is not known")
	add(openPayouts(w.view.Payouts), "payouts whose end is not known")
	add(outbox, "outbox events that were not sent")
	if !w.psp.Quiet() {
		out = append(out, "callbacks that the PSP still owes")
	}
	for _, q := range allDuties() {
		if d := w.duties[q]; d == nil || !d.resting {
			out = append(out, fmt.Sprintf("the %s that goes on finding something to do", q))
		}
	}
	if len(out) == 0 {
		out = append(out, "a loop that does not come to rest")
	}
	return out
}

func openRefunds(list []*receiver.Refund) int {
	n := 0
	for _, r := range list {
		if !r.State.Final() {
			n++
		}
	}
	return n
}

func openPayouts(all map[string]*receiver.Payout) int {
	n := 0
	for _, key := range sorted(all) {
		if x := all[key]; !x.State.Final() {
			n++
		}
	}
	return n
}

// redeliver sends every settled Pix with a txid once more, as it stands with its
// refunds, signed anew, one body after the other, then all payouts, and notes
// whether anything moved.
func (w *World) redeliver(limit chaos.Instant) {
	w.replaying = true
	defer func() { w.replaying = false }()
	w.emit("world", "redeliver", "")
	w.sendAgain(w.psp.Settled())
	w.runUntil(limit)
}

// sendAgain sends the first of the rows once more, and the rest once they are
// answered.
func (w *World) sendAgain(rows []fakepsp.SettledPix) {
	const most = 200
	var items []pix.Payment
	for len(rows) > 0 && len(items) < most {
		if rows[0].TxID != "" {
			item, _ := w.psp.Payment(rows[0].EndToEndID)
			items = append(items, item)
		}
		rows = rows[1:]
	}
	if len(items) == 0 {
		w.sendPayoutsAgain(w.psp.Payouts())
		return
	}
	w.postAgain("/pix", pix.EncodeCallback(items), func() { w.sendAgain(rows) })
}

// sendPayoutsAgain sends the first of the payouts once more, as they stand, and
// the rest once they are answered.
func (w *World) sendPayoutsAgain(rows []fakepsp.PayoutRow) {
	const most = 200
	n := min(len(rows), most)
	if n == 0 {
		return
	}
	items := make([]pix.Payout, n)
	for i, row := range rows[:n] {
		items[i] = row.Payout
	}
	w.postAgain("/pagamentos", pix.EncodePayoutCallback(items), func() { w.sendPayoutsAgain(rows[n:]) })
}

func (w *World) postAgain(path string, body []byte, then func()) {
	w.replays++
	w.send(&inbound{
		name: "again/" + strconv.Itoa(w.replays), method: http.MethodPost, path: path, body: body,
		header:  http.Header{pix.SignatureHeader: {pix.Sign(callbackSecret(w.plan.Seed), w.now(), body)}},
		timeout: time.Minute,
		then: func(status int, _ []byte, err error) {
			if err != nil || status != http.StatusOK {
				w.moved("delivering everything again was answered with " + outcome(status, err))
			}
			then()
		},
	})
}

func (w *World) moved(what string) {
	if w.replayed == "" {
		w.replayed = what
	}
}

// watchReplay notes what a commit changed while everything was delivered again.
func (w *World) watchReplay(cs *receiver.ChangeSet) {
	switch {
	case len(cs.Transactions) > 0:
		w.moved("delivering everything again posted " + cs.Transactions[0].Reference)
	case len(cs.Refunds) > 0:
		w.moved("delivering everything again changed refund " + string(cs.Refunds[0].After.ID))
	case len(cs.Payouts) > 0:
		w.moved("delivering everything again changed payout " + cs.Payouts[0].After.Reference)
	case len(cs.Charges) > 0:
		w.moved("delivering everything again changed charge " + cs.Charges[0].After.Reference)
	case len(cs.Cases) > 0:
		w.moved("delivering everything again changed case " + cs.Cases[0].After.ID)
	case len(cs.Outbox) > 0 && cs.Outbox[0].Before == nil:
		w.moved(fmt.Sprintf("delivering everything again told the merchant of %s once more", cs.Outbox[0].After.Line()))
	}
}
