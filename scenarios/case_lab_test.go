package scenarios_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What a test does in its lab, and what it asks of it.

// newE2E is a new endToEndId, one of a hundred thousand. They do not sort in
// the order of their making.
func (l *lab) newE2E() pix.EndToEndID {
	l.t.Helper()
	l.made++
	id, err := pix.NewEndToEndID("99999008", labStart(), fmt.Sprintf("%011d", l.made*7919%100_000))
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

// call sends a request of the merchant to the first receiver.
func (l *lab) call(method, target, body string) *httptest.ResponseRecorder {
	l.requests++
	return l.request(0, method, target, "request "+strconv.Itoa(l.requests), body)
}

// request sends one request of the merchant under a key to a receiver.
func (l *lab) request(to int, method, target, key, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	req.Header.Set(receiver.IdempotencyHeader, key)
	rec := httptest.NewRecorder()
	l.receivers[to].Handler().ServeHTTP(rec, req)
	return rec
}

// sale has the receiver make a dynamic charge, and returns its txid.
func (l *lab) sale(reference, amount string) pix.TxID {
	l.t.Helper()
	return l.charge(`{"reference":"` + reference + `","amount":"` + amount + `"}`)
}

// code has the receiver register a static code; an empty amount takes any.
func (l *lab) code(reference, amount string) pix.TxID {
	l.t.Helper()
	due := ""
	if amount != "" {
		due = `,"amount":"` + amount + `"`
	}
	return l.charge(`{"reference":"` + reference + `","kind":"static"` + due + `}`)
}

func (l *lab) charge(body string) pix.TxID {
	l.t.Helper()
	rec := l.call(http.MethodPost, "/charges", body)
	var made struct {
		TxID pix.TxID `json:"txid"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &made); err != nil || rec.Code != http.StatusCreated {
		l.t.Fatalf("POST /charges %s: got %d %s", body, rec.Code, rec.Body)
	}
	return made.TxID
}

// pay has a payer send a Pix; change, where given, makes the order special.
func (l *lab) pay(txid pix.TxID, amount string, change ...func(*fakepsp.PayOrder)) pix.Payment {
	l.t.Helper()
	order := fakepsp.PayOrder{
		EndToEndID: l.newE2E(), TxID: txid, Amount: pix.MustAmount(amount),
		Static: txid != "" && len(txid) <= 25,
	}
	for _, fn := range change {
		fn(&order)
	}
	receipt, err := l.psp.Pay(order)
	if err != nil {
		l.t.Fatal(err)
	}
	return receipt.Pix.Payment
}

// lax lets the PSP take what a conforming one refuses.
func lax(o *fakepsp.PayOrder) { o.Lax = true }

// as gives the order an endToEndId.
func as(id pix.EndToEndID) func(*fakepsp.PayOrder) {
	return func(o *fakepsp.PayOrder) { o.EndToEndID = id }
}

// item writes one Pix as a callback would, byte for byte as it is given here;
// more are further members, each with its comma before it.
func (l *lab) item(id, txid, valor string, more ...string) string {
	return `{"endToEndId":"` + id + `","txid":"` + txid + `","valor":"` + valor + `","chave":"` + string(labKey) +
		`","horario":"` + pix.FormatTime(l.clock.Now()) + `"` + strings.Join(more, "") + `}`
}

// itemOf writes a settled Pix.
func (l *lab) itemOf(p pix.Payment, more ...string) string {
	return l.item(string(p.EndToEndID), string(p.TxID), p.Amount.String(), more...)
}

func body(items ...string) string { return `{"pix":[` + strings.Join(items, ",") + `]}` }

// send posts a body to a receiver (from 0), signed now; change may spoil it.
func (l *lab) send(n int, target, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	l.t.Helper()
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(pix.SignatureHeader, pix.Sign(labSecret(), l.clock.Now(), []byte(body)))
	for _, fn := range change {
		fn(req)
	}
	rec := httptest.NewRecorder()
	l.receivers[n].Handler().ServeHTTP(rec, req)
	return rec
}

// callback posts a body to /pix of the first receiver and wants a status.
func (l *lab) callback(want int, body string, change ...func(*http.Request)) {
	l.t.Helper()
	if rec := l.send(0, "/pix", body, change...); rec.Code != want {
		l.t.Errorf("callback %.200s: got %d %s, want %d", body, rec.Code, rec.Body, want)
	}
}

// due takes every callback that the PSP owes now.
func (l *lab) due() []*fakepsp.Attempt {
	var out []*fakepsp.Attempt
	for a := l.psp.Take(); a != nil; a = l.psp.Take() {
		out = append(out, a)
	}
	return out
}

// deliver carries every callback that is due to a receiver, in turns, and the
// answers back. It returns the statuses.
func (l *lab) deliver() []int {
	l.t.Helper()
	var out []int
	for i, a := range l.due() {
		rec := l.send(i%len(l.receivers), strings.TrimPrefix(a.URL, labReceiver), string(a.Body), func(req *http.Request) {
			req.Header = a.Header
		})
		l.psp.Done(a, fakepsp.Answer{Status: rec.Code})
		out = append(out, rec.Code)
	}
	return out
}

// lose takes every callback that is due and lets it vanish. It returns their
// bodies, as strays for later.
func (l *lab) lose() []string {
	var out []string
	for _, a := range l.due() {
		out = append(out, string(a.Body))
		l.psp.Done(a, fakepsp.Answer{Err: errCut})
	}
	return out
}

// credits are the ledger's credits of a Pix; a reconciliation's adjustments are
// none.
func (l *lab) credits(id pix.EndToEndID) []pix.Amount {
	var out []pix.Amount
	for _, t := range l.mem.Transactions() {
		if strings.HasPrefix(t.Reference, receiver.AdjustReference("")) {
			continue
		}
		for _, e := range t.Entries {
			if e.Account == receiver.AccountSettlement && e.EndToEndID == id && e.Cents > 0 {
				out = append(out, e.Cents)
			}
		}
	}
	return out
}

// credited wants just these credits of a Pix, none if none are given.
func (l *lab) credited(id pix.EndToEndID, want ...string) {
	l.t.Helper()
	var amounts []pix.Amount
	for _, w := range want {
		amounts = append(amounts, pix.MustAmount(w))
	}
	if got := l.credits(id); !slices.Equal(got, amounts) {
		l.t.Errorf("credits of %q: got %v, want %v", id, got, want)
	}
}

// holds wants an account to hold an amount: what the PSP owes us on the
// settlement account, what went back on that of refunds, what we owe or earned
// on the others.
func (l *lab) holds(a receiver.Account, want string) {
	l.t.Helper()
	got := -l.mem.Balance(a)
	if a == receiver.AccountSettlement || a == receiver.AccountRefunds {
		got = -got
	}
	if got != pix.MustAmount(want) {
		l.t.Errorf("%s holds %s, want %s", a, got, want)
	}
}

// event is the inbox event of a Pix.
func (l *lab) event(id pix.EndToEndID) receiver.Event {
	l.t.Helper()
	for _, e := range l.events() {
		if e.Key == receiver.CreditKey(id) {
			return e
		}
	}
	l.t.Fatalf("no event of Pix %q", id)
	return receiver.Event{}
}

func (l *lab) events() []receiver.Event {
	l.t.Helper()
	out, err := l.mem.ListEvents(l.t.Context(), receiver.EventQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// quarantined are the events set aside, by who can wake them.
func (l *lab) quarantined(kind receiver.QuarantineKind) []receiver.Event {
	l.t.Helper()
	out, err := l.mem.ListEvents(l.t.Context(), receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: kind})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// openCases wants just these cases to be open.
func (l *lab) openCases(want ...string) {
	l.t.Helper()
	cases, err := l.mem.ListCases(l.t.Context(), receiver.CaseQuery{State: receiver.CaseOpen})
	if err != nil {
		l.t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		got = append(got, c.ID)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		l.t.Errorf("open cases: got %q, want %q", got, want)
	}
}

// settled wants a charge to have reached an amount of revenue, and to count as
// paid or not.
func (l *lab) settled(reference, amount string, paid bool) {
	l.t.Helper()
	ref := receiver.ChargeRef{Consumer: "merchant", Reference: reference}
	found, err := l.mem.FindCharges(l.t.Context(), []receiver.ChargeRef{ref})
	if err != nil || found[0] == nil {
		l.t.Fatalf("charge %s: %v, %v", reference, found, err)
	}
	if c := found[0]; c.Settled != pix.MustAmount(amount) || c.Paid() != paid {
		l.t.Errorf("charge %s: settled %s, paid %t; want %s, %t", reference, c.Settled, c.Paid(), amount, paid)
	}
}

// payment is a Pix as it was booked.
func (l *lab) payment(id pix.EndToEndID) receiver.Payment {
	l.t.Helper()
	for _, c := range l.mem.Dump().Payments {
		if c.After.EndToEndID == id {
			return *c.After
		}
	}
	l.t.Fatalf("Pix %q was not booked", id)
	return receiver.Payment{}
}

// money is everything about money that a further delivery must not move.
func (l *lab) money() string {
	var b strings.Builder
	d := l.mem.Dump()
	for _, t := range d.Transactions {
		fmt.Fprintf(&b, "%+v\n", t)
	}
	for _, c := range d.Charges {
		fmt.Fprintf(&b, "charge %s %s %s\n", c.After.Reference, c.After.Settled, c.After.SettledBy)
	}
	for _, c := range d.Cases {
		fmt.Fprintf(&b, "case %s %s %s %q\n", c.After.ID, c.After.State, c.After.Amount, c.After.Reasons)
	}
	for _, o := range d.Outbox {
		fmt.Fprintf(&b, "outbox %d %s %s\n", o.After.ID, o.After.Kind, o.After.Amount)
	}
	return b.String()
}

// unmoved wants do to move no money, charge, case or outbox event.
func (l *lab) unmoved(what string, do func()) {
	l.t.Helper()
	before := l.money()
	do()
	if after := l.money(); after != before {
		l.t.Errorf("%s moved something\nbefore:\n%s\nafter:\n%s", what, before, after)
	}
}

// ledgerIsStatement compares every Pix, refund and return, line by line,
// and wants none in the ledger that the statement does not hold. except are left
// out.
func (l *lab) ledgerIsStatement(except ...pix.EndToEndID) {
	l.t.Helper()
	type line struct {
		pix    pix.EndToEndID
		refund string // refund's or return's id, empty on the Pix itself
	}
	net := map[line]pix.Amount{}
	for _, t := range l.mem.Transactions() {
		for _, e := range t.Entries {
			if e.Account == receiver.AccountSettlement {
				net[line{e.EndToEndID, string(e.ReturnID)}] += e.Cents
			}
		}
	}
	for _, s := range l.psp.Statement(labStart().AddDate(-10, 0, 0), l.clock.Now().AddDate(1, 0, 0)) {
		at := line{pix: s.EndToEndID}
		if s.Kind == pix.KindRefundOut || s.Kind == pix.KindReturnIn {
			at.refund = s.ID
		}
		if !slices.Contains(except, s.EndToEndID) {
			net[at] -= pix.Amount(s.Signed())
		}
	}
	for at, diff := range net {
		if diff != 0 {
			l.t.Errorf("Pix %q, refund %q: the ledger has %s more than the statement", at.pix, at.refund, diff)
		}
	}
}

// sane holds at the end of every test: the PSP agrees with itself, each
// transaction balances, no Pix was credited twice, none gave back more than it
// brought, and what is in suspense is what the open cases say.
func (l *lab) sane() {
	if err := l.psp.Check(); err != nil {
		l.t.Error(err)
	}
	credits := map[pix.EndToEndID]int{}
	for _, t := range l.mem.Transactions() {
		if err := t.Validate(); err != nil {
			l.t.Error(err)
		}
		if strings.HasPrefix(t.Reference, receiver.CreditReference("")) {
			credits[t.Entries[0].EndToEndID]++
		}
	}
	for id, n := range credits {
		if n > 1 {
			l.t.Errorf("Pix %q was credited %d times", id, n)
		}
	}
	l.refundsFit()
	l.casesAreSuspense()
	if l.t.Failed() {
		l.t.Logf("at %s the books say\n%s", l.clock.Now().Format(time.RFC3339), l.money())
	}
}

// ask calls the PSP's API as the test itself.
func (l *lab) ask(method, target, body string) fakepsp.Reply {
	l.t.Helper()
	req, err := http.NewRequest(method, labPSP+target, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	return l.psp.Handle(req)
}

// list is the PSP's list of the Pix of a day around now, filtered.
func (l *lab) list(filter string) []pix.Payment {
	l.t.Helper()
	from, to := l.clock.Now().AddDate(0, 0, -1), l.clock.Now().AddDate(0, 0, 1)
	reply := l.ask(http.MethodGet, "/v2/pix?inicio="+pix.FormatTime(from)+"&fim="+pix.FormatTime(to)+filter, "")
	page, _, err := pix.ParsePaymentPage(reply.Body)
	if err != nil {
		l.t.Fatalf("GET /v2/pix: %d %s: %v", reply.Status, reply.Body, err)
	}
	return page.Payments
}

// listed wants the PSP to list so many Pix.
func (l *lab) listed(want int, filter string) {
	l.t.Helper()
	if got := l.list(filter); len(got) != want {
		l.t.Errorf("GET /v2/pix with %q: got %d Pix, want %d", filter, len(got), want)
	}
}
