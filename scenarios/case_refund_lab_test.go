package scenarios_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What a test of refunds does in its lab, and what it asks of it.

// sold is a sale paid to the cent, told of by a callback and confirmed by a sweep.
func (l *lab) sold(reference, amount string) pix.Payment {
	l.t.Helper()
	p := l.pay(l.sale(reference, amount), amount)
	l.deliver()
	l.sweep()
	l.credited(p.EndToEndID, amount)
	return p
}

// refundID is the id at the PSP that a reference's refund has; rekeys counts the
// ids given up before it.
func refundID(reference string, rekeys int) pix.RefundID {
	if rekeys > 0 {
		reference = fmt.Sprintf("%s/%d", reference, rekeys)
	}
	return pix.RefundID(labSeed.ID("refund", receiver.IntentionKey(chaos.Consumer, reference), 32))
}

// refundBody is a merchant's request to refund.
func refundBody(reference string, id pix.EndToEndID, amount string) string {
	return fmt.Sprintf(`{"reference":%q,"endToEndId":%q,"amount":%q}`, reference, id, amount)
}

// refund asks the receiver for a refund and wants a status. It only asks: the
// sender has its turn later.
func (l *lab) refund(want int, reference string, p pix.Payment, amount string) {
	l.t.Helper()
	rec := l.call(http.MethodPost, "/refunds", refundBody(reference, p.EndToEndID, amount))
	if rec.Code != want {
		l.t.Errorf("POST /refunds %s of %s: got %d %s, want %d", reference, amount, rec.Code, rec.Body, want)
	}
}

// overCap wants a refund to be refused as more than is left of its Pix, and for
// no other reason.
func (l *lab) overCap(reference string, p pix.Payment, amount string) {
	l.t.Helper()
	rec := l.call(http.MethodPost, "/refunds", refundBody(reference, p.EndToEndID, amount))
	if !refusedFor(rec, receiver.ReasonOverCap) {
		l.t.Errorf("POST /refunds %s of %s: got %d %s, want 422: %s", reference, amount, rec.Code, rec.Body, receiver.ReasonOverCap)
	}
}

func refusedFor(rec *httptest.ResponseRecorder, reason string) bool {
	p, err := pix.ParseProblem(rec.Body.Bytes())
	return rec.Code == http.StatusUnprocessableEntity && err == nil && p.Detail == reason
}

// refundShown is what GET /refunds/{reference} says of a refund.
type refundShown struct {
	Reference string               `json:"reference"`
	ID        pix.RefundID         `json:"id"`
	ReturnID  pix.ReturnID         `json:"rtrId"`
	Amount    string               `json:"amount"`
	State     receiver.RefundState `json:"state"`
	Problem   string               `json:"problem"`
}

func (l *lab) shown(reference string) (x refundShown) {
	l.t.Helper()
	rec := l.call(http.MethodGet, "/refunds/"+reference, "")
	if err := json.Unmarshal(rec.Body.Bytes(), &x); err != nil || rec.Code != http.StatusOK {
		l.t.Fatalf("GET /refunds/%s: got %d %s", reference, rec.Code, rec.Body)
	}
	return x
}

// stands wants a merchant's refund to be in a state.
func (l *lab) stands(reference string, want receiver.RefundState) {
	l.t.Helper()
	if got := l.shown(reference); got.State != want {
		l.t.Errorf("refund %s is %s, want %s", reference, got.State, want)
	}
}

// refunds are the rows of a Pix's refunds, in the order made.
func (l *lab) refunds(id pix.EndToEndID) (out []receiver.Refund) {
	for _, c := range l.mem.Dump().Refunds {
		if c.After.EndToEndID == id {
			out = append(out, *c.After)
		}
	}
	return out
}

// returned wants just these refunds of a Pix to count as returned, the
// merchant's and the PSP's own in the order made, and each to have left the
// settlement account once.
func (l *lab) returned(id pix.EndToEndID, want ...string) {
	l.t.Helper()
	var got []string
	for _, x := range l.refunds(id) {
		if x.State == receiver.RefundReturned {
			got = append(got, x.Amount.String())
		}
	}
	var debits []string
	for _, t := range l.mem.Transactions() {
		if strings.HasPrefix(t.Reference, receiver.AdjustReference("")) {
			continue
		}
		for _, e := range t.Entries {
			if e.Account == receiver.AccountSettlement && e.EndToEndID == id && e.Cents < 0 {
				debits = append(debits, (-e.Cents).String())
			}
		}
	}
	if !slices.Equal(got, want) {
		l.t.Errorf("refunds of %s returned: got %v, want %v", id, got, want)
	}
	slices.Sort(debits)
	if slices.Sort(got); !slices.Equal(got, debits) {
		l.t.Errorf("refunds of %s returned %v, and the ledger moved %v", id, got, debits)
	}
}

// left wants so much to be left of a Pix, to return or to keep.
func (l *lab) left(id pix.EndToEndID, want string) {
	l.t.Helper()
	if got := l.payment(id).Held.Total(); got != pix.MustAmount(want) {
		l.t.Errorf("of %s %s is left, want %s", id, got, want)
	}
}

// refundEvent is the inbox event of one state of a refund.
func (l *lab) refundEvent(id pix.EndToEndID, refund pix.RefundID, status pix.RefundStatus) receiver.Event {
	l.t.Helper()
	key := receiver.RefundContent{EndToEndID: id, ID: refund, Status: status}.Key()
	for _, e := range l.events() {
		if e.Key == key {
			return e
		}
	}
	l.t.Fatalf("no event %s", key)
	return receiver.Event{}
}

// inApp is a refund made in the bank's own app, past the receiver.
func (l *lab) inApp(p pix.Payment, id pix.RefundID, amount string) fakepsp.RefundRow {
	l.t.Helper()
	row, err := l.psp.AskRefund(fakepsp.RefundOrder{EndToEndID: p.EndToEndID, ID: id, Amount: pix.MustAmount(amount)})
	if err != nil {
		l.t.Fatal(err)
	}
	return row
}

// dispute is a MED report that the PSP accepts at once, and the return it makes.
func (l *lab) dispute(id string, p pix.Payment, nature, amount string) fakepsp.RefundRow {
	l.t.Helper()
	err := l.psp.Report(fakepsp.DisputeOrder{
		ID: id, EndToEndID: p.EndToEndID, Nature: nature, Outcome: chaos.DisputeAccepted, Amount: pix.MustAmount(amount),
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.psp.Due() // nothing happens at the PSP but when somebody looks
	all := l.psp.Refunds()
	return all[len(all)-1]
}

// refundItem writes one devolução as a callback would.
func refundItem(id pix.RefundID, rtr pix.ReturnID, amount string, status pix.RefundStatus, more ...string) string {
	return fmt.Sprintf(`{"id":%q,"rtrId":%q,"valor":%q,"status":%q%s}`, id, rtr, amount, status, strings.Join(more, ""))
}

// rowItem writes a devolução of the PSP's as a callback would.
func rowItem(x fakepsp.RefundRow, more ...string) string {
	return refundItem(x.ID, x.ReturnID, x.Amount.String(), x.Status, more...)
}

// withRefunds is the member devolucoes of a Pix.
func withRefunds(items ...string) string { return `,"devolucoes":[` + strings.Join(items, ",") + `]` }

// news carries every callback that the PSP owes now or will owe, each when it
// is due, and books it.
func (l *lab) news() {
	l.t.Helper()
	for range 100 {
		due, ok := l.psp.Due()
		if !ok {
			return
		}
		l.clock.until(due)
		l.deliver()
		l.work()
	}
	l.t.Fatal("the PSP never stops telling")
}

// terms is a PSP that takes the merchant's refunds as it is told for each
// reference; one not named settles in the answer itself.
func terms(of map[string]fakepsp.RefundTerms) func(*fakepsp.Config) {
	byID := map[pix.RefundID]fakepsp.RefundTerms{}
	for reference, t := range of {
		byID[refundID(reference, 0)] = t
	}
	return func(c *fakepsp.Config) {
		c.Terms = func(_ pix.EndToEndID, id pix.RefundID) fakepsp.RefundTerms { return byID[id] }
	}
}

// refundsFit wants no Pix to have refunds, open ones included, of more than it
// brought; one that exceeds it and stands in the statement is marked.
func (l *lab) refundsFit() {
	sum := map[pix.EndToEndID]pix.Amount{}
	for _, c := range l.mem.Dump().Refunds {
		if x := c.After; x.State != receiver.RefundFailed && !x.Excess {
			sum[x.EndToEndID] += x.Amount
		}
	}
	for id, out := range sum {
		if in := l.payment(id).Amount; out > in {
			l.t.Errorf("Pix %q brought %s and gave back %s", id, in, out)
		}
	}
}

// casesAreSuspense wants the open cases of each Pix to sum to what suspense
// holds of it.
func (l *lab) casesAreSuspense() {
	type place struct {
		account receiver.Account
		id      pix.EndToEndID
	}
	diff := map[place]pix.Amount{}
	d := l.mem.Dump()
	for _, t := range d.Transactions {
		for _, e := range t.Entries {
			if e.Account.Suspense() {
				diff[place{e.Account, e.EndToEndID}] -= e.Cents
			}
		}
	}
	for _, c := range d.Cases {
		if c.After.State == receiver.CaseOpen && c.After.Account != "" {
			diff[place{c.After.Account, c.After.EndToEndID}] -= c.After.Amount
		}
	}
	for at, cents := range diff {
		if cents != 0 {
			l.t.Errorf("%s holds %s of Pix %q more than the open cases say", at.account, cents, at.id)
		}
	}
}

// tape records the receiver's calls about refunds and tokens, and bends those
// that it was told to: the first PUT by the first bend for PUT, and so on.
type tape struct {
	mu    sync.Mutex
	calls []taped
	bends map[string][]bend
}

// taped is one call, as the PSP saw it and as the receiver heard it. The status
// is 0 where it heard nothing.
type taped struct {
	method string
	id     pix.RefundID // empty on a token's
	status int
}

// bend does something to one call.
type bend func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error)

// record puts a tape on the line.
func (l *lab) record() *tape {
	t := &tape{bends: map[string][]bend{}}
	l.meet = t.meet
	return t
}

// on says what happens to the next calls of a method ("PUT", "GET", "token").
func (t *tape) on(method string, bends ...bend) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bends[method] = append(t.bends[method], bends...)
}

func (t *tape) next(method string) bend {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.bends[method]
	if len(list) == 0 {
		return nil
	}
	t.bends[method] = list[1:]
	return list[0]
}

func (t *tape) meet(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
	_, id, isRefund := strings.Cut(req.URL.Path, "/devolucao/")
	method := req.Method
	if strings.HasSuffix(req.URL.Path, "/oauth/token") {
		method = "token"
	} else if !isRefund {
		return call()
	}
	b := t.next(method)
	if b == nil {
		b = clean
	}
	resp, err := b(req, call)
	c := taped{method: method, id: pix.RefundID(id)}
	if err == nil {
		c.status = resp.StatusCode
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
	return resp, err
}

// clean lets a call be.
func clean(_ *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
	return call()
}

// lost lets the PSP act and its answer vanish.
func lost(_ *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
	if _, err := call(); err != nil {
		return nil, err
	}
	return nil, errCut
}

// never is a call that does not arrive.
func never(*http.Request, func() (*http.Response, error)) (*http.Response, error) { return nil, errCut }

// instead answers for the PSP, which never hears of the call.
func instead(status int) bend {
	return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return respond(req, status, http.Header{}, nil), nil
	}
}

// afterwards lets the PSP act and something in front of it answer.
func afterwards(status int) bend { return following(instead(status)) }

// following lets the PSP act, and answers for it all the same.
func following(answer bend) bend {
	return func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if _, err := call(); err != nil {
			return nil, err
		}
		return answer(req, call)
	}
}

// problem answers for the PSP, which never hears of the call, as if something was
// wrong with the amount.
func problem(status int) bend {
	return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		p := pix.NewProblem(pix.ProblemRefundInvalid, "", pix.Violation{Reason: "not so much", Property: "devolucao.valor"})
		p.Status = status
		raw, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		return respond(req, status, http.Header{}, raw), nil
	}
}

// rewritten lets the call be and replaces texts of its answer, by pairs.
func rewritten(oldnew ...string) bend {
	return func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		resp, err := call()
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		text := strings.NewReplacer(oldnew...).Replace(string(raw))
		return respond(req, resp.StatusCode, resp.Header, []byte(text)), nil
	}
}

// said are the calls of a refund's id, each as method and status.
func (t *tape) said(id pix.RefundID) (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.id == id {
			out = append(out, fmt.Sprintf("%s %d", c.method, c.status))
		}
	}
	return out
}

// put are the ids under which anything was asked for.
func (t *tape) put() (out []pix.RefundID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		if c.method == http.MethodPut && !slices.Contains(out, c.id) {
			out = append(out, c.id)
		}
	}
	return out
}

// calls wants just these calls of a refund's id.
func (l *lab) calls(t *tape, id pix.RefundID, want ...string) {
	l.t.Helper()
	if got := t.said(id); !slices.Equal(got, want) {
		l.t.Errorf("calls about refund %s: got %q, want %q", id, got, want)
	}
}

// putOnly wants refunds to have been asked for under these ids and no other.
func (l *lab) putOnly(t *tape, want ...pix.RefundID) {
	l.t.Helper()
	if got := t.put(); !slices.Equal(got, want) {
		l.t.Errorf("ids put: got %q, want %q", got, want)
	}
}
