package proptest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What two processes do to the same rows of one PostgreSQL at the same time.
// Who comes first is decided by a barrier in the database, not by waiting.

// pay has a charge of 100.00 made and paid.
func (l *raceLab) pay(t *testing.T, n int) pix.Payment {
	t.Helper()
	c := saleAsked{reference: fmt.Sprintf("PED-%d", n), kind: receiver.ChargeDynamic, due: 100_00}
	if status := l.charge(t.Context(), 0, c); status != http.StatusCreated {
		t.Fatalf("charge answered with %d", status)
	}
	order := fakepsp.PayOrder{EndToEndID: pix.EndToEndID(fmt.Sprintf("E99999008202603021200p%010d", n)), TxID: l.txid(c), Amount: c.due}
	got, err := l.psp.Pay(order)
	if err != nil {
		t.Fatal(err)
	}
	return got.Pix.Payment
}

// refunded has the bank return some of a Pix, and gives the Pix as it is then.
func (l *raceLab) refunded(t *testing.T, id pix.EndToEndID, cents pix.Amount) pix.Payment {
	t.Helper()
	if _, err := l.psp.AskRefund(fakepsp.RefundOrder{EndToEndID: id, ID: "APP1", Amount: cents}); err != nil {
		t.Fatal(err)
	}
	p, _ := l.psp.Payment(id)
	if len(p.Refunds) != 1 || p.Refunds[0].Status != pix.RefundReturned {
		t.Fatalf("the bank's refund is not returned: %+v", p.Refunds)
	}
	return p
}

// A Pix alone and the same Pix with its refund, told of at the same instant to
// two processes, are one credit and one refund.
func TestTwoNoticesOfOnePixAtOnce(t *testing.T) {
	t.Parallel()
	l := newRaceLab(t)
	rounds := 10
	if v, ok := os.LookupEnv("PIXLAB_RACE_ROUNDS"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			t.Fatalf("PIXLAB_RACE_ROUNDS is %q; want a whole number such as 200", v)
		}
		rounds = n
	}
	for n := range rounds {
		p := l.pay(t, n+2)
		with := l.refunded(t, p.EndToEndID, 10_00)
		start := make(chan struct{})
		alone := aside(func() int { <-start; return l.told(0, p) })
		both := aside(func() int { <-start; return l.told(1, with) })
		close(start)
		if a, b := <-alone, <-both; a != http.StatusOK || b != http.StatusOK {
			t.Fatalf("answered with %d and %d", a, b)
		}
		l.worked(t)
		net := readBooks(l.store)
		if net.credits[p.EndToEndID] != 1 || net.net[p.EndToEndID] != 90_00 {
			t.Fatalf("round %d: %d credits, net %d cents; want one and 9000", n, net.credits[p.EndToEndID], net.net[p.EndToEndID])
		}
	}
	if got := l.db.Dump(); len(got.Payments) != rounds || len(got.Refunds) != rounds {
		t.Errorf("%d Pix and %d refunds, want %d each", len(got.Payments), len(got.Refunds), rounds)
	}
	l.agrees(t)
}

// The sweep and the callback store the same Pix, one of them caught between its
// insert and its commit: the other waits, finds it, and does nothing.
func TestSweepAndCallbackStoreTheSamePix(t *testing.T) {
	t.Parallel()
	for name, sweepFirst := range map[string]bool{"the sweep commits first": true, "the callback commits first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newRaceLab(t)
			sweep := func() error { return l.step(context.Background(), 0, receiver.DutySweep) }
			callback := func() int { return l.told(1, l.paid) }
			channel := receiver.ChannelCallback
			if sweepFirst {
				channel = receiver.ChannelSweep
			}
			l.db.barrier("inbox_event", "INSERT", fmt.Sprintf("NEW.channel = '%s'", channel))
			var swept <-chan error
			var answered <-chan int
			if sweepFirst {
				swept = aside(sweep)
				l.db.waiting(1)
				answered = aside(callback)
			} else {
				answered = aside(callback)
				l.db.waiting(1)
				swept = aside(sweep)
			}
			l.db.waiting(2)
			l.db.lift()
			if err, status := <-swept, <-answered; err != nil || status != http.StatusOK {
				t.Fatalf("the sweep: %v; the callback was answered with %d", err, status)
			}
			events, err := l.events()
			if err != nil || len(events) != 1 || events[0].Channel != channel {
				t.Fatalf("%d events (%v), the first by %s", len(events), err, events[0].Channel)
			}
			l.worked(t)
			booked := len(l.store.Transactions())
			l.agrees(t)
			if got := len(l.store.Transactions()); got != booked {
				t.Errorf("the next sweep and the reconciliation booked %d transactions", got-booked)
			}
		})
	}
}

// A callback without the refund, handled while the refund is being booked,
// does not take it back; nor does one that was there first.
func TestCallbackWithoutRefundErasesNone(t *testing.T) {
	t.Parallel()
	t.Run("the refund is about to commit", func(t *testing.T) {
		t.Parallel()
		l := newRaceLab(t)
		l.told(0, l.paid)
		l.worked(t)
		with := l.refunded(t, l.paid.EndToEndID, 40_00)
		l.told(0, with)
		l.db.barrier("refund", "INSERT", "true")
		l.until(receiver.QueueInbox)
		booked := aside(func() error { return l.step(context.Background(), 0, receiver.QueueInbox) })
		l.db.waiting(1)
		if status := l.told(1, l.paid); status != http.StatusOK {
			t.Fatalf("answered with %d", status)
		}
		if err := l.step(context.Background(), 1, receiver.QueueInbox); err != nil {
			t.Fatal(err)
		}
		l.db.lift()
		if err := <-booked; err != nil {
			t.Fatal(err)
		}
		l.returned(t, 40_00)
	})
	t.Run("the callback is about to commit", func(t *testing.T) {
		t.Parallel()
		l := newRaceLab(t)
		with := l.refunded(t, l.paid.EndToEndID, 40_00)
		l.db.barrier("inbox_event", "INSERT", "true")
		alone := aside(func() int { return l.told(0, l.paid) })
		l.db.waiting(1)
		both := aside(func() int { return l.told(1, with) })
		l.db.waiting(2)
		l.db.lift()
		if a, b := <-alone, <-both; a != http.StatusOK || b != http.StatusOK {
			t.Fatalf("answered with %d and %d", a, b)
		}
		l.returned(t, 40_00)
	})
}

// returned wants that much returned of the Pix, now and at the day's end.
func (l *raceLab) returned(t *testing.T, cents pix.Amount) {
	t.Helper()
	l.worked(t)
	for _, c := range l.db.Dump().Payments {
		if c.After.Refunded != cents || c.After.Refunding != 0 {
			t.Fatalf("%d cents returned and %d on their way, want %d and none", c.After.Refunded, c.After.Refunding, cents)
		}
	}
	l.agrees(t)
}

// Of two holders of one event, one of whom came when the other's lease had run
// out, one books and the other changes nothing, whichever commits first.
func TestLateHolderAndNewOne(t *testing.T) {
	t.Parallel()
	t.Run("the first is about to commit: nobody else gets the event", func(t *testing.T) {
		t.Parallel()
		l, first := claimed(t)
		l.db.barrier("payment", "INSERT", "true")
		booked := l.applied(first)
		l.db.waiting(1)
		l.now = l.now.Add(2100 * time.Millisecond)
		if again := l.claims(t, "B"); len(again) != 0 {
			t.Fatalf("the second took %d events out of the first's hands", len(again))
		}
		l.db.lift()
		if got := <-booked; got != receiver.ApplyBooked {
			t.Fatalf("the first: %s", got)
		}
		l.finished(t)
	})
	t.Run("the second is about to commit its lease: the first is late", func(t *testing.T) {
		t.Parallel()
		l, first := claimed(t)
		l.now = l.now.Add(2100 * time.Millisecond)
		l.db.barrier("inbox_event", "UPDATE", "NEW.holder = 'B'")
		second := aside(func() []receiver.Event { return l.claims(t, "B") })
		l.db.waiting(1)
		late := l.applied(first)
		l.db.waiting(2)
		l.db.lift()
		events := <-second
		if got := <-late; got != receiver.ApplyLost || len(events) != 1 {
			t.Fatalf("the first: %s; the second has %d events", got, len(events))
		}
		if len(l.store.Transactions()) != 0 {
			t.Fatal("the late holder booked")
		}
		if got := <-l.applied(events[0]); got != receiver.ApplyBooked {
			t.Fatalf("the second: %s", got)
		}
		l.finished(t)
	})
}

// claimed is a lab whose one event A holds for two seconds.
func claimed(t *testing.T) (*raceLab, receiver.Event) {
	t.Helper()
	l := newRaceLab(t)
	l.told(0, l.paid)
	events := l.claims(t, "A")
	if len(events) != 1 {
		t.Fatalf("%d events", len(events))
	}
	return l, events[0]
}

func (l *raceLab) claims(t *testing.T, holder string) []receiver.Event {
	events, err := l.store.ClaimEvents(context.Background(), receiver.Lease{Holder: holder, Now: l.now, For: 2 * time.Second, Limit: 10})
	if err != nil {
		t.Error(err)
	}
	return events
}

// applied has a holder book what it holds, at the same time.
func (l *raceLab) applied(e receiver.Event) <-chan receiver.ApplyResult {
	return aside(func() receiver.ApplyResult {
		out, err := l.store.ApplyEvents(context.Background(), []receiver.Application{{
			EventID: e.ID, Version: e.Version, Confirmed: e.Credit, Now: l.now,
		}})
		if err != nil {
			return receiver.ApplyResult(err.Error())
		}
		return out[0].Result
	})
}

// finished wants the event processed for good, and one credit.
func (l *raceLab) finished(t *testing.T) {
	t.Helper()
	l.now = l.now.Add(time.Hour)
	if again := l.claims(t, "C"); len(again) != 0 {
		t.Error("a finished event is handed out again")
	}
	events, err := l.events()
	if err != nil || events[0].State != receiver.EventProcessed {
		t.Fatalf("%v: the event is %s", err, events[0].State)
	}
	l.agrees(t)
}

// A refund whose holder is too slow is sent by the next under the same id: the
// PSP makes it once, and the late answer of the first changes nothing.
func TestRefundSentByTwoHoldersIsMadeOnce(t *testing.T) {
	t.Parallel()
	l := newRaceLab(t)
	if err := l.step(t.Context(), 0, receiver.DutySweep); err != nil { // which confirms the Pix
		t.Fatal(err)
	}
	l.worked(t)
	body := fmt.Appendf(nil, `{"reference":"DEV-1","endToEndId":%q,"amount":"30.00"}`, l.paid.EndToEndID)
	if rec := l.send(t.Context(), 0, http.MethodPost, "/refunds", nil, body); rec.Code != http.StatusAccepted {
		t.Fatalf("answered with %d: %s", rec.Code, rec.Body)
	}
	first, err := l.store.LeaseRefunds(t.Context(), receiver.Lease{Holder: "A", Now: l.now, For: 2 * time.Second, Limit: 10})
	if err != nil || len(first) != 1 {
		t.Fatalf("%d refunds: %v", len(first), err)
	}
	l.now = l.now.Add(2100 * time.Millisecond)
	if err := l.step(t.Context(), 1, receiver.QueueRefunds); err != nil { // asks, then sends
		t.Fatal(err)
	}
	for l.until(receiver.QueueRefunds) {
		if err := l.step(t.Context(), 1, receiver.QueueRefunds); err != nil {
			t.Fatal(err)
		}
	}
	made := l.psp.Refunds()
	if len(made) != 1 || made[0].ID != first[0].ID {
		t.Fatalf("the PSP made %+v, want one under the id %s", made, first[0].ID)
	}
	late := receiver.RefundCall{
		Ref: receiver.RefundRef{Consumer: first[0].Consumer, Reference: first[0].Reference}, ID: first[0].ID,
		Version: first[0].Version, Refused: true, Problem: "too slow", Now: l.now,
	}
	after, err := l.store.RecordRefunds(t.Context(), []receiver.RefundCall{late})
	if err != nil || after[0].State != receiver.RefundReturned {
		t.Fatalf("%v: the late holder made it %s", err, after[0].State)
	}
	l.agrees(t)
}
