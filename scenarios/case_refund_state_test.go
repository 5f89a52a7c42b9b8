package scenarios_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: a refund in process failed, its money was put back with every
// copy of the notice, and a second refund was taken for one too many.
func TestFailedRefundIsReleasedOnce(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2, psp: terms(map[string]fakepsp.RefundTerms{
		"DEV-1": {SettleAfter: time.Hour, NotifyAfter: time.Second, Fails: true},
	})})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "60.00")
	l.work()
	l.stands("DEV-1", receiver.RefundProcessing)
	l.overCap("DEV-2", p, "50.00")
	l.left(p.EndToEndID, "40.00")

	due, _ := l.psp.Due()
	l.clock.until(due.Add(time.Second))
	notices := l.lose()
	if len(notices) != 1 {
		t.Fatalf("%d notices of the failure, want 1", len(notices))
	}
	for n := range 3 {
		if rec := l.send(n%2, "/pix", notices[0]); rec.Code != http.StatusOK {
			t.Errorf("copy %d: got %d, want 200", n, rec.Code)
		}
		l.rest()
		l.stands("DEV-1", receiver.RefundFailed)
		l.left(p.EndToEndID, "100.00")
		l.holds(receiver.AccountInProcess, "0.00")
		l.holds(receiver.AccountRefunds, "0.00")
	}
	l.refund(http.StatusAccepted, "DEV-2", p, "50.00")
	l.rest()
	l.stands("DEV-2", receiver.RefundReturned)
	l.returned(p.EndToEndID, "50.00")
	l.left(p.EndToEndID, "50.00")
	l.putOnly(tp, refundID("DEV-1", 0), refundID("DEV-2", 0))
	l.openCases()
	l.endOfDay()
}

// From the field: after DEVOLVIDO came NAO_REALIZADO, and money that had gone was
// free again. The PSP is asked, nothing is released, and a person looks at it.
func TestUndoneRefundFreesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		get  bend // what the PSP's API says of it
		want string
	}{
		"and the PSP's API denies it": {clean, receiver.ReasonVariant},
		"and the PSP's API says it too": {
			rewritten(`"status":"DEVOLVIDO"`, `"status":"NAO_REALIZADO"`), receiver.ReasonRefundUndone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-2", p, "50.00")
			l.rest()
			l.news()
			l.stands("DEV-2", receiver.RefundReturned)
			x := l.shown("DEV-2")
			l.calls(tp, x.ID, "PUT 201")
			before := l.ledger()
			tp.on(http.MethodGet, c.get)
			for range 3 {
				l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(refundItem(x.ID, x.ReturnID, "50.00", pix.RefundFailed)))))
				l.rest()
			}
			l.calls(tp, x.ID, "PUT 201", "GET 200")
			if after := l.ledger(); !slices.Equal(after, before) {
				t.Errorf("it moved money:\n%v\n%v", before, after)
			}
			l.stands("DEV-2", receiver.RefundReturned)
			l.left(p.EndToEndID, "50.00")
			l.overCap("DEV-3", p, "50.01")
			id := receiver.RefundCase(p.EndToEndID, x.ID)
			l.openCases(id)
			if got := l.reasons(id); !slices.Contains(got, c.want) {
				t.Errorf("the case says %q, want %q among them", got, c.want)
			}
			l.endOfDay()
		})
	}
}

// The other way round: it counts as failed, and then the account statement shows
// it. The ledger follows the statement.
func TestFailedRefundInTheStatementIsBooked(t *testing.T) {
	l := newLab(t, labOptions{psp: terms(map[string]fakepsp.RefundTerms{
		"DEV-1": {SettleAfter: time.Minute, NotifyAfter: time.Hour},
	})})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	l.work()
	tp.on(http.MethodGet, rewritten(`"status":"EM_PROCESSAMENTO"`, `"status":"NAO_REALIZADO"`))
	l.clock.advance(2 * time.Second)
	l.work()
	l.stands("DEV-1", receiver.RefundFailed)
	l.left(p.EndToEndID, "100.00")
	l.news()
	l.reconcile()
	l.ledgerIsStatement()
	l.holds(receiver.AccountSettlement, "70.00")
	l.left(p.EndToEndID, "70.00")
	l.holds(receiver.AccountRevenue, "100.00")
	l.stands("DEV-1", receiver.RefundFailed) // the past is not edited: the case says what came of it
	l.endOfDay()
}

// What a callback says of a refund is only a reason to ask: it may be signed and
// wrong. The PSP's answer is booked, and the other word kept with a case.
func TestCallbackOfAnotherAmountDoesNotBookIt(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	x := l.inApp(p, "APP1", "30.00")
	l.lose()
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(refundItem(x.ID, x.ReturnID, "90.00", pix.RefundReturned)))))
	l.rest()
	l.calls(tp, x.ID, "GET 200")
	l.returned(p.EndToEndID, "30.00")
	l.left(p.EndToEndID, "70.00")
	l.openCases(receiver.RefundCase(p.EndToEndID, x.ID))
	l.endOfDay()
}

// ledger is every entry, for comparing.
func (l *lab) ledger() (out []string) {
	for _, t := range l.mem.Transactions() {
		for _, e := range t.Entries {
			out = append(out, fmt.Sprintf("%s %+v", t.Reference, e))
		}
	}
	return out
}

// reasons are those that stand on a case.
func (l *lab) reasons(id string) []string {
	l.t.Helper()
	cases, err := l.mem.ListCases(l.t.Context(), receiver.CaseQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, c := range cases {
		if c.ID == id {
			return c.Reasons
		}
	}
	return nil
}
