package scenarios_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: the mark "seen before" was written ahead of the work, the
// work failed, and the retry was thrown away as a duplicate. The customer's
// money never came.
func TestFailedBookingLeavesTheEventClaimable(t *testing.T) {
	failures := []struct {
		name   string
		strike func(l *lab, fail func() error)
	}{
		{"the booking did nothing", func(l *lab, fail func() error) { l.store.before["ApplyEvents"] = fail }},
		{"the booking committed and its answer was lost", func(l *lab, fail func() error) { l.store.after["ApplyEvents"] = fail }},
	}
	for _, f := range failures {
		for _, redelivered := range []bool{true, false} {
			name := f.name + ", no redelivery"
			if redelivered {
				name = f.name + ", redelivered"
			}
			t.Run(name, func(t *testing.T) {
				l := newLab(t, labOptions{receivers: 2})
				p := l.pay(l.sale("PED-1", "100.00"), "100.00")
				same := body(l.itemOf(p))
				l.callback(http.StatusOK, same)
				fault := receiver.ErrUnavailable
				f.strike(l, func() error { return fault })
				if err := l.step("worker/1"); err != fault {
					t.Fatalf("the worker's turn: got %v, want %v", err, fault)
				}
				if redelivered {
					if rec := l.send(1, "/pix", same); rec.Code != http.StatusOK {
						t.Errorf("redelivery: got %d, want 200", rec.Code)
					}
				}
				l.rest()
				l.credited(p.EndToEndID, "100.00")
				l.settled("PED-1", "100.00", true)
				l.endOfDay()
			})
		}
	}
}

// The same, at the front door: while the inbox cannot be written the answer is
// no 2xx, so that the PSP tries again, and its retry is taken as new.
func TestCallbackThatCouldNotBeStoredIsNotAcknowledged(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.store.before["AppendInbox"] = func() error { return receiver.ErrUnavailable }
	if got := l.deliver(); len(got) != 1 || got[0] != http.StatusServiceUnavailable {
		t.Fatalf("the first attempt: got %v, want 503", got)
	}
	l.rest()
	l.credited(p.EndToEndID)
	due, ok := l.psp.Due()
	if !ok {
		t.Fatal("the PSP does not try again")
	}
	l.clock.until(due)
	if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
		t.Fatalf("the second attempt: got %v, want 200", got)
	}
	l.rest()
	l.credited(p.EndToEndID, "100.00")
}

// An append that committed and did not get to say so is repeated by the PSP.
func TestCallbackStoredWithoutAnAnswerIsCreditedOnceAllTheSame(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.store.after["AppendInbox"] = func() error { return receiver.ErrCommitUnknown }
	l.deliver()
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.unmoved("the PSP's retry", func() {
		due, _ := l.psp.Due()
		l.clock.until(due)
		if got := l.deliver(); len(got) != 1 || got[0] != http.StatusOK {
			t.Errorf("the retry: got %v, want 200", got)
		}
		l.rest()
	})
}

// From the field: the payer was faster than the merchant's own commit; the
// callback of an id that nobody knew yet was answered 200, and was gone.

// The charge exists at the PSP, made by another system of the merchant, and is
// paid while the receiver is about to commit its own row of it.
func TestCallbackBeforeTheChargesCommitIsAttachedByItsTxid(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.elsewhere("100.00")
	var p pix.Payment
	l.store.before["CreateCharges"] = func() error {
		p = l.payAndTell(txid, "100.00")
		l.credited(p.EndToEndID, "100.00")
		l.openCases(receiver.UnidentifiedCase(p.EndToEndID))
		return nil
	}
	l.charge(`{"reference":"PED-1","amount":"100.00","txid":"` + string(txid) + `"}`)
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.openCases()
	l.holds(receiver.AccountUnidentified, "0.00")
	l.holds(receiver.AccountRevenue, "100.00")
	l.settled("PED-1", "100.00", true)
	if got := l.payment(p.EndToEndID).Charge; got != "PED-1" {
		t.Errorf("the Pix is on charge %q, want PED-1", got)
	}
	l.endOfDay()
}

// The same, and the receiver's row is rolled back: the money stays, as nobody's.
func TestCallbackOfAChargeThatWasRolledBackIsParked(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.elsewhere("100.00")
	var p pix.Payment
	l.store.before["CreateCharges"] = func() error {
		p = l.payAndTell(txid, "100.00")
		return receiver.ErrUnavailable
	}
	rec := l.call(http.MethodPost, "/charges", `{"reference":"PED-1","amount":"100.00","txid":"`+string(txid)+`"}`)
	if rec.Code != http.StatusServiceUnavailable {
		t.Fatalf("POST /charges: got %d, want 503", rec.Code)
	}
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.holds(receiver.AccountUnidentified, "100.00")
	l.openCases(receiver.UnidentifiedCase(p.EndToEndID))
	if e := l.event(p.EndToEndID); e.State != receiver.EventProcessed {
		t.Errorf("its event is %s, want PROCESSED: nothing is to be retried", e.State)
	}
	if !l.psp.Quiet() {
		t.Error("the PSP goes on retrying")
	}
	l.endOfDay()
}

// The receiver commits its intention before the call, so that even a callback
// that overtakes the PSP's own answer finds its charge.
func TestCallbackThatOvertakesTheAnswerFindsItsCharge(t *testing.T) {
	l := newLab(t, labOptions{})
	var p pix.Payment
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		resp, err := call()
		if req.Method == http.MethodPut && strings.HasPrefix(req.URL.Path, "/v2/cob/") {
			l.meet = nil
			p = l.payAndTell(pix.TxID(strings.TrimPrefix(req.URL.Path, "/v2/cob/")), "100.00")
			l.credited(p.EndToEndID, "100.00")
		}
		return resp, err
	}
	l.sale("PED-1", "100.00")
	l.rest()
	l.credited(p.EndToEndID, "100.00")
	l.settled("PED-1", "100.00", true)
	l.openCases()
	l.endOfDay()
}

// elsewhere makes a charge at the PSP, past the receiver.
func (l *lab) elsewhere(amount string) pix.TxID {
	l.t.Helper()
	txid := pix.TxID(labSeed.ID("txid", "elsewhere", 32))
	reply := l.ask(http.MethodPut, "/v2/cob/"+string(txid),
		`{"calendario":{"expiracao":3600},"valor":{"original":"`+amount+`"},"chave":"`+string(labKey)+`"}`)
	if reply.Status != http.StatusCreated {
		l.t.Fatalf("charge elsewhere: got %d %s", reply.Status, reply.Body)
	}
	return txid
}

// payAndTell pays, delivers the callback and books it.
func (l *lab) payAndTell(txid pix.TxID, amount string, change ...func(*fakepsp.PayOrder)) pix.Payment {
	l.t.Helper()
	p := l.pay(txid, amount, change...)
	for _, status := range l.deliver() {
		if status != http.StatusOK {
			l.t.Errorf("callback of %s: got %d, want 200", p.EndToEndID, status)
		}
	}
	l.work()
	return p
}
