package fakepsp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const (
	ourKey  = pix.PixKey("7d9f0335-8dcc-4054-9bf9-0dbd61d36906")
	ourKey2 = pix.PixKey("loja@example.com")
	hookURL = "https://loja.example.com/callbacks"
)

var labStart = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// lab is a PSP with a clock in the test's hand, and a log of what it observed.
type lab struct {
	t     *testing.T
	now   time.Time
	psp   *PSP
	plan  *chaos.Plan
	tally *chaos.Tally
	log   []string
	calls []APICall
	acked [][]byte
	away  pix.Amount // see withdraw
}

// newLab makes a PSP whose faults are the deviations given. Subject c1 has
// txidOf(1) and p1 has e2eOf(1).
func newLab(t *testing.T, faults ...chaos.Deviation) *lab {
	t.Helper()
	return newLabWith(t, func(*Config) {}, faults...)
}

func newLabWith(t *testing.T, change func(*Config), faults ...chaos.Deviation) *lab {
	t.Helper()
	l := &lab{t: t, now: labStart, plan: &chaos.Plan{Faults: faults}}
	l.tally = chaos.NewTally(l.plan)
	cfg := Config{
		PixKeys: []pix.PixKey{ourKey, ourKey2},
		Now:     func() time.Time { return l.now },
		Start:   labStart,
		Retry:   chaos.RetryTable{Name: "test", Delays: []time.Duration{time.Second, 10 * time.Second}},
		Secret:  pix.Secret{ID: "k1", Key: []byte("secret")},
		Faults:  l.plan.Merge(), Tally: l.tally,
		Subject: subjectOf, Observe: &logObserver{lab: l},
	}
	change(&cfg)
	psp, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	l.psp = psp
	t.Cleanup(func() {
		if err := psp.Check(); err != nil && cfg.Insert == nil && cfg.InsertRefund == nil && cfg.InsertPayout == nil {
			t.Errorf("Check: %v", err)
		}
	})
	return l
}

func txidOf(n int) pix.TxID      { return pix.TxID(fmt.Sprintf("c%031d", n)) }
func e2eOf(n int) pix.EndToEndID { return pix.EndToEndID(fmt.Sprintf("E12345678202603021200%011d", n)) }
func subjectOf(id string) string {
	var n int
	if _, err := fmt.Sscanf(id, "c%031d", &n); err == nil && id == string(txidOf(n)) {
		return fmt.Sprintf("c%d", n)
	}
	if _, err := fmt.Sscanf(id, "E12345678202603021200%011d", &n); err == nil && id == string(e2eOf(n)) {
		return fmt.Sprintf("p%d", n)
	}
	return ""
}

func (l *lab) call(verb, target, body string) Reply {
	l.t.Helper()
	r := httptest.NewRequest(verb, target, strings.NewReader(body))
	return l.psp.Handle(r)
}

// want calls the API and wants a status; the body is decoded into out.
func (l *lab) want(status int, verb, target, body string, out any) {
	l.t.Helper()
	reply := l.call(verb, target, body)
	if reply.Status != status {
		l.t.Fatalf("%s %s: got %d %s, want %d", verb, target, reply.Status, reply.Body, status)
	}
	if out != nil {
		if err := json.Unmarshal(reply.Body, out); err != nil {
			l.t.Fatalf("%s %s: body %s: %v", verb, target, reply.Body, err)
		}
	}
}

// problem calls the API and wants an error of a kind; it gives the violations'
// properties.
func (l *lab) problem(kind pix.ProblemKind, verb, target, body string) []string {
	l.t.Helper()
	reply := l.call(verb, target, body)
	p, err := pix.ParseProblem(reply.Body)
	if err != nil || p.Kind() != kind || p.Status != reply.Status || reply.Status != kind.Status() {
		l.t.Fatalf("%s %s: got %d %s, want %s", verb, target, reply.Status, reply.Body, kind)
	}
	if got := reply.Header.Get("Content-Type"); got != "application/problem+json" {
		l.t.Errorf("%s %s: content type %q", verb, target, got)
	}
	var at []string
	for _, v := range p.Violations {
		at = append(at, v.Property)
	}
	return at
}

// charge puts charge n of an amount.
func (l *lab) charge(n int, amount string) {
	l.t.Helper()
	l.want(http.StatusCreated, "PUT", cobPath(n), cobBody(amount), nil)
}

func cobPath(n int) string { return "/v2/cob/" + string(txidOf(n)) }

func cobBody(amount string) string {
	return `{"calendario":{"expiracao":3600},"valor":{"original":"` + amount + `"},"chave":"` + string(ourKey) + `"}`
}

func (l *lab) getCharge(n int) pix.Charge {
	l.t.Helper()
	var c pix.Charge
	l.want(http.StatusOK, "GET", cobPath(n), "", &c)
	return c
}

// order pays charge n exactly.
func order(n int, amount string) PayOrder {
	return PayOrder{
		Payment: fmt.Sprintf("p%d", n), EndToEndID: e2eOf(n), TxID: txidOf(n), Amount: pix.MustAmount(amount),
	}
}

func (l *lab) pay(o PayOrder) {
	l.t.Helper()
	if _, err := l.psp.Pay(o); err != nil {
		l.t.Fatalf("Pay %s: %v", o.Payment, err)
	}
}

func (l *lab) register() {
	l.t.Helper()
	l.want(http.StatusOK, "PUT", "/v2/webhook/"+string(ourKey), `{"webhookUrl":"`+hookURL+`"}`, nil)
}

// paid is a registered webhook and payments 1 to n of 10.00, all settled now.
func (l *lab) paid(n int) {
	l.t.Helper()
	l.register()
	for i := 1; i <= n; i++ {
		l.charge(i, "10.00")
		l.pay(order(i, "10.00"))
	}
}

func (l *lab) at(d time.Duration) { l.now = labStart.Add(d) }

// take wants an attempt to be due now.
func (l *lab) take() *Attempt {
	l.t.Helper()
	a := l.psp.Take()
	if a == nil {
		l.t.Fatalf("Take at %s: nothing due", l.now.Sub(labStart))
	}
	return a
}

func (l *lab) ack(a *Attempt) { l.psp.Done(a, Answer{Status: http.StatusOK}) }

// verdict is what a receiver with the right key says of the signature now.
func (l *lab) verdict(a *Attempt) error {
	v := pix.Verifier{Secrets: []pix.Secret{{ID: "k1", Key: []byte("secret")}}, Tolerance: 5 * time.Minute}
	return v.Verify(a.Header.Get(pix.SignatureHeader), a.Body, l.now)
}

func (l *lab) fired() int { return l.tally.Fired() }

func (l *lab) items(a *Attempt) []pix.CallbackItem {
	l.t.Helper()
	items, err := pix.ParseCallback(a.Body)
	if err != nil {
		l.t.Fatalf("body %s: %v", a.Body, err)
	}
	return items
}

func callback(n int, set chaos.Change) chaos.Deviation { return callbackAt(n, "credit", 0, 1, set) }

func callbackAt(n int, notice string, copy, attempt int, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{Kind: "test", Set: set, Target: chaos.Target{Callback: &chaos.CallbackAddress{
		Subject: fmt.Sprintf("p%d", n), Notice: notice, Copy: copy, Attempt: attempt,
	}}}
}

func apiCall(route, subject string, nth int, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{Kind: "test", Set: set, Target: chaos.Target{API: &chaos.APIAddress{
		Route: route, Subject: subject, Nth: nth,
	}}}
}

func window(place string, fromMS, toMS int64, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{Kind: "test", Set: set, Target: chaos.Target{Window: &chaos.Window{
		Place: place, FromMS: fromMS, ToMS: toMS,
	}}}
}

// logObserver writes down what it is told.
type logObserver struct {
	NoObserver
	lab *lab
}

func (o *logObserver) add(format string, args ...any) {
	o.lab.log = append(o.lab.log, fmt.Sprintf(format, args...))
}

func (o *logObserver) Settled(row SettledPix)          { o.add("settled %s", row.Subject) }
func (o *logObserver) Void(order PayOrder, _ error)    { o.add("void %s", order.Payment) }
func (o *logObserver) Dropped(a chaos.CallbackAddress) { o.add("dropped %s", name(a)) }
func (o *logObserver) Lost(a chaos.CallbackAddress)    { o.add("lost %s", name(a)) }
func (o *logObserver) Sent(a *Attempt)                 { o.add("sent %s", name(a.Address)) }
func (o *logObserver) Disputed(c DisputeCase)          { o.add("disputed %s %s", c.ID, c.Stage) }
func (o *logObserver) Called(c APICall)                { o.lab.calls = append(o.lab.calls, c) }
func (o *logObserver) Acknowledged(a chaos.CallbackAddress, body []byte, _ time.Time) {
	o.lab.acked = append(o.lab.acked, body)
	o.add("acknowledged %s", name(a))
}
func (o *logObserver) Refused(a chaos.CallbackAddress, _ Answer, next time.Time) {
	o.add("refused %s until %s", name(a), next.Sub(labStart))
}
func (o *logObserver) GivenUp(a chaos.CallbackAddress, _ Answer) { o.add("given up %s", name(a)) }

func name(a chaos.CallbackAddress) string {
	return fmt.Sprintf("%s/%s/%d/%d", a.Subject, a.Notice, a.Copy, a.Attempt)
}
