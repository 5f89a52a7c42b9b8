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

// From the field: devolucoes came as null, or as one object instead of an array,
// the mapping failed, and the refund was answered 200 and forgotten.
func TestRefundIsBookedInWhateverShapeItComes(t *testing.T) {
	for name, c := range map[string]struct {
		more     func(refund string) string
		returned bool
	}{
		"absent":          {func(string) string { return `` }, false},
		"null":            {func(string) string { return `,"devolucoes":null` }, false},
		"empty array":     {func(string) string { return `,"devolucoes":[]` }, false},
		"array of one":    {func(x string) string { return `,"devolucoes":[` + x + `]` }, true},
		"a single object": {func(x string) string { return `,"devolucoes":` + x }, true},
		"twice the same":  {func(x string) string { return `,"devolucoes":[` + x + `,` + x + `]` }, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{psp: noRetries})
			p := l.pay(l.sale("PED-1", "100.00"), "100.00")
			x := l.inApp(p, "APP1", "40.00")
			l.lose()
			l.callback(http.StatusOK, body(l.itemOf(p, c.more(rowItem(x))+`,"infoPagador":null`)))
			l.rest()
			l.credited(p.EndToEndID, "100.00")
			if c.returned {
				l.returned(p.EndToEndID, "40.00")
			} else {
				l.returned(p.EndToEndID)
			}
			if n := len(l.quarantined(receiver.QuarantineBad)); n != 0 {
				t.Errorf("%d events cannot be read, want none", n)
			}
			l.duty("changed")
			l.rest()
			l.returned(p.EndToEndID, "40.00")
			l.openCases()
			l.endOfDay()
		})
	}
}

// A refund that cannot be read is kept with its Pix for an operator, and both
// come in by another road.
func TestUnreadableRefundIsKeptAndComesBySweep(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	l.inApp(p, "APP1", "40.00")
	l.lose()
	bad := l.itemOf(p, withRefunds(`{"id":"APP1","valor":40.0}`))
	l.callback(http.StatusOK, body(bad))
	l.rest()
	aside := l.quarantined(receiver.QuarantineBad)
	if len(aside) != 1 || string(aside[0].Raw) != bad || aside[0].Reason == "" {
		t.Errorf("set aside: got %+v, want %s with a reason", aside, bad)
	}
	l.sweep()
	l.credited(p.EndToEndID, "100.00")
	l.returned(p.EndToEndID, "40.00")
	l.endOfDay()
}

// From the field: the PSP sent a natureza that nobody knew, and the refund was
// dropped. The word is kept as it came, and the money counts.
func TestRefundOfANatureNobodyKnowsIsBooked(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	tp := l.record()
	p := l.pay(l.sale("PED-1", "100.00"), "100.00")
	x := l.inApp(p, "APP1", "10.00")
	l.lose()
	tp.on(http.MethodGet, rewritten(`"natureza":"ORIGINAL"`, `"natureza":"MED_NOVA_2027"`))
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(rowItem(x, `,"natureza":"MED_NOVA_2027","novo":{"n":9007199254740993}`)))))
	l.rest()
	l.calls(tp, "APP1", "GET 200")
	l.returned(p.EndToEndID, "10.00")
	if rows := l.refunds(p.EndToEndID); len(rows) != 1 || rows[0].Nature != "MED_NOVA_2027" || rows[0].Origin != receiver.RefundByPSP {
		t.Errorf("the refund is kept as %+v", rows)
	}
	l.openCases()
	l.endOfDay()
}

// A status that nobody knows is not final: the refund is neither released nor
// counted as done, whether it is the PSP's own or ours.
func TestRefundOfAStatusNobodyKnowsIsNotFinal(t *testing.T) {
	const waiting pix.RefundStatus = "AGUARDANDO_X"
	l := newLab(t, labOptions{psp: func(c *fakepsp.Config) {
		noRetries(c)
		terms(map[string]fakepsp.RefundTerms{"DEV-1": {SettleAfter: time.Hour, NotifyAfter: time.Second}})(c)
	}})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	unknown := rewritten(`"status":"EM_PROCESSAMENTO"`, `"status":"`+string(waiting)+`"`)
	tp.on(http.MethodPut, unknown)
	tp.on(http.MethodGet, unknown, unknown)
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	l.work() // its PUT is answered with the word
	l.stands("DEV-1", receiver.RefundProcessing)
	l.clock.advance(5 * time.Second)
	l.work() // and so is a GET
	l.stands("DEV-1", receiver.RefundProcessing)
	l.holds(receiver.AccountInProcess, "30.00")
	l.left(p.EndToEndID, "70.00")

	ours, theirs := l.shown("DEV-1"), pix.ReturnID("D9999900820260302120000000000009")
	tp.on(http.MethodGet, unknown) // of ours; the PSP has the other not by this name
	l.callback(http.StatusOK, body(l.itemOf(p, withRefunds(
		refundItem(ours.ID, ours.ReturnID, "30.00", waiting), refundItem("B1", theirs, "20.00", waiting)))))
	l.work()
	l.stands("DEV-1", receiver.RefundProcessing)
	l.returned(p.EndToEndID)
	l.holds(receiver.AccountInProcess, "30.00")
	l.left(p.EndToEndID, "70.00")
	l.refundEvent(p.EndToEndID, "B1", waiting) // kept

	l.rest()
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "30.00")
	l.left(p.EndToEndID, "70.00")
	l.openCases()
	l.endOfDay()
}

// From the field: three parts of an amount, as binary fractions, did not sum to
// it; a cent stayed, or one went too many.
func TestRefundInPartsLeavesExactlyTheRest(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "599.80")
	l.holds(receiver.AccountSettlement, "599.80")
	l.refund(http.StatusAccepted, "DEV-0", p, "250.32")
	for i, part := range []string{"116.49", "116.49", "116.50"} {
		l.refund(http.StatusAccepted, fmt.Sprintf("DEV-%d", i+1), p, part)
		l.rest()
	}
	l.returned(p.EndToEndID, "250.32", "116.49", "116.49", "116.50")
	l.left(p.EndToEndID, "0.00")
	l.holds(receiver.AccountSettlement, "0.00")
	l.holds(receiver.AccountRefunds, "599.80")
	l.overCap("DEV-4", p, "0.01")
	l.rest()
	if n := len(tp.put()); n != 4 {
		t.Errorf("the PSP was asked for %d refunds, want 4", n)
	}
	l.endOfDay()
}

// The same by the seed: whatever the amount and its parts, the last cent can go
// and no further one. Half of the parts fail, and go again.
func TestAnySplitOfAnyAmountLeavesNothing(t *testing.T) {
	l := newLab(t, labOptions{psp: func(c *fakepsp.Config) {
		failing := map[pix.RefundID]bool{}
		for n := range 500 {
			failing[refundID(fmt.Sprintf("DEV-%d", n), 0)] = n%2 == 0
		}
		c.Terms = func(_ pix.EndToEndID, id pix.RefundID) fakepsp.RefundTerms {
			return fakepsp.RefundTerms{Fails: failing[id]}
		}
	}})
	draw := labSeed.Stream("splits")
	asked := 0
	for n := range 12 {
		whole := pix.Amount(draw.Between(1, 100_000_00))
		p := l.sold(fmt.Sprintf("PED-%d", n), whole.String())
		for left := whole; left > 0; {
			part := min(left, pix.Amount(draw.Between(1, int64(whole)/3+1)))
			reference := fmt.Sprintf("DEV-%d", asked)
			l.refund(http.StatusAccepted, reference, p, part.String())
			l.work()
			if l.shown(reference).State == receiver.RefundReturned {
				left -= part
			}
			asked++
			l.left(p.EndToEndID, left.String())
		}
		l.overCap(fmt.Sprintf("MORE-%d", n), p, "0.01")
	}
	if asked > 500 {
		t.Fatalf("%d refunds: their terms go to 500", asked)
	}
	l.endOfDay()
	l.holds(receiver.AccountSettlement, "0.00")
	l.holds(receiver.AccountInProcess, "0.00")
}

// From the field: an id of digits went through a float and came back with other
// ones.
func TestIdOfManyDigitsComesBackAsItWas(t *testing.T) {
	const digits = "9007199254740993" // 2^53 + 1
	l := newLab(t, labOptions{})
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, digits, p, "10.00")
	l.inApp(p, digits, "20.00")
	l.news()
	l.rest()
	if got := l.shown(digits); got.Reference != digits || got.Amount != "10.00" {
		t.Errorf("got %+v, want reference %s", got, digits)
	}
	if e := l.refundEvent(p.EndToEndID, digits, pix.RefundReturned); e.Refund.ID != digits || e.State != receiver.EventProcessed {
		t.Errorf("its event is %+v", e)
	}
	if rows := l.refunds(p.EndToEndID); len(rows) != 2 || rows[1].ID != digits || rows[1].Amount != pix.MustAmount("20.00") {
		t.Errorf("the refunds are %+v", rows)
	}
	l.endOfDay()
}
