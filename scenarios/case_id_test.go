package scenarios_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// From the field: an id was tidied on its way (trimmed, cut, folded to one
// case), and two payments became one. The rule here: ids are bytes. Two Pix are
// the same only if their 32 characters are, letter case included.
func TestIdsThatNearlyAgreeAreTwoPix(t *testing.T) {
	const stem = "E99999008202603021200"
	for name, ids := range map[string][2]string{
		"one letter in another case":  {stem + "abcdefghijk", stem + "abcdefgHijk"},
		"all letters in another case": {stem + "abcdefghijk", stem + "ABCDEFGHIJK"},
		"only the last digit":         {stem + "00000000000", stem + "00000000001"},
		"the first letter e":          {"E" + stem[1:] + "00000000000", "e" + stem[1:] + "00000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			code := l.code("BALCAO", "")
			for i, id := range ids {
				p := l.pay(code, []string{"10.00", "20.00"}[i], as(pix.EndToEndID(id)))
				l.callback(http.StatusOK, body(l.itemOf(p)))
			}
			l.rest()
			l.credited(pix.EndToEndID(ids[0]), "10.00")
			l.credited(pix.EndToEndID(ids[1]), "20.00")
			l.settled("BALCAO", "30.00", false)
			l.endOfDay()
		})
	}
}

// An id of another form is set aside with its bytes. It is never made to fit
// another Pix, and the Pix it was meant for comes in by the sweep.
func TestMalformedIdIsSetAsideAndNeverMadeToFit(t *testing.T) {
	const good = "E9999900820260302120000000000007"
	for name, sent := range map[string]string{
		"a line break at the end":         good + `\n`,
		"a line break for the last digit": good[:31] + `\n`,
		"a space at the end":              good + " ",
		"a space in front":                " " + good,
		"a non-breaking space":            good + "\u00a0",
		"a zero-width space":              good + "\u200b",
		"31 characters":                   good[:31],
		"34 characters":                   good + "00",
		"a full-width digit":              good[:31] + "７",
		"a NUL":                           good + `\u0000`,
		"empty":                           "",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, labOptions{})
			p := l.pay(l.code("BALCAO", ""), "10.00", as(good))
			said := l.item(sent, string(p.TxID), "10.00")
			l.callback(http.StatusOK, body(said))
			l.rest()
			l.credited(good)
			l.holds(receiver.AccountSettlement, "0.00")
			aside := l.quarantined(receiver.QuarantineBad)
			if len(aside) != 1 || string(aside[0].Raw) != said {
				t.Fatalf("set aside: got %+v, want %s", aside, said)
			}
			if aside[0].Credit != nil || !strings.Contains(aside[0].Reason, "endToEndId") {
				t.Errorf("set aside with %+v, %q; want no content, and the id as the reason", aside[0].Credit, aside[0].Reason)
			}
			l.endOfDay()
			l.credited(good, "10.00")
		})
	}
}

// An operator who wakes an event that cannot be read gets no booking of it.
func TestMalformedIdStaysAsideWhenItIsRequeued(t *testing.T) {
	l := newLab(t, labOptions{})
	code := l.code("BALCAO", "")
	l.callback(http.StatusOK, body(l.item("E99999008202603021200000000000", string(code), "10.00")))
	aside := l.quarantined(receiver.QuarantineBad)
	if len(aside) != 1 {
		t.Fatalf("%d events set aside, want 1", len(aside))
	}
	_, err := l.mem.RequeueEvents(t.Context(), []receiver.Decision{{EventID: aside[0].ID, Operator: "ana", Now: l.clock.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	l.unmoved("the requeued event", l.rest)
	if n := len(l.quarantined(receiver.QuarantineBad)); n != 1 {
		t.Errorf("%d events set aside after all, want 1", n)
	}
}

// A txid is compared as bytes too: money of another letter case is nobody's.
func TestTxidOfAnotherCaseIsAnotherTxid(t *testing.T) {
	l := newLab(t, labOptions{})
	l.charge(`{"reference":"BALCAO","kind":"static","txid":"Mesa07"}`)
	p := l.pay("mesa07", "10.00")
	l.deliver()
	l.rest()
	l.credited(p.EndToEndID, "10.00")
	l.settled("BALCAO", "0.00", false)
	l.holds(receiver.AccountUnidentified, "10.00")
	l.endOfDay()
}
