package scenarios_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: a dispute and a voluntary refund had totals of their own, and
// one Pix went back twice. What MED returned is not there to return again: the
// PSP is not even asked.
func TestRefundAfterMedIsRefusedBeforeAnyCall(t *testing.T) {
	for _, c := range []struct{ med, refused, rest string }{
		{"100.00", "100.00", "0.00"},
		{"100.00", "0.01", "0.00"},
		{"60.00", "50.00", "40.00"},
		{"60.00", "40.01", "40.00"},
	} {
		t.Run(c.med+", then "+c.refused, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			m := l.dispute("m1", p, pix.NatureMEDFraud, c.med)
			l.news()
			l.rest()
			l.returned(p.EndToEndID, c.med)
			if rows := l.refunds(p.EndToEndID); rows[0].Nature != pix.NatureMEDFraud || rows[0].Origin != receiver.RefundByPSP || rows[0].ID != m.ID {
				t.Errorf("the return is kept as %+v", rows[0])
			}
			l.overCap("DEV-1", p, c.refused)
			l.rest()
			l.putOnly(tp)
			l.left(p.EndToEndID, c.rest)
			if c.rest != "0.00" {
				l.refund(http.StatusAccepted, "DEV-1", p, c.rest)
				l.rest()
				l.returned(p.EndToEndID, c.med, c.rest)
			}
			l.openCases()
			l.endOfDay()
		})
	}
}

// The refund is in process when MED takes the Pix; the PSP gives up the refund.
// Whichever of the two the receiver hears of first, the money goes once.
func TestMedOvertakesARefundInProcess(t *testing.T) {
	for _, first := range []string{"MED", "the refund's failure", "both at once"} {
		t.Run(first+" first", func(t *testing.T) {
			l := newLab(t, labOptions{psp: func(c *fakepsp.Config) {
				noRetries(c)
				terms(map[string]fakepsp.RefundTerms{"DEV-1": {SettleAfter: 6 * time.Hour}})(c)
			}})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "100.00")
			l.work()
			l.stands("DEV-1", receiver.RefundProcessing)
			m := l.dispute("m1", p, pix.NatureMEDFraud, "100.00")
			l.lose() // their callbacks, which tell of both
			x := l.shown("DEV-1")
			med, failure := rowItem(m), refundItem(x.ID, x.ReturnID, "100.00", pix.RefundFailed)
			type step struct{ says, left string } // what a callback says, and what is left of the Pix after it
			tell := map[string][]step{
				"MED":                  {{med, "0.00"}, {failure, "100.00"}}, // it waits until the refund has given way
				"the refund's failure": {{failure, "100.00"}, {med, "0.00"}},
				"both at once":         {{failure + "," + med, "0.00"}},
			}[first]
			for _, s := range tell {
				l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(s.says))))
				for range 2 { // a worker's turn, and no other step may find the end before it is told
					if _, err := l.steps[0]["worker/1"].RunOnce(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				l.left(p.EndToEndID, s.left)
			}
			l.rest()
			l.stands("DEV-1", receiver.RefundFailed)
			l.returned(p.EndToEndID, "100.00")
			l.holds(receiver.AccountSettlement, "0.00")
			l.holds(receiver.AccountInProcess, "0.00")
			l.left(p.EndToEndID, "0.00")
			l.putOnly(tp, refundID("DEV-1", 0))
			l.openCases()
			l.endOfDay()
		})
	}
}

// From the field: MED came as an ordinary refund with an id that nobody had asked
// for. It is booked as the PSP's own.
func TestReturnNobodyAskedForIsBooked(t *testing.T) {
	for _, nature := range []string{pix.NatureMEDOperational, pix.NatureMEDFraud} {
		t.Run(nature, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
			l.rest()
			l.dispute("m1", p, nature, "70.00")
			l.news()
			l.rest()
			l.returned(p.EndToEndID, "30.00", "70.00")
			l.holds(receiver.AccountSettlement, "0.00")
			if rows := l.refunds(p.EndToEndID); rows[1].Origin != receiver.RefundByPSP || rows[1].Nature != nature {
				t.Errorf("the return is kept as %+v", rows[1])
			}
			if !strings.Contains(l.money(), receiver.OutboxRefunded+" 70.00") {
				t.Error("the merchant is not told of the return")
			}
			l.putOnly(tp, refundID("DEV-1", 0))
			l.openCases()
			l.endOfDay()
		})
	}
}

// A notice of more than is left, which the PSP's own API vouches for: it is
// acknowledged and not applied, a case says so, and the next event is not held
// up. The statement has the last word, and holds no such line.
func TestOverCapNoticeIsACaseAndHoldsNobodyUp(t *testing.T) {
	for _, c := range []struct {
		name, first, over string
		med               bool
	}{
		{"a cent too many", "30.00", "0.01", true},
		{"all of it again", "100.00", "100.00", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, c.first)
			l.rest()
			if c.med {
				l.dispute("m1", p, pix.NatureMEDOperational, "70.00")
			}
			l.news()
			l.rest()
			l.left(p.EndToEndID, "0.00")
			next := l.pay(l.sale("PED-2", "20.00"), "20.00")

			const id, rtr = "M2", "D9999900820260302120000000000009"
			over := refundItem(id, rtr, c.over, pix.RefundReturned)
			tp.on(http.MethodGet, func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
				return respond(req, http.StatusOK, http.Header{}, []byte(over)), nil
			})
			before := l.ledger()
			l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(over)), l.itemOf(next)))
			l.rest()
			l.calls(tp, id, "GET 200")
			l.credited(next.EndToEndID, "20.00")
			l.settled("PED-2", "20.00", true)
			if after := l.ledger()[:len(before)]; !slices.Equal(after, before) || len(l.ledger()) != len(before)+2 {
				t.Errorf("it moved money:\n%v\n%v", before, l.ledger())
			}
			if e := l.refundEvent(p.EndToEndID, id, pix.RefundReturned); e.State != receiver.EventQuarantined || e.Reason != receiver.ReasonOverCap {
				t.Errorf("its event is %s, %q; want it set aside: %s", e.State, e.Reason, receiver.ReasonOverCap)
			}
			l.openCases(receiver.RefundCase(p.EndToEndID, id))
			l.endOfDay()
		})
	}
}

// The same notice, and the PSP's own API knows nothing of it: it is set aside,
// after as many questions as there are tries, or after one where more would go
// than is left, and holds nobody up.
func TestReturnThatThePspDeniesIsNotApplied(t *testing.T) {
	for _, amount := range []string{"0.01", "70.01"} { // it would fit, and it would not
		t.Run(amount, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.sold("PED-1", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
			l.rest()
			l.news()
			const id, rtr = "M2", "D9999900820260302120000000000009"
			before := l.ledger()
			l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(refundItem(id, rtr, amount, pix.RefundReturned)))))
			next := l.payAndTell(l.sale("PED-2", "20.00"), "20.00")
			l.credited(next.EndToEndID, "20.00") // while the other is still being asked about
			l.rest()
			if !slices.Equal(l.ledger()[:len(before)], before) {
				t.Errorf("it moved money:\n%v\n%v", before, l.ledger())
			}
			l.returned(p.EndToEndID, "30.00")
			l.left(p.EndToEndID, "70.00")
			e := l.refundEvent(p.EndToEndID, id, pix.RefundReturned)
			if e.State != receiver.EventQuarantined || e.Quarantine != receiver.QuarantineWaiting || e.Reason != receiver.ReasonUnknownAtPSP {
				t.Errorf("its event is %s %s, %q", e.State, e.Quarantine, e.Reason)
			}
			l.endOfDay()
		})
	}
}

// Whoever looks for open differences has to find it.
func TestOverCapReturnThatThePspDeniesOpensACase(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "100.00")
	l.rest()
	const id, rtr = "M1", "D9999900820260302120000000000009"
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(refundItem(id, rtr, "100.00", pix.RefundReturned)))))
	l.rest()
	l.openCases(receiver.RefundCase(p.EndToEndID, id))
}

// A return that the PSP's API vouches for and that never settles: the ledger
// follows the statement, as it does with a Pix.
func TestReturnThatNeverSettlesIsTakenBack(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	x := refundItem("M2", "D9999900820260302120000000000009", "10.00", pix.RefundReturned)
	tp.on(http.MethodGet, func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return respond(req, http.StatusOK, http.Header{}, []byte(x)), nil
	})
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(x))))
	l.rest()
	l.left(p.EndToEndID, "90.00")
	l.endOfDay()
	l.left(p.EndToEndID, "100.00")
	l.openCases(receiver.RefundCase(p.EndToEndID, "M2"))
}

// The same, and the PSP's API goes on vouching for it: its line may be late, but
// not by more than the largest lag.
func TestReturnThatIsVouchedForAndNeverSettlesIsTakenBackLater(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	x := refundItem("M2", "D9999900820260302120000000000009", "10.00", pix.RefundReturned)
	for range 20 {
		tp.on(http.MethodGet, func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			return respond(req, http.StatusOK, http.Header{}, []byte(x)), nil
		})
	}
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(x))))
	l.rest()
	l.reconcile()
	l.left(p.EndToEndID, "90.00")
	l.openCases()
	l.reconcile() // hours later
	l.left(p.EndToEndID, "100.00")
	l.openCases(receiver.RefundCase(p.EndToEndID, "M2"))
	l.endOfDay()
}

// A return whose line the reconciliation misses in the ledger, and which a worker
// books before the repair does: its line was seen, and nobody takes it back once
// the line is too old to be read again.
func TestReturnBookedDuringItsRepairIsNotTakenBack(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.sold("PED-1", "100.00")
	m := l.dispute("m1", p, pix.NatureMEDFraud, "30.00")
	l.lose()
	l.clock.advance(7 * time.Hour)
	raced := false
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if !raced && req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, string(p.EndToEndID)) {
			raced = true
			l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(rowItem(m)))))
			if _, err := l.steps[0]["worker/1"].RunOnce(t.Context()); err != nil {
				t.Error(err)
			}
			l.returned(p.EndToEndID, "30.00")
		}
		return call()
	}
	l.duty("reconcile")
	if !raced {
		t.Fatal("the reconciliation found nothing to repair")
	}
	l.rest()
	l.unmoved("a day of reconciliations", func() {
		for range 4 {
			l.reconcile()
		}
	})
	l.returned(p.EndToEndID, "30.00")
	l.openCases()
	l.endOfDay()
}

// A return of more than we thought was left, which stands in the statement: money
// went, so it is booked, against suspense and with a case.
func TestOverCapReturnInTheStatementIsBookedAgainstSuspense(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.sold("PED-1", "100.00")
	l.inApp(p, "APP1", "60.00")
	l.lose()
	// Our books hold that less of it had come.
	if _, err := l.mem.PostAdjustments(t.Context(), []receiver.Adjustment{{
		EndToEndID: p.EndToEndID, Want: pix.MustAmount("30.00"), Reason: receiver.MatchDivergent, Now: l.clock.Now(),
	}}); err != nil {
		t.Fatal(err)
	}
	l.left(p.EndToEndID, "30.00")
	l.reconcile()
	l.reconcile()
	l.ledgerIsStatement()
	l.casesAreSuspense()
	l.returned(p.EndToEndID, "60.00")
	l.endOfDay()
}
