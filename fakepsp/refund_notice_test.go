package fakepsp

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// told is what a callback says of a payment's refunds, as "id amount status".
func (l *lab) told(a *Attempt) []string {
	l.t.Helper()
	items := l.items(a)
	if len(items) != 1 || items[0].Err != nil {
		l.t.Fatalf("body %s", a.Body)
	}
	out := []string{}
	for _, r := range items[0].Payment.Refunds {
		out = append(out, string(r.ID)+" "+r.Amount.String()+" "+string(r.Status))
	}
	return out
}

func TestEachFinalStateIsTold(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{SettleAfter: time.Minute, NotifyAfter: 5 * time.Second})
	l.refund(1, "R1", "30.00")
	l.at(30 * time.Second)
	l.refund(1, "R2", "20.00")
	l.at(time.Minute + 5*time.Second - 1)
	if l.psp.Take() != nil {
		t.Fatal("told before it was due")
	}
	l.at(time.Minute + 5*time.Second)
	first := l.take()
	item := l.items(first)[0].Payment
	if item.EndToEndID != e2eOf(1) || item.TxID != txidOf(1) || item.Amount != 10000 || item.PixKey != ourKey || !item.PaidAt.Equal(labStart) {
		t.Errorf("another Pix: %+v", item)
	}
	if got := l.told(first); !slices.Equal(got, []string{"R1 30.00 DEVOLVIDO", "R2 20.00 EM_PROCESSAMENTO"}) {
		t.Errorf("got %v", got)
	}
	if first.URL != hookURL+"/pix" || l.verdict(first) != nil || name(first.Address) != "p1/refund/r1/0/1" {
		t.Errorf("attempt %+v, signature %v", first, l.verdict(first))
	}
	l.psp.Done(first, Answer{Status: 500})
	l.at(2 * time.Minute)
	var again, second *Attempt
	for a := l.psp.Take(); a != nil; a = l.psp.Take() {
		if a.Address.Notice == first.Address.Notice {
			again = a
		} else {
			second = a
		}
	}
	if again == nil || again.Address.Attempt != 2 || !bytes.Equal(again.Body, first.Body) || l.verdict(again) != nil {
		t.Errorf("a retry tells the old state, signed anew: %+v", again)
	}
	if second == nil || !slices.Equal(l.told(second), []string{"R1 30.00 DEVOLVIDO", "R2 20.00 DEVOLVIDO"}) {
		t.Errorf("second: %+v", second)
	}
}

func TestAFailureIsToldToo(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{Fails: true})
	l.refund(1, "R1", "30.00")
	a := l.take()
	if got := l.told(a); !slices.Equal(got, []string{"R1 30.00 NAO_REALIZADO"}) {
		t.Errorf("got %v", got)
	}
	if r := l.items(a)[0].Payment.Refunds[0]; r.Reason != reasonFailed || !r.SettledAt.IsZero() {
		t.Errorf("got %+v", r)
	}
}

func TestNobodyToTellLosesARefundsNotice(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	l.want(204, "DELETE", hookPath, "", nil)
	l.refund(1, "R1", "30.00")
	if l.psp.Take() != nil || !l.psp.Quiet() {
		t.Error("a notice went out to nowhere")
	}
	if got := l.log[len(l.log)-1]; got != "lost p1/refund/r1/0/1" {
		t.Errorf("log ends in %q", got)
	}
}

func onRefund(copy, attempt int, set chaos.Change) chaos.Deviation {
	return callbackAt(1, chaos.RefundNotice("r1"), copy, attempt, set)
}

// TestRefundNoticesMeetEveryFault takes a refund R1 of 30.00 that settles at
// once and is told of at once.
func TestRefundNoticesMeetEveryFault(t *testing.T) {
	t.Parallel()
	refunded := func(t *testing.T, faults ...chaos.Deviation) *lab {
		l := refundLab(t, 2, RefundTerms{}, faults...)
		l.refund(1, "R1", "30.00")
		return l
	}
	fired := func(t *testing.T, l *lab, n int) {
		t.Helper()
		if l.fired() != n {
			t.Errorf("fired %d, want %d", l.fired(), n)
		}
	}
	t.Run("delay", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{DelayMS: 5000}))
		l.tick(5*time.Second - 1)
		l.at(5 * time.Second)
		l.take()
		fired(t, l, 1)
	})
	t.Run("copies", func(t *testing.T) {
		l := refunded(t, onRefund(1, 1, chaos.Change{CopyAfterMS: 1000}))
		first := l.take()
		l.ack(first)
		l.at(time.Second)
		second := l.take()
		if second.Address.Copy != 1 || !bytes.Equal(first.Body, second.Body) || l.verdict(second) != nil {
			t.Errorf("got %s %s", name(second.Address), second.Body)
		}
		fired(t, l, 1)
	})
	t.Run("frozen", func(t *testing.T) {
		l := refunded(t, onRefund(1, 1, chaos.Change{CopyAfterMS: 172_800_000, Frozen: true}))
		l.ack(l.take())
		l.at(48 * time.Hour)
		second := l.take()
		if err := l.verdict(second); !errors.Is(err, pix.ErrSignatureExpired) {
			t.Errorf("signature: %v", err)
		}
		l.psp.Done(second, Answer{Status: 401})
		if fired(t, l, 1); !l.psp.Quiet() {
			t.Error("a replay was retried")
		}
	})
	t.Run("drop", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{Drop: true}))
		l.tick(time.Minute)
		if fired(t, l, 1); !l.psp.Quiet() {
			t.Error("still owed")
		}
	})
	t.Run("answer lost", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{AckLost: true}))
		l.ack(l.take())
		l.at(time.Second)
		if again := l.take(); again.Address.Attempt != 2 {
			t.Errorf("got %s", name(again.Address))
		}
		fired(t, l, 1)
	})
	t.Run("bad signature, then clean", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{Signature: chaos.SignatureBad}))
		a := l.take()
		if err := l.verdict(a); !errors.Is(err, pix.ErrSignatureMismatch) {
			t.Errorf("signature: %v", err)
		}
		l.psp.Done(a, Answer{Status: 401})
		l.at(time.Second)
		if err := l.verdict(l.take()); err != nil {
			t.Errorf("retry: %v", err)
		}
		fired(t, l, 1)
	})
	t.Run("another amount said of the Pix", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{SayCents: 1}))
		if got := l.items(l.take())[0].Payment; got.Amount != 1 || len(got.Refunds) != 1 {
			t.Errorf("got %+v", got)
		}
		fired(t, l, 1)
	})
	t.Run("overtaken", func(t *testing.T) {
		l := refunded(t, onRefund(0, 1, chaos.Change{DelayMS: 5000, Behind: "p3"}))
		l.settle(3)
		l.ack(l.take())
		l.at(5 * time.Second)
		l.take()
		fired(t, l, 1)
	})
}

func TestShapesOfRefundNotices(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{chaos.ShapeUnknownFields, chaos.ShapeNulls, chaos.ShapeRootArray, chaos.ShapeRefundObject, chaos.ShapeUnknownEnums} {
		l := refundLab(t, 1, RefundTerms{}, onRefund(0, 1, chaos.Change{Shape: []string{shape}}))
		l.refund(1, "R1", "30.00")
		a := l.take()
		got := l.items(a)[0]
		if got.Err != nil || got.Payment.Refunded() != 3000 || l.fired() != 1 {
			t.Errorf("%s: %s, fired %d", shape, a.Body, l.fired())
		}
	}
	t.Run("truncated", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, onRefund(0, 1, chaos.Change{Shape: []string{chaos.ShapeTruncated}}))
		l.refund(1, "R1", "30.00")
		if a := l.take(); bytes.HasSuffix(a.Body, []byte("}")) {
			t.Errorf("got %s", a.Body)
		}
	})
	t.Run("one object is the refund that the notice is about", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{SettleAfter: time.Minute}, onRefund(0, 1, chaos.Change{Shape: []string{chaos.ShapeRefundObject}}))
		l.refund(1, "R1", "30.00")
		l.at(30 * time.Second)
		l.refund(1, "R2", "20.00")
		l.at(time.Minute)
		a := l.take()
		if got := l.told(a); !slices.Equal(got, []string{"R1 30.00 DEVOLVIDO"}) || !bytes.Contains(a.Body, []byte(`"devolucoes":{"id":"R1"`)) {
			t.Errorf("got %s", a.Body)
		}
		l.psp.Done(a, Answer{Status: 500})
		l.at(time.Minute + 1500*time.Millisecond)
		if got := l.told(l.take()); len(got) != 2 || got[0] != "R1 30.00 DEVOLVIDO" {
			t.Errorf("the clean retry: %v", got)
		}
	})
}

func TestNoticesOfACaseMeetFaults(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{},
		callbackAt(1, chaos.DisputeNotice("m1", 1), 0, 1, chaos.Change{Drop: true}),
		callbackAt(1, chaos.DisputeNotice("m1", 2), 1, 1, chaos.Change{CopyAfterMS: 1000}))
	l.withdraw("70.00")
	l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
	l.run(4 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(9), Amount: pix.MustAmount("70.00")})
	if sent := l.run(5 * day); !slices.Equal(sent, []string{"p1/med/m1/2/0/1", "p1/med/m1/2/1/1"}) || l.fired() != 2 {
		t.Errorf("callbacks %v, fired %d", sent, l.fired())
	}
}

func TestHealKeepsRefundNotices(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{},
		onRefund(0, 1, chaos.Change{DelayMS: 3_600_000}), onRefund(1, 1, chaos.Change{CopyAfterMS: 1000}))
	l.refund(1, "R1", "30.00")
	l.psp.Heal()
	if a := l.take(); name(a.Address) != "p1/refund/r1/0/1" {
		t.Errorf("got %s", name(a.Address))
	} else {
		l.ack(a)
	}
	if l.psp.Take() != nil || !l.psp.Quiet() {
		t.Error("more than the one was owed")
	}
}

func falseRefund(set chaos.Change) chaos.Deviation {
	return callbackAt(1, chaos.NoticeFalseRefund, 0, 1, set)
}

func TestFalseRefunds(t *testing.T) {
	t.Parallel()
	over := falseRefund(chaos.Change{AtMS: 60_000, SayRefundCents: 15_000, SayRefundID: "F1"})
	t.Run("over the Pix, beside the true ones", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{NotifyAfter: time.Second}, over)
		l.at(time.Second)
		l.refund(1, "R1", "30.00")
		l.run(time.Minute - 1)
		l.at(time.Minute)
		a := l.take()
		if got := l.told(a); !slices.Equal(got, []string{"R1 30.00 DEVOLVIDO", "F1 150.00 DEVOLVIDO"}) {
			t.Errorf("got %v", got)
		}
		r := l.items(a)[0].Payment.Refunds[1]
		if r.Nature != pix.NatureOriginal || !r.SettledAt.Equal(labStart.Add(time.Minute)) || !strings.HasPrefix(string(r.ReturnID), "D99999008202603021201") {
			t.Errorf("got %+v", r)
		}
		if name(a.Address) != "p1/false_refund/0/1" || l.verdict(a) != nil || l.fired() != 1 {
			t.Errorf("%s, signature %v, fired %d", name(a.Address), l.verdict(a), l.fired())
		}
		l.psp.Done(a, Answer{Status: 500})
		l.refund(1, "R2", "1.00")
		l.at(time.Minute + time.Second)
		if again := l.take(); !bytes.Equal(again.Body, a.Body) {
			t.Errorf("a retry says the same: %s after %s", again.Body, a.Body)
		}
		l.problem(pix.ProblemRefundNotFound, "GET", refundPath(1, "F1"), "")
		l.money("69.00", "0.00", "0.00")
	})
	t.Run("of an id of its own making", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, falseRefund(chaos.Change{SayRefundCents: 500}))
		got := l.told(l.take())
		if len(got) != 1 || len(got[0]) != len("12345678901234567890123456789012 5.00 DEVOLVIDO") {
			t.Errorf("got %v", got)
		}
	})
	t.Run("another amount of a true one", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{NotifyAfter: time.Hour}, falseRefund(chaos.Change{AtMS: 60_000, SayRefundCents: 500, SayRefundID: "R1"}))
		id := l.refund(1, "R1", "30.00").ReturnID
		l.at(time.Minute)
		a := l.take()
		if got := l.told(a); !slices.Equal(got, []string{"R1 5.00 DEVOLVIDO"}) || l.items(a)[0].Payment.Refunds[0].ReturnID != id {
			t.Errorf("got %s", a.Body)
		}
	})
	t.Run("not of a Pix that is not there", func(t *testing.T) {
		l := newLab(t, over)
		l.register()
		if err := l.psp.Expect(order(1, "100.00")); err != nil {
			t.Fatal(err)
		}
		l.tick(2 * time.Minute)
		if !l.psp.Quiet() || l.fired() != 0 {
			t.Errorf("quiet %v, fired %d", l.psp.Quiet(), l.fired())
		}
	})
	t.Run("nothing after heal", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, over)
		l.psp.Heal()
		l.tick(2 * time.Minute)
	})
}
