package scenarios_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: a callback failed, the next one told a newer state and was
// taken, then the PSP's retry of the first wrote the old state over it.
func TestRetryOfAnOlderSnapshotTakesNothingBack(t *testing.T) {
	l := newLab(t, labOptions{psp: terms(map[string]fakepsp.RefundTerms{
		"DEV-1": {SettleAfter: 30 * time.Second, NotifyAfter: time.Second},
		"DEV-2": {SettleAfter: 20 * time.Second, NotifyAfter: time.Second},
	})})
	p := l.sold("PED-1", "100.00")
	start := l.clock.Now()
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	l.refund(http.StatusAccepted, "DEV-2", p, "20.00")
	l.work()
	l.stands("DEV-1", receiver.RefundProcessing)
	one, two := refundID("DEV-1", 0), refundID("DEV-2", 0)

	for _, at := range []time.Duration{21 * time.Second, 22 * time.Second} { // DEV-1 in process, DEV-2 done
		l.clock.until(start.Add(at))
		l.store.before["AppendInbox"] = func() error { return receiver.ErrUnavailable }
		if got := l.deliver(); len(got) != 1 || got[0] != http.StatusServiceUnavailable {
			t.Fatalf("the older snapshot at %s: got %v, want 503", at, got)
		}
	}
	l.clock.until(start.Add(31 * time.Second)) // both done
	if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
		t.Fatalf("the newer snapshot: got %v, want 200", got)
	}
	l.rest()
	l.returned(p.EndToEndID, "30.00", "20.00")

	l.unmoved("the retry of the older snapshot", func() {
		l.clock.until(start.Add(32 * time.Second))
		if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
			t.Errorf("the retry: got %v, want 200", got)
		}
		l.rest()
	})
	if e := l.refundEvent(p.EndToEndID, one, pix.RefundProcessing); e.State != receiver.EventProcessed {
		t.Errorf("the older state of DEV-1 is %s, want PROCESSED", e.State)
	}
	l.refundEvent(p.EndToEndID, two, pix.RefundReturned)
	l.stands("DEV-1", receiver.RefundReturned)
	l.stands("DEV-2", receiver.RefundReturned)
	l.returned(p.EndToEndID, "30.00", "20.00")
	l.left(p.EndToEndID, "50.00")
	l.openCases()
	l.endOfDay()
}

// From the field: the first that anybody heard of a Pix was that part of it had
// gone back.
func TestFirstWordOfAPixIsItsRefund(t *testing.T) {
	for _, late := range []bool{true, false} {
		name := "the callback of the credit never comes"
		if late {
			name = "the callback of the credit comes later"
		}
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries})
			p := l.pay(l.sale("PED-1", "100.00"), "100.00")
			original := l.lose()
			l.clock.advance(time.Minute)
			l.inApp(p, "APP1", "40.00")
			if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
				t.Fatalf("the callback of the refund: got %v, want 200", got)
			}
			l.rest()
			l.credited(p.EndToEndID, "100.00")
			l.returned(p.EndToEndID, "40.00")
			l.holds(receiver.AccountSettlement, "60.00")
			if late {
				l.unmoved("the credit's own callback", func() {
					l.callback(http.StatusOK, original[0])
					l.rest()
				})
			}
			l.settled("PED-1", "100.00", true)
			l.openCases()
			l.endOfDay()
			l.returned(p.EndToEndID, "40.00")
		})
	}
}

// The refund alone, before any word of the Pix: it waits for it.
func TestRefundWaitsForItsPix(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.pay("", "100.00") // to the key: no callback, and only a sweep tells of it
	x := l.inApp(p, "APP1", "40.00")
	item := receiver.RefundContent{
		EndToEndID: p.EndToEndID, ID: x.ID, ReturnID: x.ReturnID, Amount: x.Amount, Nature: x.Nature, Status: x.Status,
	}
	// No callback tells of a refund without its Pix. The store stands it all the same.
	_, err := l.mem.AppendInbox(t.Context(), []receiver.InboxItem{{
		Source: "psp", Key: item.Key(), Channel: receiver.ChannelCallback, Refund: &item, ReceivedAt: l.clock.Now(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.work()
	l.credited(p.EndToEndID)
	l.sweep()
	l.returned(p.EndToEndID, "40.00")
	l.holds(receiver.AccountUnidentified, "60.00")
	l.endOfDay()
}

// From the field: a callback read the whole record, a refund was committed, the
// callback wrote the record back as it had been. An absent or empty list says
// nothing of a refund that is known.
func TestCallbackWithoutItsRefundsErasesNone(t *testing.T) {
	for name, more := range map[string]string{
		"devolucoes absent": ``, "devolucoes null": `,"devolucoes":null`, "devolucoes empty": `,"devolucoes":[]`,
	} {
		t.Run(name+", while the refund is about to commit", func(t *testing.T) {
			l := newLab(t, labOptions{receivers: 2})
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "40.00")
			l.store.before["RecordRefunds"] = func() error {
				l.callback(http.StatusOK, body(l.itemOf(p, more)))
				l.work()
				return nil
			}
			l.rest()
			l.returned(p.EndToEndID, "40.00")
			l.left(p.EndToEndID, "60.00")
			l.endOfDay()
		})
		t.Run(name+", while the callback is about to commit", func(t *testing.T) {
			l := newLab(t, labOptions{receivers: 2})
			p := l.pay(l.sale("PED-1", "100.00"), "100.00")
			l.lose()
			l.sweep()
			l.refund(http.StatusAccepted, "DEV-1", p, "40.00")
			l.store.before["AppendInbox"] = func() error {
				l.work()
				l.returned(p.EndToEndID, "40.00")
				return nil
			}
			l.callback(http.StatusOK, body(l.itemOf(p, more)))
			l.rest()
			l.returned(p.EndToEndID, "40.00")
			l.left(p.EndToEndID, "60.00")
			l.endOfDay()
		})
	}
}

// The same between reading an event and booking it: the booking looks at the
// rows as they are then.
func TestCreditBookedTwiceAroundARefundErasesNone(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.callback(http.StatusOK, body(l.itemOf(p)))
	l.store.before["ApplyEvents"] = func() error {
		l.clock.advance(time.Minute) // its lease is over, and another worker does all of it
		if _, err := l.steps[1]["worker/1"].RunOnce(t.Context()); err != nil {
			return err
		}
		l.sweep()
		l.refund(http.StatusAccepted, "DEV-1", p, "40.00")
		l.work()
		l.returned(p.EndToEndID, "40.00")
		return nil
	}
	if err := l.step("worker/1"); err != nil {
		t.Fatal(err)
	}
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.returned(p.EndToEndID, "40.00")
	l.left(p.EndToEndID, "60.00")
	l.endOfDay()
}

// The PSP's list vouches for a credit only after part of it went back: what was
// booked of it stands.
func TestConfirmationAfterARefundErasesNone(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.deliver()
	l.work()
	l.reconcile() // the statement vouches for the money, and nothing was said of its event
	l.refund(http.StatusAccepted, "DEV-1", p, "40.00")
	l.rest()
	if l.event(p.EndToEndID).Confirmed {
		t.Fatal("the event is confirmed already: this test proves nothing")
	}
	l.unmoved("the sweep", l.sweep)
	if !l.event(p.EndToEndID).Confirmed {
		t.Error("the sweep does not confirm the event")
	}
	l.returned(p.EndToEndID, "40.00")
	l.left(p.EndToEndID, "60.00")
	l.endOfDay()
}

// From the field: the callback of our own refund overtook the answer of our own
// call, was taken for somebody else's, and the partial refund counted twice.
func TestCallbackOvertakesTheAnswerOfOurOwnRefund(t *testing.T) {
	// Each runs do between the PSP's effect and our own commit.
	barriers := map[string]func(l *lab, tp *tape, do func()){
		"the answer is on its way": func(_ *lab, tp *tape, do func()) {
			tp.on(http.MethodPut, func(_ *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
				resp, err := call()
				do()
				return resp, err
			})
		},
		"the answer is not committed yet": func(l *lab, _ *tape, do func()) {
			l.store.before["RecordRefunds"] = func() error { do(); return nil }
		},
		"the answer was lost": func(_ *lab, tp *tape, do func()) {
			tp.on(http.MethodPut, func(_ *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
				if _, err := call(); err != nil {
					return nil, err
				}
				do()
				return nil, errCut
			})
		},
	}
	for name, hold := range barriers {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{receivers: 2})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			for i, reference := range []string{"DEV-1", "DEV-2"} {
				l.refund(http.StatusAccepted, reference, p, "30.00")
				hold(l, tp, func() {
					l.clock.advance(time.Second) // until the callback is due
					if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
						t.Errorf("the callback of %s: got %v, want 200", reference, got)
					}
					l.work()
					if n := len(l.refunds(p.EndToEndID)); n != i+1 {
						t.Errorf("%d refunds while %s waits for its answer, want %d", n, reference, i+1)
					}
				})
				l.rest()
				l.stands(reference, receiver.RefundReturned)
				if x := l.shown(reference); x.ID != refundID(reference, 0) || x.ReturnID == "" {
					t.Errorf("%s is %+v", reference, x)
				}
			}
			l.returned(p.EndToEndID, "30.00", "30.00")
			l.left(p.EndToEndID, "40.00")
			l.holds(receiver.AccountInProcess, "0.00")
			l.putOnly(tp, refundID("DEV-1", 0), refundID("DEV-2", 0))
			l.openCases()
			l.endOfDay()
		})
	}
}
