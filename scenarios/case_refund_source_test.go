package scenarios_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// A refund takes the money from where that Pix's money sits, what is owed to the
// payer anyway first; a failed one puts it back there. The open cases say at
// every step what suspense holds.
func TestRefundTakesFromWhereTheMoneySits(t *testing.T) {
	type holding map[receiver.Account]string
	for name, c := range map[string]struct {
		pay     func(l *lab) pix.Payment
		refund  string // goes back, after it failed once
		caseOf  func(pix.EndToEndID) string
		before  holding
		reduced holding
	}{
		"exact": {
			pay:     func(l *lab) pix.Payment { return l.pay(l.sale("PED-1", "50.00"), "50.00") },
			refund:  "20.00",
			before:  holding{receiver.AccountRevenue: "50.00", receiver.AccountRefunds: "0.00"},
			reduced: holding{receiver.AccountRevenue: "50.00", receiver.AccountRefunds: "20.00"},
		},
		"unidentified": {
			pay:     func(l *lab) pix.Payment { return l.pay("", "50.00") },
			refund:  "20.00",
			caseOf:  receiver.UnidentifiedCase,
			before:  holding{receiver.AccountUnidentified: "50.00"},
			reduced: holding{receiver.AccountUnidentified: "30.00", receiver.AccountRefunds: "0.00"},
		},
		"overpaid, as much as was too much": {
			pay:     func(l *lab) pix.Payment { return l.pay(l.sale("PED-1", "50.00"), "60.00", lax) },
			refund:  "10.00",
			before:  holding{receiver.AccountRevenue: "50.00", receiver.AccountToReturn: "10.00"},
			reduced: holding{receiver.AccountToReturn: "0.00", receiver.AccountRefunds: "0.00"},
		},
		"overpaid, more than was too much": {
			pay:     func(l *lab) pix.Payment { return l.pay(l.sale("PED-1", "50.00"), "60.00", lax) },
			refund:  "25.00",
			before:  holding{receiver.AccountRevenue: "50.00", receiver.AccountToReturn: "10.00"},
			reduced: holding{receiver.AccountToReturn: "0.00", receiver.AccountRefunds: "15.00"},
		},
		"underpaid": {
			pay:     func(l *lab) pix.Payment { return l.pay(l.sale("PED-1", "50.00"), "40.00", lax) },
			refund:  "15.00",
			caseOf:  receiver.DivergenceCase,
			before:  holding{receiver.AccountDivergence: "40.00"},
			reduced: holding{receiver.AccountDivergence: "25.00", receiver.AccountRefunds: "0.00"},
		},
		"second": {
			pay: func(l *lab) pix.Payment {
				txid := l.sale("PED-1", "50.00")
				l.pay(txid, "50.00")
				l.sweep()
				return l.pay(txid, "50.00", lax)
			},
			refund:  "50.00",
			before:  holding{receiver.AccountRevenue: "50.00", receiver.AccountToReturn: "50.00"},
			reduced: holding{receiver.AccountRevenue: "50.00", receiver.AccountToReturn: "0.00", receiver.AccountRefunds: "0.00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: terms(map[string]fakepsp.RefundTerms{"DEV-1": {SettleAfter: time.Minute, Fails: true}})})
			p := c.pay(l)
			l.sweep()
			stands := func(want holding) {
				t.Helper()
				for account, amount := range want {
					l.holds(account, amount)
				}
				l.casesAreSuspense()
			}
			stands(c.before)
			l.refund(http.StatusAccepted, "DEV-1", p, c.refund)
			l.work()
			stands(c.reduced)
			l.holds(receiver.AccountInProcess, c.refund)
			l.rest()
			l.stands("DEV-1", receiver.RefundFailed)
			stands(c.before)
			l.refund(http.StatusAccepted, "DEV-2", p, c.refund)
			l.rest()
			l.stands("DEV-2", receiver.RefundReturned)
			stands(c.reduced)
			l.returned(p.EndToEndID, c.refund)
			rest := pix.MustAmount(p.Amount.String()) - pix.MustAmount(c.refund)
			l.left(p.EndToEndID, rest.String())
			if c.caseOf != nil {
				l.openCases(c.caseOf(p.EndToEndID))
			} else {
				l.openCases()
			}
			l.overCap("DEV-3", p, (rest + 1).String())
			l.endOfDay()
		})
	}
}

// The same when the PSP returns it: MED knows nothing of our accounts.
func TestReturnByThePspTakesFromWhereTheMoneySits(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay("", "50.00")
	l.sweep()
	l.dispute("m1", p, pix.NatureMEDFraud, "50.00")
	l.duty("changed")
	l.rest()
	l.returned(p.EndToEndID, "50.00")
	l.holds(receiver.AccountUnidentified, "0.00")
	l.holds(receiver.AccountRefunds, "0.00")
	l.casesAreSuspense()
	l.endOfDay()
}

// What went back of an unidentified Pix is gone when its charge turns up.
func TestRefundedPartOfAnUnidentifiedPixIsNotMatched(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.elsewhere("50.00")
	p := l.payAndTell(txid, "50.00")
	l.sweep()
	l.refund(http.StatusAccepted, "DEV-1", p, "20.00")
	l.rest()
	l.charge(`{"reference":"PED-1","amount":"50.00","txid":"` + string(txid) + `"}`)
	l.rest()
	l.settled("PED-1", "0.00", false) // 30.00 of 50.00: a person decides
	l.holds(receiver.AccountUnidentified, "0.00")
	l.holds(receiver.AccountDivergence, "30.00")
	l.openCases(receiver.DivergenceCase(p.EndToEndID))
	l.overCap("DEV-2", p, "30.01")
	l.refund(http.StatusAccepted, "DEV-2", p, "30.00")
	l.rest()
	l.returned(p.EndToEndID, "20.00", "30.00")
	l.holds(receiver.AccountDivergence, "0.00")
	l.endOfDay()
}

// Only money that the PSP's own word or the statement vouches for goes back.
func TestUnconfirmedPixIsNotRefundedYet(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.refund(http.StatusConflict, "DEV-1", p, "10.00") // not heard of
	l.deliver()
	l.work()
	l.credited(p.EndToEndID, "100.00")
	l.refund(http.StatusConflict, "DEV-1", p, "10.00") // only told
	l.putOnly(tp)
	l.sweep()
	l.refund(http.StatusAccepted, "DEV-1", p, "10.00")
	l.rest()
	l.returned(p.EndToEndID, "10.00")
	l.endOfDay()
}

// Nor does unconfirmed money cover the refund of another Pix.
func TestUnconfirmedMoneyCoversNoRefund(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.sold("PED-1", "100.00")
	l.memo(http.StatusNoContent, "m1", p, "100.00", false)
	phantom := l.newE2E()
	l.callback(http.StatusOK, body(l.item(string(phantom), string(l.sale("PED-2", "100.00")), "100.00")))
	l.work()
	l.credited(phantom, "100.00")
	l.refund(http.StatusUnprocessableEntity, "DEV-1", p, "50.00")
}

// The limit of 90 days is an instant, not a count of days: the very moment is in
// time, the next is not.
func TestRefundLimitIsAnInstant(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // of the limit
		want  int
	}{
		{"a millisecond before", -time.Millisecond, http.StatusAccepted},
		{"at it", 0, http.StatusAccepted},
		{"a nanosecond after", time.Nanosecond, http.StatusUnprocessableEntity},
		{"a day after", 24 * time.Hour, http.StatusUnprocessableEntity},
	} {
		for _, start := range []time.Time{
			labStart(), time.Date(2018, 11, 3, 22, 30, 0, 0, time.UTC), time.Date(2017, 12, 18, 1, 59, 59, 0, time.UTC), // across changes of the clock
		} {
			t.Run(fmt.Sprintf("%s, paid %s", c.name, start.Format(time.DateOnly)), func(t *testing.T) {
				l := newLab(t, labOptions{start: start})
				tp := l.record()
				p := l.sold("PED-1", "100.00")
				l.clock.until(p.PaidAt.Add(90*24*time.Hour + c.after))
				l.refund(c.want, "DEV-1", p, "10.00")
				l.work()
				if c.want == http.StatusAccepted {
					l.calls(tp, refundID("DEV-1", 0), "PUT 201")
					l.returned(p.EndToEndID, "10.00")
				} else {
					l.putOnly(tp)
					l.returned(p.EndToEndID)
				}
			})
		}
	}
}

// Asked for in time and carried to the PSP too late: it refuses, and the money
// is back.
func TestRefundThatTheLimitOvertakesIsPutBack(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.clock.until(p.PaidAt.Add(90 * 24 * time.Hour))
	l.refund(http.StatusAccepted, "DEV-1", p, "10.00")
	l.clock.advance(time.Millisecond)
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 400")
	l.stands("DEV-1", receiver.RefundFailed)
	if x := l.shown("DEV-1"); x.Problem == "" {
		t.Error("the merchant is not told why")
	}
	l.left(p.EndToEndID, "100.00")
	l.holds(receiver.AccountInProcess, "0.00")
	l.openCases()
}

// memo tells the receiver of money blocked under MED, or released.
func (l *lab) memo(want int, id string, p pix.Payment, amount string, released bool) {
	l.t.Helper()
	rec := l.call(http.MethodPost, "/memos", fmt.Sprintf(`{"id":%q,"endToEndId":%q,"amount":%q,"released":%t}`, id, p.EndToEndID, amount, released))
	if rec.Code != want {
		l.t.Errorf("POST /memos %s %s: got %d %s, want %d", id, amount, rec.Code, rec.Body, want)
	}
}

// What MED blocks cannot be spent, on whichever Pix; once released it can. A
// block that comes after its own release is an old one.
func TestBlockedMoneyIsNotSpentUntilItIsReleased(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p, other := l.sold("PED-1", "100.00"), l.sold("PED-2", "40.00")
	l.unmoved("a block", func() {
		for range 2 {
			l.memo(http.StatusNoContent, "m1", p, "110.00", false)
		}
		l.refund(http.StatusUnprocessableEntity, "DEV-1", p, "30.01") // 140.00 less 110.00
		l.refund(http.StatusUnprocessableEntity, "DEV-1", other, "40.00")
		l.rest()
	})
	l.putOnly(tp)
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	l.refund(http.StatusUnprocessableEntity, "DEV-2", other, "0.01")
	l.rest()
	l.refund(http.StatusUnprocessableEntity, "DEV-2", other, "0.01")

	l.memo(http.StatusNoContent, "m1", p, "110.00", true)
	l.memo(http.StatusNoContent, "m1", p, "110.00", false) // late
	l.refund(http.StatusAccepted, "DEV-2", other, "40.00")
	l.refund(http.StatusAccepted, "DEV-3", p, "70.00")
	l.rest()
	l.returned(p.EndToEndID, "30.00", "70.00")
	l.returned(other.EndToEndID, "40.00")
	l.holds(receiver.AccountSettlement, "0.00")
	l.endOfDay()
}

// A memo is changed by a further word about it, and one that is none is refused.
func TestFurtherWordAboutABlockTakesThePlaceOfTheFirst(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.sold("PED-1", "100.00")
	l.memo(http.StatusNoContent, "m1", p, "60.00", false)
	l.memo(http.StatusNoContent, "m1", p, "80.00", false)
	l.memo(http.StatusNoContent, "m2", p, "10.00", false)
	l.memo(http.StatusBadRequest, "", p, "10.00", false)
	l.memo(http.StatusBadRequest, "m3", p, "-10.00", false)
	l.memo(http.StatusBadRequest, "m3", p, "10", false)
	l.refund(http.StatusUnprocessableEntity, "DEV-1", p, "10.01")
	l.refund(http.StatusAccepted, "DEV-1", p, "10.00")
	l.rest()
	l.returned(p.EndToEndID, "10.00")
	l.endOfDay()
}
