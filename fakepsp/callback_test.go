package fakepsp

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

func TestCallbackTellsOfTheSettledPix(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.register()
	l.charge(1, "10.00")
	o := order(1, "10.00")
	o.NotifyAfter = 2 * time.Second
	l.pay(o)
	if due, ok := l.psp.Due(); !ok || !due.Equal(labStart.Add(2*time.Second)) {
		t.Errorf("due %s, %v", due, ok)
	}
	if a := l.psp.Take(); a != nil {
		t.Fatal("sent before it was due")
	}
	l.at(2 * time.Second)
	a := l.take()
	items := l.items(a)
	if len(items) != 1 || items[0].Payment.EndToEndID != o.EndToEndID || items[0].Payment.Amount != 1000 || items[0].Payment.TxID != o.TxID {
		t.Errorf("body %s", a.Body)
	}
	if a.URL != hookURL+"/pix" || a.Timeout != 10*time.Second || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("attempt %+v", a)
	}
	if err := l.verdict(a); err != nil {
		t.Errorf("signature: %v", err)
	}
	if l.psp.Quiet() {
		t.Error("quiet with an attempt on its way")
	}
	l.ack(a)
	l.psp.Done(a, Answer{Status: 500}) // a second Done does nothing
	if !l.psp.Quiet() || len(l.acked) != 1 || string(l.acked[0]) != string(a.Body) {
		t.Errorf("quiet %v, acknowledged %d", l.psp.Quiet(), len(l.acked))
	}
}

func TestWhatDoesNotAcknowledge(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]Answer{
		"a redirect":   {Status: http.StatusTemporaryRedirect},
		"a refusal":    {Status: http.StatusUnauthorized},
		"a breakdown":  {Status: http.StatusInternalServerError},
		"a time-out":   {Err: errors.New("timed out")},
		"a late 200":   {Status: 200, Err: errors.New("timed out")},
		"informations": {Status: 199},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.paid(1)
			l.psp.Done(l.take(), answer)
			if len(l.acked) != 0 {
				t.Error("acknowledged")
			}
			if due, ok := l.psp.Due(); !ok || !due.Equal(labStart.Add(time.Second)) {
				t.Errorf("next due %s, %v", due, ok)
			}
		})
	}
	for _, status := range []int{200, 201, 204, 299} {
		l := newLab(t)
		l.paid(1)
		l.psp.Done(l.take(), Answer{Status: status})
		if len(l.acked) != 1 || !l.psp.Quiet() {
			t.Errorf("%d did not acknowledge", status)
		}
	}
}

func TestRetriesFollowTheTableAndEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.paid(1)
	at := time.Duration(0)
	var signatures []string
	for _, wait := range []time.Duration{0, time.Second, 10 * time.Second} {
		at += wait
		l.at(at - time.Millisecond)
		if wait > 0 && l.psp.Take() != nil {
			t.Fatalf("sent before %s", at)
		}
		l.at(at)
		a := l.take()
		if err := l.verdict(a); err != nil {
			t.Errorf("attempt %d: %v", a.Address.Attempt, err)
		}
		signatures = append(signatures, a.Header.Get(pix.SignatureHeader))
		at += 3 * time.Second // the pause counts from the attempt's end
		l.at(at)
		l.psp.Done(a, Answer{Status: 503})
	}
	slices.Sort(signatures)
	if len(slices.Compact(signatures)) != 3 {
		t.Error("attempts share a signature")
	}
	want := []string{
		"sent p1/credit/0/1", "refused p1/credit/0/1 until 4s", "sent p1/credit/0/2",
		"refused p1/credit/0/2 until 17s", "sent p1/credit/0/3", "given up p1/credit/0/3",
	}
	if got := l.log[len(l.log)-6:]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, ok := l.psp.Due(); ok || !l.psp.Quiet() {
		t.Error("still owed after the last attempt")
	}
}

func TestCallbacksGoOutInOrderOfTheirTime(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.register()
	for n, after := range []time.Duration{3, 1, 2, 1} {
		l.charge(n, "10.00")
		o := order(n, "10.00")
		o.NotifyAfter = after * time.Second
		l.pay(o)
	}
	l.at(time.Minute)
	for _, want := range []string{"p1", "p3", "p2", "p0"} {
		if a := l.take(); a.Address.Subject != want {
			t.Errorf("got %s, want %s", a.Address.Subject, want)
		}
	}
}

func TestNobodyToTellLosesTheNotice(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.charge(1, "10.00")
	l.pay(order(1, "10.00"))
	if l.psp.Take() != nil || !l.psp.Quiet() {
		t.Error("a notice went out to nowhere")
	}
	if got := l.log[len(l.log)-1]; got != "lost p1/credit/0/1" {
		t.Errorf("log ends in %q", got)
	}
}

func TestURLIsTheOneRegisteredWhenTheAttemptLeaves(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.paid(1)
	l.psp.Done(l.take(), Answer{Status: 500})
	l.want(http.StatusOK, "PUT", hookPath, `{"webhookUrl":"https://new.example.com/"}`, nil)
	l.at(time.Second)
	if a := l.take(); a.URL != "https://new.example.com//pix" {
		t.Errorf("URL %s: /pix is appended literally", a.URL)
	}
}

func TestObserverMayCallThePSP(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var seen int
	l.psp.cfg.Observe = observerFunc(func() { seen = len(l.psp.Settled()) })
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
	if seen != 1 {
		t.Errorf("observer saw %d pix", seen)
	}
}

type settledFunc struct {
	NoObserver
	f func()
}

func (s settledFunc) Settled(SettledPix) { s.f() }

func observerFunc(f func()) Observer { return settledFunc{f: f} }
