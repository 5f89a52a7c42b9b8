package scenarios_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// The rules by which a payout goes out once, one test each.

// The key is made with the intention, from what names it, and not with a request:
// whoever makes the intention again makes the same key.
func TestPayoutKeyIsMadeWithTheIntention(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	l.sold("PED-1", "100.00")
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	stored := l.mem.Dump().Payouts[0].After
	if stored.Key != payoutKey("PAG-1") || stored.Attempts != 0 {
		t.Errorf("before any call the key is %q after %d attempts, want %q after none", stored.Key, stored.Attempts, payoutKey("PAG-1"))
	}
	tp := l.listen()
	tp.on(http.MethodPost, never, never, never)
	l.rest()
	l.oneKey(tp, "PAG-1")
}

// The intention is stored before the PSP hears of it.
func TestPayoutIsStoredBeforeTheCall(t *testing.T) {
	l := newLab(t, labOptions{})
	l.sold("PED-1", "100.00")
	seen := 0
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/pagamentos/pix") {
			seen++
			row := l.mem.Dump().Payouts[0].After
			if row.Key != req.Header.Get(receiver.IdempotencyHeader) || row.State != receiver.PayoutReserved || row.FirstCallAt.IsZero() {
				t.Errorf("when the call left the store had %+v", row)
			}
			l.holds(receiver.AccountInTransit, "80.00")
		}
		return call()
	}
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	if seen != 0 {
		t.Error("the request itself called the PSP")
	}
	l.rest()
	if seen != 1 {
		t.Errorf("%d calls, want 1", seen)
	}
}

// Money and intention are one transaction: a request whose commit is lost has done
// both or neither, and its repeat does the rest.
func TestPayoutAndItsMoneyAreOneTransaction(t *testing.T) {
	for _, edge := range []string{"before", "after"} {
		t.Run(edge, func(t *testing.T) {
			l := newLab(t, labOptions{})
			l.sold("PED-1", "100.00")
			hooks := map[string]map[string]func() error{"before": l.store.before, "after": l.store.after}[edge]
			hooks["ReservePayouts"] = func() error { return receiver.ErrCommitUnknown }
			l.payOut(http.StatusServiceUnavailable, "PAG-1", "80.00")
			held := map[string]string{"before": "0.00", "after": "80.00"}[edge]
			l.holds(receiver.AccountInTransit, held)
			if n := len(l.mem.Dump().Payouts); n != map[string]int{"before": 0, "after": 1}[edge] {
				t.Errorf("%d payouts with %s set aside", n, held)
			}
			l.payOut(http.StatusAccepted, "PAG-1", "80.00")
			l.rest()
			l.sent("80.00")
			l.endOfDay()
		})
	}
}

// Nothing is repeated before the PSP was asked.
func TestPayoutIsAskedAboutBeforeItIsRepeated(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, never, lost)
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.rest()
	l.about(tp, "PAG-1", "POST 0", "GET 404", "POST 0", "GET 200")
}

// A thousand payouts that fail in one instant do not come back in one: no tenth of
// a second of the first retry holds more than 15 in a hundred. Each is sent five
// times at most, with ever longer pauses, and then waits for a person.
func TestThousandPayoutsThatFailedTogetherAreNotRepeatedTogether(t *testing.T) {
	l := newLab(t, labOptions{})
	const n = 1000
	l.sold("PED-1", "1000.00")
	posts := map[string]int{}
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if !strings.HasPrefix(req.URL.Path, "/pagamentos/pix") {
			return call()
		}
		if req.Method == http.MethodPost {
			posts[req.Header.Get(receiver.IdempotencyHeader)]++
		}
		return respond(req, http.StatusServiceUnavailable, http.Header{}, nil), nil
	}
	for i := range n {
		l.payOut(http.StatusAccepted, fmt.Sprintf("PAG-%04d", i), "0.10")
	}
	failed := l.clock.Now()
	for range n {
		l.sendOnce(0)
	}
	buckets := map[time.Duration]int{}
	for _, c := range l.mem.Dump().Payouts {
		buckets[c.After.DueAt.Sub(failed).Truncate(100*time.Millisecond)]++
	}
	for at, k := range buckets {
		if k > n*15/100 || at < 500*time.Millisecond || at > 1500*time.Millisecond {
			t.Errorf("%d of %d come back within a tenth of a second, %s after they failed", k, n, at)
		}
	}
	for range 20 {
		l.clock.advance(15 * time.Second)
		l.work()
	}
	if got := len(l.queued()); got != n {
		t.Errorf("%d wait for a person, want all %d", got, n)
	}
	for _, c := range l.mem.Dump().Payouts {
		if got := posts[c.After.Key]; got > 5 || c.After.Attempts != 5 {
			t.Fatalf("payout %s was sent %d times in %d attempts, want 5 at most", c.After.Reference, got, c.After.Attempts)
		}
	}
	l.holds(receiver.AccountInTransit, "100.00")
}

// Each pause is twice the one before, and never more than the cap.
func TestPayoutPausesDouble(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, never, never, never, never, never)
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	for n := range 4 {
		l.sendOnce(0)
		due := l.mem.Dump().Payouts[0].After.DueAt
		mean := time.Second << n
		if pause := due.Sub(l.clock.Now()); pause < mean/2 || pause > mean*3/2 {
			t.Errorf("pause %d is %s, want %s, give or take half", n+1, pause, mean)
		}
		l.clock.until(due)
	}
	l.sendOnce(0)
	if got := l.queued(); !slices.Equal(got, []string{"PAG-1"}) {
		t.Errorf("after five attempts the queue holds %v", got)
	}
}

// A payout stuck without an end is in full view: how old it is, and that a person
// has to look. What that person decides is written down.
func TestStuckPayoutIsListedForAPerson(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, never, never, never, never, never)
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	for range 10 {
		l.clock.advance(20 * time.Second)
		l.work()
	}
	open, err := l.store.ListPayouts(t.Context(), receiver.PayoutQuery{Open: true})
	if err != nil || len(open) != 1 || !open[0].Queued || l.clock.Now().Sub(open[0].RequestedAt) < 3*time.Minute {
		t.Fatalf("open payouts: %+v, %v", open, err)
	}
	if got := l.payoutNow("PAG-1"); !got.Queued || got.State != receiver.PayoutReserved {
		t.Errorf("the merchant sees %+v", got)
	}
	if l.resolve("PAG-1", receiver.ResolveFailed, "") {
		t.Error("resolved without a reason")
	}
	if !l.resolve("PAG-1", receiver.ResolveRetry, "the PSP was down, and has nothing") {
		t.Fatal("not resolved")
	}
	l.rest()
	l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	l.sent("80.00")
	book := l.mem.Dump().Operators
	if len(book) != 1 || book[0].Operator != "ana" || book[0].Action != receiver.ResolveRetry || book[0].Note == "" {
		t.Errorf("the operators' book says %+v", book)
	}
	l.endOfDay()
}

// What an operator gave up, and the PSP had made after all, is found by the
// statement: booked against suspense, with a case.
func TestPayoutGivenUpThatWentOutAfterAllIsFound(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, lost, never, never, never, never)
	for range 6 {
		tp.on(http.MethodGet, never)
	}
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	for range 10 {
		l.clock.advance(20 * time.Second)
		l.work()
	}
	l.resolve("PAG-1", receiver.ResolveFailed, "misheard on the telephone")
	l.payoutStands("PAG-1", receiver.PayoutFailed)
	tp.bends[http.MethodGet] = nil
	l.reconcile()
	l.payoutStands("PAG-1", receiver.PayoutFailed)
	l.openCases(receiver.PayoutCase(payoutKey("PAG-1")))
	l.holds(receiver.AccountSettlement, "20.00")
	l.casesAreSuspense()
	l.endOfDay()
}

// Past the time for which the PSP remembers a key nothing is sent under it.
func TestPayoutIsNotRepeatedPastItsKey(t *testing.T) {
	l := newLab(t, labOptions{
		psp:      func(c *fakepsp.Config) { c.PayoutKeyTTL = 10 * time.Minute },
		receiver: func(c *receiver.Config) { c.PayoutKeyTTL = 10 * time.Minute },
	})
	tp := l.listen()
	l.sold("PED-1", "200.00")
	tp.on(http.MethodPost, lost)
	tp.on(http.MethodGet, instead(http.StatusNotFound), instead(http.StatusNotFound))
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.sendOnce(0)
	l.clock.advance(10*time.Minute - 4*time.Second) // a call might arrive too late
	l.sendOnce(0)
	l.about(tp, "PAG-1", "POST 0", "GET 404")
	if got := l.queued(); !slices.Equal(got, []string{"PAG-1"}) {
		t.Errorf("in the queue: %v", got)
	}
	if !l.resolve("PAG-1", receiver.ResolveRetry, "try again") {
		t.Fatal("not resolved")
	}
	l.work() // asked, and not sent
	l.about(tp, "PAG-1", "POST 0", "GET 404", "GET 404")
	l.rest()
	l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	l.sent("80.00")
	l.endOfDay()
}

// A receiver does not start whose PSP forgets a key while it still repeats.
func TestReceiverWantsPayoutKeysToOutlastItsRetries(t *testing.T) {
	l := newLab(t, labOptions{})
	cfg := l.config(1)
	cfg.PayoutKeyTTL = 2 * time.Minute
	if _, err := receiver.New(cfg, l.store); err == nil || !strings.Contains(err.Error(), "remembers a payout's key for 2m0s") {
		t.Errorf("got %v, want a refusal to start", err)
	}
	cfg.PayoutKeyTTL, cfg.PayoutAttempts = 2*time.Minute, 2
	if _, err := receiver.New(cfg, l.store); err != nil {
		t.Errorf("with two attempts: %v", err)
	}
}

// An endToEndId that is handed out at a look-up is stored before anything is sent
// under it, and kept whatever becomes of the call.
func TestPayoutKeepsTheIdOfItsLookUp(t *testing.T) {
	l := newLab(t, labOptions{
		psp:      func(c *fakepsp.Config) { c.PayoutIDs = fakepsp.PayoutIDsLookup },
		receiver: func(c *receiver.Config) { c.PayoutLookup = true },
	})
	tp := l.listen()
	l.sold("PED-1", "100.00")
	tp.on(http.MethodPost, never, lost)
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.sendOnce(0)
	id := l.mem.Dump().Payouts[0].After.EndToEndID
	if id == "" {
		t.Fatal("no endToEndId was stored")
	}
	l.rest()
	if got := l.payoutStands("PAG-1", receiver.PayoutConfirmed); got.EndToEndID != id {
		t.Errorf("endToEndId %s, want the one handed out, %s", got.EndToEndID, id)
	}
	l.sent("80.00")
	l.endOfDay()
}

// With every callback lost for ever, what is pending ends all the same: a payout
// within five minutes of its end at the PSP or an eighth of its age, a refund
// within five minutes, a credit with the next sweep.
func TestEverythingPendingEndsWithoutCallbacks(t *testing.T) {
	const settle = 18 * time.Minute
	of, back := map[string]fakepsp.PayoutTerms{}, map[string]fakepsp.RefundTerms{}
	for n := range 10 {
		of[fmt.Sprintf("PAG-%d", n)] = fakepsp.PayoutTerms{SettleAfter: settle * time.Duration(n) / 9, Rejects: n%3 == 1}
		back[fmt.Sprintf("DEV-%d", n)] = fakepsp.RefundTerms{SettleAfter: settle * time.Duration(n) / 9, Fails: n%3 == 1}
	}
	l := newLab(t, labOptions{psp: func(c *fakepsp.Config) {
		payoutTerms(of)(c)
		terms(back)(c)
	}})
	p := l.pay(l.sale("PED-1", "1000.00"), "1000.00")
	l.sweep() // nobody told of it
	l.credited(p.EndToEndID, "1000.00")
	for n := range 10 {
		l.payOut(http.StatusAccepted, fmt.Sprintf("PAG-%d", n), "10.00")
		l.refund(http.StatusAccepted, fmt.Sprintf("DEV-%d", n), p, "10.00")
	}
	began := l.clock.Now()
	l.rest() // no callback is carried
	for _, c := range l.mem.Dump().Payouts {
		end := began.Add(of[c.After.Reference].SettleAfter)
		late := c.After.FinishedAt.Sub(end)
		if allowed := max(5*time.Minute, end.Sub(began)/8) + 10*time.Second; !c.After.State.Final() || late > allowed {
			t.Errorf("payout %s is %s, %s after its end at the PSP; want it final within %s", c.After.Reference, c.After.State, late, allowed)
		}
	}
	for _, c := range l.mem.Dump().Refunds {
		late := c.After.FinishedAt.Sub(began.Add(back[c.After.Reference].SettleAfter))
		if !c.After.State.Final() || late > 5*time.Minute+10*time.Second {
			t.Errorf("refund %s is %s, %s after its end at the PSP", c.After.Reference, c.After.State, late)
		}
	}
}

// News of a payout that nobody here asked for moves nothing and is reported.
func TestPayoutNobodyAskedForIsReported(t *testing.T) {
	l := newLab(t, labOptions{})
	l.sold("PED-1", "100.00")
	l.payOut(http.StatusAccepted, "PAG-1", "80.00")
	l.rest()
	row := l.psp.Payouts()[0].Payout
	stranger := row
	stranger.Key, stranger.EndToEndID = "SOMEBODYS", "E99999008202603021200stranger001"
	l.payoutNews(row, stranger)
	l.rest()
	l.payoutStands("PAG-1", receiver.PayoutConfirmed)
	l.holds(receiver.AccountSettlement, "20.00")
	for _, e := range l.events() {
		if e.Payout != nil && e.Payout.Key == stranger.Key && e.State != receiver.EventQuarantined {
			t.Errorf("the stranger's news is %s", e.State)
		}
	}
	if row.Amount != pix.MustAmount("80.00") {
		t.Errorf("the payout is of %s", row.Amount)
	}
}
