package fakepsp

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func TestDelayHoldsAnAttemptBack(t *testing.T) {
	t.Parallel()
	l := newLab(t, callback(1, chaos.Change{DelayMS: 5000}), callbackAt(1, "credit", 0, 2, chaos.Change{DelayMS: 1000}))
	l.paid(1)
	l.at(5*time.Second - 1)
	if l.psp.Take() != nil || l.fired() != 0 {
		t.Fatal("sent, or counted, before its time")
	}
	l.at(5 * time.Second)
	a := l.take()
	if l.fired() != 1 || l.verdict(a) != nil {
		t.Errorf("fired %d, signature %v", l.fired(), l.verdict(a))
	}
	l.psp.Done(a, Answer{Status: 500})
	if due, _ := l.psp.Due(); !due.Equal(labStart.Add(7 * time.Second)) {
		t.Errorf("attempt 2 due %s", due.Sub(labStart))
	}
}

func TestReorderFiresOnlyIfOvertaken(t *testing.T) {
	t.Parallel()
	held := callback(1, chaos.Change{DelayMS: 5000, Behind: "p2"})
	t.Run("overtaken", func(t *testing.T) {
		l := newLab(t, held)
		l.paid(2)
		if a := l.take(); a.Address.Subject != "p2" {
			t.Fatalf("first is %s", a.Address.Subject)
		}
		l.at(5 * time.Second)
		l.take()
		if l.fired() != 1 {
			t.Error("did not fire")
		}
	})
	t.Run("not overtaken", func(t *testing.T) {
		l := newLab(t, held)
		l.paid(1)
		l.at(5 * time.Second)
		l.take()
		if l.fired() != 0 {
			t.Error("fired")
		}
	})
	t.Run("the other was first anyway", func(t *testing.T) {
		l := newLab(t, held)
		l.register()
		l.charge(2, "10.00")
		l.pay(order(2, "10.00"))
		l.ack(l.take())
		l.at(time.Second)
		l.charge(1, "10.00")
		l.pay(order(1, "10.00"))
		l.at(time.Minute)
		l.take()
		if l.fired() != 0 {
			t.Error("fired")
		}
	})
}

func TestCopies(t *testing.T) {
	t.Parallel()
	t.Run("spaced, each signed anew", func(t *testing.T) {
		l := newLab(t, callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 60_000}))
		l.paid(1)
		first := l.take()
		l.ack(first)
		l.at(time.Minute)
		second := l.take()
		if second.Address.Copy != 1 || !bytes.Equal(first.Body, second.Body) || l.verdict(second) != nil {
			t.Errorf("copy %s, body %s", name(second.Address), second.Body)
		}
		if l.fired() != 1 || first.Header.Get(pix.SignatureHeader) == second.Header.Get(pix.SignatureHeader) {
			t.Error("not fired, or not signed anew")
		}
		l.psp.Done(second, Answer{Status: 500})
		l.at(2 * time.Minute)
		if again := l.take(); again.Address.Copy != 1 || again.Address.Attempt != 2 {
			t.Errorf("a copy is retried on its own: got %s", name(again.Address))
		}
	})
	t.Run("at once", func(t *testing.T) {
		l := newLab(t, callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 1}))
		l.paid(1)
		l.at(time.Millisecond)
		if a, b := l.take(), l.take(); a.Address.Copy != 0 || b.Address.Copy != 1 {
			t.Errorf("got %s and %s", name(a.Address), name(b.Address))
		}
	})
	t.Run("after a delayed original", func(t *testing.T) {
		l := newLab(t, callback(1, chaos.Change{DelayMS: 5000}), callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 1000}))
		l.paid(1)
		l.at(5 * time.Second)
		l.take()
		l.at(6 * time.Second)
		l.take()
	})
	t.Run("frozen, days later, is the old bytes and too old", func(t *testing.T) {
		l := newLab(t, callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 172_800_000, Frozen: true}))
		l.paid(1)
		first := l.take()
		l.ack(first)
		l.at(48 * time.Hour)
		second := l.take()
		if !bytes.Equal(first.Body, second.Body) || first.Header.Get(pix.SignatureHeader) != second.Header.Get(pix.SignatureHeader) {
			t.Error("not the same bytes")
		}
		if err := l.verdict(second); !errors.Is(err, pix.ErrSignatureExpired) {
			t.Errorf("signature: %v", err)
		}
		l.psp.Done(second, Answer{Status: 401})
		if !l.psp.Quiet() || l.fired() != 1 {
			t.Error("a replay is not retried, and fired")
		}
	})
	t.Run("frozen of a dropped one is what it would have been", func(t *testing.T) {
		l := newLab(t, callback(1, chaos.Change{Drop: true}),
			callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 60_000, Frozen: true}))
		l.paid(1)
		if l.psp.Take() != nil {
			t.Fatal("dropped one was sent")
		}
		l.at(time.Minute)
		a := l.take()
		l.at(0)
		if err := l.verdict(a); err != nil {
			t.Errorf("signature at the time of the original: %v", err)
		}
	})
}

func TestDropIsTakenForDelivered(t *testing.T) {
	t.Parallel()
	l := newLab(t, callback(1, chaos.Change{Drop: true}))
	l.paid(1)
	if l.psp.Take() != nil || !l.psp.Quiet() || l.fired() != 1 {
		t.Errorf("quiet %v, fired %d", l.psp.Quiet(), l.fired())
	}
	if got := l.log[len(l.log)-1]; got != "dropped p1/credit/0/1" {
		t.Errorf("log ends in %q", got)
	}
}

func TestAckLostIsRetried(t *testing.T) {
	t.Parallel()
	l := newLab(t, callback(1, chaos.Change{AckLost: true}))
	l.paid(1)
	a := l.take()
	if !a.LoseAnswer || l.fired() != 0 {
		t.Errorf("lose answer %v, fired %d before it was lost", a.LoseAnswer, l.fired())
	}
	l.psp.Done(a, Answer{Status: 200})
	if len(l.acked) != 0 || l.fired() != 1 {
		t.Errorf("acknowledged %d, fired %d", len(l.acked), l.fired())
	}
	l.at(time.Second)
	if again := l.take(); again.LoseAnswer || again.Address.Attempt != 2 || !bytes.Equal(again.Body, a.Body) {
		t.Errorf("attempt 2: %+v", again)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]error{
		chaos.SignatureMissing: pix.ErrSignatureMissing,
		chaos.SignatureBad:     pix.ErrSignatureMismatch,
	} {
		l := newLab(t, callback(1, chaos.Change{Signature: kind}))
		l.paid(1)
		a := l.take()
		if err := l.verdict(a); !errors.Is(err, want) || l.fired() != 1 {
			t.Errorf("%s: got %v, fired %d", kind, err, l.fired())
		}
		l.psp.Done(a, Answer{Status: 401})
		l.at(time.Second)
		if err := l.verdict(l.take()); err != nil {
			t.Errorf("the retry of a credit is clean, got %v", err)
		}
	}
}

func TestAlteredAmount(t *testing.T) {
	t.Parallel()
	l := newLab(t, callback(1, chaos.Change{SayCents: 1}), callback(2, chaos.Change{SayCents: 1000}))
	l.paid(2)
	a := l.take()
	if got := l.items(a)[0].Payment; got.Amount != 1 || got.EndToEndID != e2eOf(1) || l.verdict(a) != nil {
		t.Errorf("got %+v", got)
	}
	l.take()
	if l.fired() != 1 {
		t.Errorf("fired %d: saying the truth is no deviation", l.fired())
	}
	if l.psp.Balance() != 2000 {
		t.Error("words changed the truth")
	}
}

func TestExtraNotices(t *testing.T) {
	t.Parallel()
	phantom := callbackAt(1, chaos.NoticePhantom, 0, 1, chaos.Change{AtMS: 30_000, SayEndToEndID: string(e2eOf(77)), SayCents: 9999})
	forged := callbackAt(1, chaos.NoticeForged, 0, 1, chaos.Change{AtMS: 40_000, Signature: chaos.SignatureBad})
	run := func(t *testing.T, l *lab) {
		l.at(30 * time.Second)
		a := l.take()
		got := l.items(a)[0].Payment
		want := pix.Payment{EndToEndID: e2eOf(77), TxID: txidOf(1), Amount: 9999, PixKey: ourKey, PaidAt: l.now}
		if a.Address.Notice != chaos.NoticePhantom || got.EndToEndID != want.EndToEndID || got.TxID != want.TxID ||
			got.Amount != want.Amount || got.PixKey != want.PixKey || !got.PaidAt.Equal(want.PaidAt) || l.verdict(a) != nil {
			t.Errorf("phantom: got %+v, want %+v", got, want)
		}
		l.psp.Done(a, Answer{Status: 500})
		l.at(31 * time.Second)
		if again := l.take(); !bytes.Equal(a.Body, again.Body) || l.verdict(again) != nil {
			t.Errorf("a phantom's retry says the same: %s", again.Body)
		} else {
			l.ack(again)
		}
		l.at(40 * time.Second)
		b := l.take()
		if got := l.items(b)[0].Payment; got.EndToEndID != e2eOf(1) || got.Amount != 1000 || l.verdict(b) == nil {
			t.Errorf("forged: got %+v, signature %v", got, l.verdict(b))
		}
		l.psp.Done(b, Answer{Status: 401})
		if !l.psp.Quiet() || l.fired() != 2 {
			t.Errorf("quiet %v, fired %d", l.psp.Quiet(), l.fired())
		}
		l.problem(pix.ProblemPaymentNotFound, "GET", "/v2/pix/"+string(e2eOf(77)), "")
	}
	t.Run("beside a payment", func(t *testing.T) {
		l := newLab(t, phantom, forged)
		l.paid(1)
		l.ack(l.take())
		run(t, l)
	})
	t.Run("of a payment that is void", func(t *testing.T) {
		l := newLab(t, phantom, forged)
		l.register()
		if _, err := l.psp.Pay(order(1, "10.00")); err == nil {
			t.Fatal("paid a charge that is not there")
		}
		run(t, l)
	})
	t.Run("announced, and never paid", func(t *testing.T) {
		l := newLab(t, phantom, forged)
		l.register()
		for range 2 {
			if err := l.psp.Expect(order(1, "10.00")); err != nil {
				t.Fatal(err)
			}
		}
		run(t, l)
	})
	t.Run("of another txid", func(t *testing.T) {
		l := newLab(t, callbackAt(1, chaos.NoticePhantom, 0, 1, chaos.Change{SayTxID: "OTHER"}))
		l.paid(1)
		l.ack(l.take())
		if got := l.items(l.take())[0].Payment; got.TxID != "OTHER" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestHealLetsEverythingOut(t *testing.T) {
	t.Parallel()
	l := newLabWith(t, func(c *Config) { c.StatementLag = time.Hour },
		callback(1, chaos.Change{DelayMS: 3_600_000}),
		callbackAt(1, "credit", 1, 1, chaos.Change{CopyAfterMS: 7_200_000}),
		callbackAt(1, chaos.NoticePhantom, 0, 1, chaos.Change{AtMS: 60_000, SayEndToEndID: string(e2eOf(9))}),
		callback(2, chaos.Change{With: []string{"p3"}}),
		callback(4, chaos.Change{Drop: true}),
		window(chaos.PlacePSP, 0, 100_000_000, chaos.Change{SlowMS: 1000}),
	)
	l.register()
	for _, n := range []int{1, 3, 4} {
		l.charge(n, "10.00")
		l.pay(order(n, "10.00"))
	}
	l.at(time.Second)
	if l.psp.Take() != nil {
		t.Fatal("something went out") // p4 is dropped here
	}
	l.psp.Heal()
	for _, want := range []string{"p1", "p3"} {
		a := l.take()
		if a.Address.Subject != want || a.Address.Copy != 0 {
			t.Errorf("got %s, want %s", name(a.Address), want)
		}
		l.ack(a)
	}
	if l.psp.Take() != nil || !l.psp.Quiet() {
		t.Error("more than the two was owed")
	}
	if got := len(l.pixPage(wholeDay).Payments); got != 3 {
		t.Errorf("list has %d pix after the lag ended", got)
	}
	if reply := l.call("GET", cobPath(1), ""); reply.After != 0 {
		t.Errorf("still slow: %s", reply.After)
	}
}
