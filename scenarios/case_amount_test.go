package scenarios_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: an amount was read loosely, or as far as it went: "39.9" as
// 39.09, "6,95" as 6, "1.234,56" as 1.23. Here a text that is not one to ten
// digits, a point and two digits is no amount; nothing is rounded or cut.
func TestAmountsThatAreNotTwoDecimalsCreditNothing(t *testing.T) {
	for _, valor := range []string{
		`"39.9"`, `"97"`, `"10."`, `".50"`, `"6,95"`, `"1.234,56"`, `"1,234.56"`, `" 10.00"`, `"10.00 "`, `"+10.00"`,
		`"10.000"`, `"98.9009"`, `"0.00"`, `"-1.00"`, `"1e2"`, `"12345678901.00"`, `"１０.５０"`, `"R$ 10.50"`, `""`,
		`10.5`, `10.50`, `1050`, `true`, `null`, `["10.50"]`, `{"valor":"10.50"}`,
	} {
		t.Run(valor, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.pay(l.sale("PED-1", "10.50"), "10.50")
			said := strings.Replace(l.itemOf(p), `"10.50"`, valor, 1)
			l.callback(http.StatusOK, body(said))
			l.rest()
			l.credited(p.EndToEndID)
			l.holds(receiver.AccountSettlement, "0.00")
			l.settled("PED-1", "0.00", false)
			aside := l.quarantined(receiver.QuarantineBad)
			if len(aside) != 1 || !strings.Contains(string(aside[0].Raw), string(p.EndToEndID)) {
				t.Fatalf("set aside: got %+v, want the item with its endToEndId", aside)
			}
			if !strings.Contains(aside[0].Reason, "valor") {
				t.Errorf("set aside for %q, want its valor named", aside[0].Reason)
			}
			l.reconcile()
			l.credited(p.EndToEndID, "10.50")
			l.openCases(receiver.MissedCase(p.EndToEndID))
			l.endOfDay()
		})
	}
}

// The control of the above.
func TestAmountOfTwoDecimalsIsCreditedToTheCent(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "10.50"), "10.50")
	l.callback(http.StatusOK, body(l.item(string(p.EndToEndID), string(p.TxID), "10.50")))
	l.rest()
	if got := l.credits(p.EndToEndID); len(got) != 1 || got[0] != 1050 {
		t.Errorf("credits: got %d cents, want one of 1050", got)
	}
	l.endOfDay()
}

// From the field: cents were taken for reais, or reais for cents, and two
// records of one payment disagreed by a factor of one hundred.

// A callback that does not say what is due is not believed before the PSP's API
// has been asked.
func TestCallbackOfAHundredthIsConfirmedBeforeItIsBooked(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.pay(l.sale("PED-1", "198.00"), "198.00")
	l.callback(http.StatusOK, body(l.item(string(p.EndToEndID), string(p.TxID), "1.98")))
	l.rest()
	l.credited(p.EndToEndID, "198.00")
	l.settled("PED-1", "198.00", true)
	l.openCases(receiver.DivergenceCase(p.EndToEndID))
	kept := l.mem.Dump().Variants
	if len(kept) != 1 || kept[0].Credit.Amount != 198 || kept[0].Confirmed {
		t.Errorf("variants: got %+v, want the callback's 1.98", kept)
	}
	l.endOfDay()
}

// A callback that says what is due is believed at once, and may be wrong until
// the statement says so: then one adjustment against suspense, and one case.
func TestBookingThatTheStatementContradictsIsAdjustedOnce(t *testing.T) {
	for _, c := range []struct{ name, due, truth, suspense string }{
		{"a hundred times as much arrived", "1.98", "198.00", "196.02"},
		{"a hundredth arrived", "198.00", "1.98", "-196.02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.pay(l.sale("PED-1", c.due), c.truth, lax)
			l.callback(http.StatusOK, body(l.item(string(p.EndToEndID), string(p.TxID), c.due)))
			l.rest()
			l.credited(p.EndToEndID, c.due)
			l.settled("PED-1", c.due, true)
			if l.payment(p.EndToEndID).Confirmed {
				t.Error("the money counts as confirmed before the PSP's API said so")
			}
			before := l.mem.Transactions()
			l.reconcile()
			l.credited(p.EndToEndID, c.due) // the adjustment is no second credit
			l.holds(receiver.AccountSettlement, c.truth)
			l.inSuspense(c.suspense)
			l.openCases(receiver.DivergenceCase(p.EndToEndID))
			after := l.mem.Transactions()
			if len(after) != len(before)+1 || fmt.Sprint(after[:len(before)]) != fmt.Sprint(before) {
				t.Errorf("the ledger was\n%v\nand is\n%v\nwant one transaction more and none changed", before, after)
			}
			l.endOfDay()
		})
	}
}

// inSuspense wants the divergences to hold an amount, which may be negative.
func (l *lab) inSuspense(want string) {
	l.t.Helper()
	if got := (-l.mem.Balance(receiver.AccountDivergence)).String(); got != want {
		l.t.Errorf("%s holds %s, want %s", receiver.AccountDivergence, got, want)
	}
}

// From the field: cents went through binary fractions, and 599.80 became
// 599.79. Random amounts and random splits of them must come out to the cent.
func TestRandomAmountsAndSplitsAreExactToTheCent(t *testing.T) {
	l := newLab(t, labOptions{})
	draw := labSeed.Stream("test/cents")
	code := l.code("BALCAO", "")
	totals := []pix.Amount{59_980, 34_948, 1, 10, 99, 100, pix.MaxAmount}
	for range 20 {
		totals = append(totals, pix.Amount(draw.Between(3, int64(pix.MaxAmount))))
	}
	var sum pix.Amount
	for _, total := range totals {
		sum += total
		for rest := total; rest > 0; {
			part := rest
			if rest > 2 && draw.Between(0, 2) > 0 {
				part = pix.Amount(draw.Between(1, int64(rest)-1))
			}
			rest -= part
			p := l.pay(code, part.String())
			l.callback(http.StatusOK, body(l.itemOf(p)))
			l.work()
			l.credited(p.EndToEndID, part.String())
		}
	}
	if got := l.mem.Balance(receiver.AccountSettlement); got != sum {
		t.Errorf("the ledger holds %d cents, want %d", got, sum)
	}
	l.endOfDay()
}

// From the field: a number above 2^53 went through a reader that keeps numbers
// as doubles, and came back as its neighbour.
func TestNumbersAboveTwoToThe53ComeBackUnchanged(t *testing.T) {
	const big = "9007199254740993" // 2^53 + 1
	l := newLab(t, labOptions{})
	if got := l.charge(`{"reference":"` + big + `","kind":"static","txid":"` + big + `"}`); got != big {
		t.Errorf("POST /charges: got txid %q, want %q", got, big)
	}
	p := l.pay(big, "599.80")
	l.callback(http.StatusOK, body(l.itemOf(p, `,"numeroDoLancamento":`+big)))
	l.rest()
	if e := l.event(p.EndToEndID); e.Credit.TxID != big || !strings.Contains(string(e.Raw), `"numeroDoLancamento":`+big) {
		t.Errorf("the inbox holds txid %q and %s", e.Credit.TxID, e.Raw)
	}
	if got := l.payment(p.EndToEndID); got.TxID != big || got.Charge != big || got.Amount != 59_980 {
		t.Errorf("booked as %+v", got)
	}
	rec := l.call(http.MethodGet, "/charges/"+big, "")
	want := `"reference":"` + big + `","txid":"` + big + `"`
	if !strings.Contains(rec.Body.String(), want) || !strings.Contains(rec.Body.String(), `"settled":"599.80"`) {
		t.Errorf("GET /charges: got %s, want %s and 599.80 settled", rec.Body, want)
	}
	l.endOfDay()
}

// From the field: an order of 237.75 was marked paid by a Pix of 0.05. The
// policy here: what arrives is credited; less than is due settles nothing and is
// never summed up by itself, an operator does that; more than is due settles.
func TestChargeIsNotSettledByLessThanIsDue(t *testing.T) {
	l := newLab(t, labOptions{})
	txid := l.sale("PED-1", "237.75")
	small := l.payAndTell(txid, "0.05", lax)
	l.rest()
	l.credited(small.EndToEndID, "0.05")
	l.settled("PED-1", "0.00", false)
	rest := l.payAndTell(txid, "237.70", lax)
	l.rest()
	l.credited(rest.EndToEndID, "237.70")
	l.settled("PED-1", "0.00", false)
	l.holds(receiver.AccountRevenue, "0.00")
	l.inSuspense("237.75")
	parts := []string{receiver.DivergenceCase(small.EndToEndID), receiver.DivergenceCase(rest.EndToEndID)}
	l.openCases(parts...)
	l.endOfDay()

	for _, id := range parts {
		out, err := l.mem.CloseCases(t.Context(), []receiver.CaseClosing{{
			CaseID: id, To: receiver.AccountRevenue, Operator: "ana", Note: "paid in two parts", Now: l.clock.Now(),
		}})
		if err != nil || !out[0] {
			t.Fatalf("close %s: %v, %v", id, out, err)
		}
	}
	l.settled("PED-1", "237.75", true)
	l.inSuspense("0.00")
	l.openCases()
	l.endOfDay()
}

func TestCentTooManySettlesAndIsOwedBack(t *testing.T) {
	l := newLab(t, labOptions{})
	p := l.payAndTell(l.sale("PED-2", "50.00"), "50.01", lax)
	l.rest()
	l.credited(p.EndToEndID, "50.01")
	l.settled("PED-2", "50.00", true)
	l.holds(receiver.AccountRevenue, "50.00")
	l.holds(receiver.AccountToReturn, "0.01")
	if got := l.payment(p.EndToEndID).Disposition; got != receiver.DispositionOverpaid {
		t.Errorf("booked as %q, want %q", got, receiver.DispositionOverpaid)
	}
	l.endOfDay()
}
