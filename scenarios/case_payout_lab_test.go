package scenarios_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What a test of payouts does in its lab, and what it asks of it.

const payeeKey = "fornecedor@pagamentos.example"

// payoutKey is the key at the PSP that a reference's payout has.
func payoutKey(reference string) string { return labSeed.ID("payout", "merchant/"+reference, 32) }

// payoutTerms is a PSP that takes payouts as it is told for each reference.
func payoutTerms(of map[string]fakepsp.PayoutTerms) func(*fakepsp.Config) {
	byKey := map[string]fakepsp.PayoutTerms{}
	for reference, t := range of {
		byKey[payoutKey(reference)] = t
	}
	return func(c *fakepsp.Config) {
		c.PayoutTerms = func(key string) fakepsp.PayoutTerms { return byKey[key] }
	}
}

func (l *lab) payoutRequest(reference, amount string) *httptest.ResponseRecorder {
	l.t.Helper()
	return l.call(http.MethodPost, "/payouts", fmt.Sprintf(`{"reference":%q,"pix_key":%q,"amount":%q}`, reference, payeeKey, amount))
}

// payOut asks the receiver for a payout and wants a status.
func (l *lab) payOut(want int, reference, amount string) {
	l.t.Helper()
	if rec := l.payoutRequest(reference, amount); rec.Code != want {
		l.t.Errorf("POST /payouts %s of %s: got %d %s, want %d", reference, amount, rec.Code, rec.Body, want)
	}
}

// payoutShown is what GET /payouts/{reference} says.
type payoutShown struct {
	Reference  string               `json:"reference"`
	Amount     string               `json:"amount"`
	EndToEndID pix.EndToEndID       `json:"endToEndId"`
	State      receiver.PayoutState `json:"state"`
	Queued     bool                 `json:"queued"`
	Returned   string               `json:"returned"`
	Problem    string               `json:"problem"`
}

func (l *lab) payoutNow(reference string) (x payoutShown) {
	l.t.Helper()
	rec := l.call(http.MethodGet, "/payouts/"+reference, "")
	if err := json.Unmarshal(rec.Body.Bytes(), &x); err != nil || rec.Code != http.StatusOK {
		l.t.Fatalf("GET /payouts/%s: got %d %s", reference, rec.Code, rec.Body)
	}
	return x
}

// payoutStands wants a payout to be in a state.
func (l *lab) payoutStands(reference string, want receiver.PayoutState) payoutShown {
	l.t.Helper()
	got := l.payoutNow(reference)
	if got.State != want {
		l.t.Errorf("payout %s is %s, want %s", reference, got.State, want)
	}
	return got
}

// sent wants just these payouts to have gone out of the account, in that order.
func (l *lab) sent(want ...string) {
	l.t.Helper()
	var got []string
	for _, row := range l.psp.Payouts() {
		if row.Status == pix.PayoutConfirmed {
			got = append(got, row.Amount.String()+" to "+string(row.PixKey))
		}
	}
	for i := range want {
		want[i] += " to " + payeeKey
	}
	if !slices.Equal(got, want) {
		l.t.Errorf("the PSP sent %v, want %v", got, want)
	}
}

// aside wants so much to be set aside for payouts, and so much to be free: no
// more can be spent.
func (l *lab) aside(held, free string) {
	l.t.Helper()
	l.holds(receiver.AccountInTransit, held)
	rec := l.payoutRequest("PROBE-"+held+"-"+free, (pix.MustAmount(free) + 1).String())
	if p, err := pix.ParseProblem(rec.Body.Bytes()); rec.Code != http.StatusUnprocessableEntity || err != nil || p.Detail != receiver.ReasonNoBalance {
		l.t.Errorf("a cent more than %s: got %d %s, want 422: %s", free, rec.Code, rec.Body, receiver.ReasonNoBalance)
	}
}

// payouts runs a turn of the sender of one receiver, which must have work.
func (l *lab) sendOnce(n int) {
	l.t.Helper()
	if p, err := l.steps[n]["payouts"].RunOnce(l.t.Context()); err != nil || p.Done == 0 {
		l.t.Fatalf("the sender of receiver %d: done %d, %v", n+1, p.Done, err)
	}
}

// resolve is an operator's word on a payout in the conciliation queue.
func (l *lab) resolve(reference, action, note string) bool {
	l.t.Helper()
	done, err := l.store.ResolvePayouts(l.t.Context(), []receiver.PayoutResolution{{
		Ref: receiver.PayoutRef{Consumer: "merchant", Reference: reference}, Action: action, Operator: "ana", Note: note, Now: l.clock.Now(),
	}})
	if err != nil {
		l.t.Fatal(err)
	}
	return done[0]
}

// queued are the references in the conciliation queue.
func (l *lab) queued() (out []string) {
	l.t.Helper()
	list, err := l.store.ListPayouts(l.t.Context(), receiver.PayoutQuery{Queued: true})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, p := range list {
		out = append(out, p.Reference)
	}
	return out
}

// paytape records the receiver's calls about payouts, and bends those it was told
// to: the first POST by the first bend for POST, and so on.
type paytape struct {
	tape
	said []string // method, key and status of each
}

// listen puts a tape for payouts on the line.
func (l *lab) listen() *paytape {
	t := &paytape{tape: tape{mu: sync.Mutex{}, bends: map[string][]bend{}}}
	l.meet = t.meet
	return t
}

func (t *paytape) meet(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
	if !strings.HasPrefix(req.URL.Path, "/pagamentos/pix") {
		return call()
	}
	key := req.Header.Get(receiver.IdempotencyHeader)
	if req.Method == http.MethodGet {
		key = req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
	}
	b := t.next(req.Method)
	if b == nil {
		b = clean
	}
	resp, err := b(req, call)
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, fmt.Sprintf("%s %s %d", req.Method, key, status))
	return resp, err
}

// about wants just these calls about a payout, all under its one key.
func (l *lab) about(t *paytape, reference string, want ...string) {
	l.t.Helper()
	var got []string
	for _, s := range t.said {
		if method, status, ok := strings.Cut(s, " "+payoutKey(reference)+" "); ok {
			got = append(got, method+" "+status)
		}
	}
	if !slices.Equal(got, want) {
		l.t.Errorf("calls about payout %s: got %q, want %q", reference, got, want)
	}
}

// oneKey wants every request for a payout to have had one of these keys.
func (l *lab) oneKey(t *paytape, references ...string) {
	l.t.Helper()
	for _, s := range t.said {
		if !slices.ContainsFunc(references, func(r string) bool { return strings.Contains(s, payoutKey(r)) }) {
			l.t.Errorf("a call under another key: %s", s)
		}
	}
}

// payoutNews posts a callback about payouts, signed now.
func (l *lab) payoutNews(payouts ...pix.Payout) {
	l.t.Helper()
	if rec := l.send(0, "/pagamentos", string(pix.EncodePayoutCallback(payouts))); rec.Code != http.StatusOK {
		l.t.Errorf("POST /pagamentos: got %d %s, want 200", rec.Code, rec.Body)
	}
}
