package scenarios_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// noRetries is a PSP that tries each callback once.
func noRetries(c *fakepsp.Config) { c.Retry = chaos.RetryTable{Name: "none"} }

// From the field: nobody promises how often a callback is tried, nor that it
// comes at all. Money that nobody told of comes in with the sweep.
func TestSweepBringsInWhatNoCallbackTold(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	var paid []pix.Payment
	for _, ref := range []string{"PED-1", "PED-2", "PED-3", "PED-4", "PED-5"} {
		paid = append(paid, l.pay(l.sale(ref, "20.00"), "20.00"))
	}
	strays := l.lose()
	l.rest()
	for _, p := range paid {
		l.credited(p.EndToEndID)
	}
	if len(strays) != 5 || !l.psp.Quiet() {
		t.Fatalf("%d callbacks were lost, quiet %t; want 5 and no retry", len(strays), l.psp.Quiet())
	}
	l.clock.advance(time.Hour)
	l.sweep()
	for _, p := range paid {
		l.credited(p.EndToEndID, "20.00")
	}
	l.openCases()
	l.unmoved("stray copies of two callbacks", func() {
		l.callback(http.StatusOK, strays[1])
		l.callback(http.StatusOK, strays[3])
		l.rest()
	})
	l.unmoved("a second sweep", l.sweep)
	l.endOfDay()
}

// From the field: a Pix sent straight to the key has no txid and no callback.
// It is real money, and whose it is must not be guessed by its amount.
func TestPixWithoutTxidIsParkedAndNeverMatchedByAmount(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.sale("PED-2", "50.00")
	bare := l.pay("", "50.00")
	stripped := l.pay("", "50.00") // meant for PED-2; its txid got lost on the way
	if got := l.deliver(); len(got) != 0 {
		t.Fatalf("%d callbacks of Pix without txid, want none", len(got))
	}
	l.listed(2, "&txIdPresente=false")
	l.listed(0, "&txIdPresente=true")
	l.sweep()
	l.credited(bare.EndToEndID, "50.00")
	l.credited(stripped.EndToEndID, "50.00")
	l.settled("PED-2", "0.00", false)
	l.holds(receiver.AccountUnidentified, "100.00")
	l.openCases(receiver.UnidentifiedCase(bare.EndToEndID), receiver.UnidentifiedCase(stripped.EndToEndID))

	l.match(stripped.EndToEndID, "PED-2")
	l.settled("PED-2", "50.00", true)
	l.credited(stripped.EndToEndID, "50.00")
	l.holds(receiver.AccountSettlement, "100.00")
	l.holds(receiver.AccountUnidentified, "50.00")
	l.openCases(receiver.UnidentifiedCase(bare.EndToEndID))
	l.unmoved("a late callback with the txid restored", func() {
		l.callback(http.StatusOK, body(l.item(string(stripped.EndToEndID), string(txid), "50.00")))
		l.rest()
	})
	l.endOfDay()
}

// The same late callback, before any operator came: an exact txid is no guess.
func TestLateTxidTakesAPixOutOfSuspense(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.sale("PED-2", "50.00")
	stripped := l.pay("", "50.00")
	l.sweep()
	l.holds(receiver.AccountUnidentified, "50.00")
	l.callback(http.StatusOK, body(l.item(string(stripped.EndToEndID), string(txid), "50.00")))
	l.rest()
	l.settled("PED-2", "50.00", true)
	l.credited(stripped.EndToEndID, "50.00")
	l.holds(receiver.AccountUnidentified, "0.00")
	l.openCases()
	l.endOfDay()
}

// match is an operator's word that a Pix belongs to a charge.
func (l *lab) match(id pix.EndToEndID, reference string) {
	l.t.Helper()
	out, err := l.mem.AttachPayments(l.t.Context(), []receiver.Attachment{{
		EndToEndID: id, Charge: receiver.ChargeRef{Consumer: "merchant", Reference: reference},
		Operator: "ana", Note: "the customer sent the receipt", Now: l.clock.Now(),
	}})
	if err != nil || !out[0].Attached {
		l.t.Fatalf("attach %s to %s: %+v, %v", id, reference, out, err)
	}
}

// From the field: events under a key that is not ours were refused, and the
// PSP switched the endpoint off. They are valid; they are just not ours, unless
// the statement of our account says so.
func TestForeignPixIsAcknowledgedAndCreditedToNobody(t *testing.T) {
	l := newLab(t, labOptions{})
	l.registerFor(otherKey)
	foreign := l.pay("FILIAL1", "70.00", func(o *fakepsp.PayOrder) { o.PixKey = otherKey })
	if got := l.deliver(); !slices.Equal(got, []int{http.StatusOK}) {
		t.Fatalf("callback of a foreign Pix: got %v, want 200", got)
	}
	ours := l.pay(l.sale("PED-1", "10.00"), "10.00")
	unknown := l.newE2E()
	mixed := body(l.itemOf(ours), `{"endToEndId":"`+string(unknown)+`","txid":"ALHEIO","valor":"99.00",`+
		`"chave":"ninguem@example.com","horario":"`+pix.FormatTime(l.clock.Now())+`"}`)
	l.callback(http.StatusOK, mixed)
	l.deliver()
	l.rest()

	l.credited(ours.EndToEndID, "10.00")
	l.credited(foreign.EndToEndID)
	l.credited(unknown)
	l.holds(receiver.AccountSettlement, "10.00")
	l.openCases()
	aside := l.event(foreign.EndToEndID)
	if aside.State != receiver.EventQuarantined || aside.Reason != receiver.ReasonForeignKey {
		t.Errorf("the Pix of the other key: got %s %q, want it kept aside: %s", aside.State, aside.Reason, receiver.ReasonForeignKey)
	}
	// What the PSP never heard of was asked about, and waits for its word.
	if e := l.event(unknown); e.State != receiver.EventQuarantined || e.Quarantine != receiver.QuarantineWaiting || e.Attempts > 10 {
		t.Errorf("the unknown Pix: got %s/%s after %d attempts, want QUARANTINED/waiting after 10", e.State, e.Quarantine, e.Attempts)
	}
	if !l.psp.Quiet() {
		t.Error("the PSP goes on retrying")
	}
	l.unmoved("a sweep", l.sweep)

	// The statement is that of our account: what it holds is here, whatever key it
	// came under, and a person has to say whose it is.
	l.reconcile()
	l.credited(foreign.EndToEndID, "70.00")
	l.holds(receiver.AccountUnidentified, "70.00")
	l.holds(receiver.AccountRevenue, "10.00")
	l.openCases(receiver.MissedCase(foreign.EndToEndID), receiver.UnidentifiedCase(foreign.EndToEndID))
	l.credited(unknown)
	l.endOfDay()
	l.credited(unknown)
}

// registerFor has another system of the merchant register our URL for its key.
func (l *lab) registerFor(key pix.PixKey) {
	l.t.Helper()
	if reply := l.ask(http.MethodPut, "/v2/webhook/"+string(key), `{"webhookUrl":"`+labReceiver+`"}`); reply.Status != http.StatusOK {
		l.t.Fatalf("register for %s: got %d %s", key, reply.Status, reply.Body)
	}
}

// A PSP forgets where its callbacks go, or is told another URL: the receiver looks
// once in a while, says it again, and callbacks come. What was paid in between
// comes in with the sweep.
func TestRemovedWebhookIsRegisteredAgain(t *testing.T) {
	const path = "/v2/webhook/" + string(labKey)
	for name, spoil := range map[string]func(l *lab) fakepsp.Reply{
		"removed": func(l *lab) fakepsp.Reply { return l.ask(http.MethodDelete, path, "") },
		"told of another": func(l *lab) fakepsp.Reply {
			return l.ask(http.MethodPut, path, `{"webhookUrl":"https://elsewhere.example"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries})
			if reply := spoil(l); reply.Status >= 300 {
				t.Fatalf("spoiled: %d %s", reply.Status, reply.Body)
			}
			missed := l.pay(l.sale("PED-1", "20.00"), "20.00")
			l.lose()
			l.duty("register")
			if reply := l.ask(http.MethodGet, path, ""); !strings.Contains(string(reply.Body), labReceiver) {
				t.Fatalf("the PSP has %d %s, want our URL again", reply.Status, reply.Body)
			}
			told := l.pay(l.sale("PED-2", "30.00"), "30.00")
			if codes := l.deliver(); !slices.Equal(codes, []int{http.StatusOK}) {
				t.Errorf("callbacks were answered with %v, want one 200", codes)
			}
			l.work()
			l.credited(told.EndToEndID, "30.00")
			l.sweep()
			l.credited(missed.EndToEndID, "20.00")
			l.endOfDay()
		})
	}
}
