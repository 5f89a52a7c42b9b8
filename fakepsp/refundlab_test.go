package fakepsp

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const day = 24 * time.Hour

// refundLab is a lab with payments 1 to n of 100.00, each of a charge, whose
// credits were delivered. Refunds have the terms given, and the subject that
// their id spells in lower case: R3 is r3.
func refundLab(t *testing.T, n int, terms RefundTerms, faults ...chaos.Deviation) *lab {
	t.Helper()
	return refundLabWith(t, n, terms, func(*Config) {}, faults...)
}

func refundLabWith(t *testing.T, n int, terms RefundTerms, change func(*Config), faults ...chaos.Deviation) *lab {
	t.Helper()
	l := newLabWith(t, func(c *Config) {
		c.Terms = func(_ pix.EndToEndID, id pix.RefundID) RefundTerms {
			terms := terms
			terms.Subject = "r" + string(id[1:])
			return terms
		}
		change(c)
	}, faults...)
	l.register()
	for i := 1; i <= n; i++ {
		l.charge(i, "100.00")
		l.pay(order(i, "100.00"))
		l.ack(l.take())
	}
	l.log = nil
	return l
}

func refundPath(n int, id string) string {
	return "/v2/pix/" + string(e2eOf(n)) + "/devolucao/" + id
}

// refund asks for a refund of payment n and wants it taken.
func (l *lab) refund(n int, id, amount string) pix.Refund {
	l.t.Helper()
	var r pix.Refund
	l.want(http.StatusCreated, "PUT", refundPath(n, id), `{"valor":"`+amount+`"}`, &r)
	return r
}

// refused asks for a refund and wants it refused, for reasons at the
// properties given back.
func (l *lab) refused(n int, id, amount string) []string {
	l.t.Helper()
	return l.problem(pix.ProblemRefundInvalid, "PUT", refundPath(n, id), `{"valor":"`+amount+`"}`)
}

func (l *lab) getRefund(n int, id string) pix.Refund {
	l.t.Helper()
	var r pix.Refund
	l.want(http.StatusOK, "GET", refundPath(n, id), "", &r)
	return r
}

func (l *lab) getPix(n int) pix.Payment {
	l.t.Helper()
	var p pix.Payment
	l.want(http.StatusOK, "GET", "/v2/pix/"+string(e2eOf(n)), "", &p)
	return p
}

// tick does what the PSP does by itself at an instant, and wants no callback.
func (l *lab) tick(d time.Duration) {
	l.t.Helper()
	l.at(d)
	if a := l.psp.Take(); a != nil {
		l.t.Fatalf("callback %s at %s", name(a.Address), d)
	}
}

// run gives the clock to the PSP up to an instant, all callbacks
// acknowledged, and tells which came.
func (l *lab) run(until time.Duration) (sent []string) {
	l.t.Helper()
	end := labStart.Add(until)
	for {
		due, ok := l.psp.Due()
		if !ok || due.After(end) {
			break
		}
		if due.After(l.now) {
			l.now = due
		}
		for a := l.psp.Take(); a != nil; a = l.psp.Take() {
			sent = append(sent, name(a.Address))
			l.ack(a)
		}
	}
	l.now = end
	l.check()
	return sent
}

func (l *lab) check() {
	l.t.Helper()
	l.psp.balance += l.away
	if err := l.psp.Check(); err != nil {
		l.t.Errorf("Check: %v", err)
	}
	l.psp.balance -= l.away
}

// withdraw takes money out of the account by a way that the PSP does not keep:
// refunds alone can never leave less than the Pix that are there. The check of
// the lab allows for it.
func (l *lab) withdraw(amount string) {
	l.t.Helper()
	if l.away == 0 {
		l.t.Cleanup(func() { l.psp.balance += l.away })
	}
	l.away += pix.MustAmount(amount)
	l.psp.balance -= pix.MustAmount(amount)
}

// money wants the balance, and what is reserved and blocked of it.
func (l *lab) money(balance, reserved, blocked string) {
	l.t.Helper()
	got := fmt.Sprint(l.psp.Balance(), l.psp.Reserved(), l.psp.Blocked())
	if want := fmt.Sprint(pix.MustAmount(balance), pix.MustAmount(reserved), pix.MustAmount(blocked)); got != want {
		l.t.Errorf("balance, reserved, blocked: got %s, want %s", got, want)
	}
	l.check()
}

// states are a Pix's refunds, as "id amount status".
func (l *lab) states(n int) []string {
	out := []string{}
	item, _ := l.psp.Payment(e2eOf(n))
	for _, r := range item.Refunds {
		id := string(r.ID)
		if len(id) == 32 {
			id = "MED"
		}
		out = append(out, fmt.Sprintf("%s %s %s", id, r.Amount, r.Status))
	}
	return out
}

// refundLines are the statement's lines of money that went back.
func (l *lab) refundLines() []pix.StatementLine {
	var out []pix.StatementLine
	for _, line := range l.psp.Statement(labStart, labStart.Add(1000*day)) {
		if line.Kind == pix.KindRefundOut {
			out = append(out, line)
		}
	}
	return out
}

// disputeOf is a fraud case m<n> over payment n of an amount, decided after three
// days.
func disputeOf(n int, amount string, outcome chaos.DisputeOutcome) DisputeOrder {
	return DisputeOrder{
		ID: fmt.Sprintf("m%d", n), EndToEndID: e2eOf(n), Nature: pix.NatureMEDFraud, Outcome: outcome,
		Amount: pix.MustAmount(amount), DecideAfter: 3 * day, NotifyAfter: time.Minute,
	}
}

func (l *lab) report(o DisputeOrder) {
	l.t.Helper()
	if err := l.psp.Report(o); err != nil {
		l.t.Fatalf("Report %s: %v", o.ID, err)
	}
}

// stage wants a case to be at a stage.
func (l *lab) stage(id string, want DisputeStage) DisputeCase {
	l.t.Helper()
	for _, c := range l.psp.Disputes() {
		if c.ID == id {
			if c.Stage != want {
				l.t.Errorf("case %s is %s, want %s", id, c.Stage, want)
			}
			return c
		}
	}
	l.t.Fatalf("no case %s", id)
	return DisputeCase{}
}
