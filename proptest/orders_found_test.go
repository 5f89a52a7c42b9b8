package proptest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What the machine found, step by step.

// found is a lab with one sale of 20.00, paid and confirmed.
func found(t *testing.T, ways habits) (*ordersLab, pix.Payment) {
	t.Helper()
	ways.page, ways.log, ways.stock = 100, t.Logf, stockOf(t)
	l, err := newOrdersLab(t, ways)
	if err != nil {
		t.Fatal(err)
	}
	c := saleAsked{reference: "PED-1", kind: receiver.ChargeDynamic, due: 20_00}
	l.charge(t.Context(), 0, c)
	paid, err := l.psp.Pay(fakepsp.PayOrder{EndToEndID: "E99999008202603021200p0000000001", TxID: l.txid(c), Amount: 20_00})
	if err != nil {
		t.Fatal(err)
	}
	l.do(t, receiver.DutySweep)
	l.do(t, receiver.QueueInbox)
	return l, paid.Pix.Payment
}

// do is a turn of a queue, at the time when it has work.
func (l *ordersLab) do(t *testing.T, q receiver.Queue) {
	t.Helper()
	l.until(q)
	if err := l.step(t.Context(), 0, q); err != nil {
		t.Fatal(err)
	}
}

// want asks for a refund, which has to be taken.
func (l *ordersLab) want(t *testing.T, p pix.Payment, cents pix.Amount) {
	t.Helper()
	body := fmt.Appendf(nil, `{"reference":"DEV-1","endToEndId":%q,"amount":%q}`, p.EndToEndID, cents)
	if rec := l.send(t.Context(), 0, http.MethodPost, "/refunds", nil, body); rec.Code != http.StatusAccepted {
		t.Fatalf("the refund was answered with %d: %s", rec.Code, rec.Body)
	}
}

// A refund whose first call did nothing was asked for again hours later, and
// that call took effect, unanswered. The next repeat was told that the id is in
// use and a query did not know the refund yet: no proof, however long ago the
// first call was.
func TestIDInUseIsNoProofHoursAfterTheFirstCall(t *testing.T) {
	l, p := found(t, habits{repeat: fakepsp.RefundRepeatRefused, hideDev: 3 * time.Second,
		terms: func(pix.EndToEndID, pix.RefundID) fakepsp.RefundTerms {
			return fakepsp.RefundTerms{SettleAfter: 5 * time.Hour}
		}})
	l.want(t, p, 20_00)
	l.armed[putRefundCall] = []callTrouble{{status: http.StatusConflict}, {acts: true}}
	l.do(t, receiver.QueueRefunds)
	l.now = l.now.Add(6 * time.Hour)
	l.do(t, receiver.QueueRefunds)
	l.do(t, receiver.QueueRefunds)
	if x := l.view.refunds[p.EndToEndID]["ref DEV-1"]; x.State == receiver.RefundFailed {
		t.Fatalf("the refund counts as failed, and the PSP has it: %+v", l.psp.Refunds())
	}
	if err := l.heal(); err != nil {
		t.Fatal(err)
	}
	if x := l.view.refunds[p.EndToEndID]["ref DEV-1"]; x.State != receiver.RefundReturned {
		t.Errorf("the refund is %s", x.State)
	}
}

// A refund of the bank's was told of while in process, and set aside as too
// much beside one of ours. When ours had failed and the bank's was booked, the
// event of its earlier state stayed aside for ever.
func TestEarlierStateSetAsideWakesWithItsRefund(t *testing.T) {
	l, p := found(t, habits{})
	l.want(t, p, 20_00)
	l.armed[putRefundCall] = []callTrouble{{}} // never arrives, so the refund stays open for a while
	l.do(t, receiver.QueueRefunds)
	for _, o := range []fakepsp.RefundOrder{
		{EndToEndID: p.EndToEndID, ID: "APP1", Amount: 10_00, Terms: fakepsp.RefundTerms{SettleAfter: 2 * time.Second}},
		{EndToEndID: p.EndToEndID, ID: "APP2", Amount: 1_00}, // whose notice shows the first in process
	} {
		if _, err := l.psp.AskRefund(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.hear(); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(3 * time.Second)
	if status := l.callback(t.Context(), 0, l.secret, grouped(l.notices[len(l.notices)-1:])); status != http.StatusOK {
		t.Fatalf("the notice was answered with %d", status)
	}
	if err := l.heal(); err != nil {
		t.Fatal(err)
	}
	events, err := l.store.ListEvents(context.Background(), receiver.EventQuery{State: receiver.EventQuarantined})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		t.Errorf("event %s is still aside: %s", e.Key, e.Reason)
	}
}
