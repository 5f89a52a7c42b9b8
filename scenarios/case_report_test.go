package scenarios_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// closed reconciles until the day has its report.
func (l *lab) closed(day string) []byte {
	l.t.Helper()
	for range 20 {
		body, closed, err := l.store.FindReport(l.t.Context(), day)
		if err != nil {
			l.t.Fatal(err)
		}
		if closed {
			return body
		}
		l.duty("reconcile")
		l.rest()
	}
	l.t.Fatalf("day %s is never closed", day)
	return nil
}

// The report of a day that is over says what was found, and says the same after a
// MED case has taken the money of that day a month later: that is the later day's.
func TestClosedDaysReportIsTheSameAfterAMedOfAMonthLater(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	l.duty("reconcile") // the books begin
	p := l.sold("PED-1", "100.00")
	missed := l.pay(l.sale("PED-2", "30.00"), "30.00")
	l.lose()
	l.rest()
	before := l.closed("2026-03-02")
	report, err := receiver.ParseReport(before)
	if err != nil {
		t.Fatal(err)
	}
	want := []receiver.ClassTotal{
		{Class: receiver.MatchMissingInLedger, Lines: 1, StatementCents: 3000},
		{Class: receiver.MatchMissingAtPSP}, {Class: receiver.MatchDivergent}, {Class: receiver.MatchDuplicate},
		{Class: receiver.MatchNoCharge},
		{Class: receiver.MatchOK, Lines: 1, StatementCents: 10000, LedgerCents: 10000},
	}
	for i, c := range report.Classes {
		if c != want[i] {
			t.Errorf("class %d: got %+v, want %+v", i, c, want[i])
		}
	}
	if len(report.Cases) != 1 || report.Cases[0].ID != receiver.MissedCase(missed.EndToEndID) {
		t.Errorf("cases: %+v", report.Cases)
	}
	l.clock.advance(30 * 24 * time.Hour)
	later := receiver.DayName(l.clock.Now())
	l.dispute("m1", p, pix.NatureMEDFraud, "100.00")
	l.news()
	l.rest()
	moved := l.closed(later)
	after := l.closed("2026-03-02")
	if !bytes.Equal(before, after) {
		t.Errorf("the report was\n%s\nand is\n%s", before, after)
	}
	closing := receiver.DayClosing{Day: "2026-03-02", Body: []byte("another"), Now: l.clock.Now()}
	kept, err := l.store.CloseDay(t.Context(), closing)
	if err != nil || !bytes.Equal(kept, before) {
		t.Errorf("closed a second time it is %q, %v", kept, err)
	}
	report, err = receiver.ParseReport(moved)
	if err != nil || len(report.Lines) != 1 || report.Lines[0].Kind != pix.KindRefundOut || report.Lines[0].Cents != -10000 {
		t.Errorf("the day of the MED has %+v, %v", report.Lines, err)
	}
}

// A day stays open while one of its lines is being worked on, and closes by itself
// when that is done.
func TestDayWithALineInFlightIsNotClosed(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	l.duty("reconcile")
	p := l.sold("PED-1", "10.00")
	other := l.itemOf(l.pay(l.sale("PED-2", "20.00"), "20.00"))
	l.lose()
	l.callback(http.StatusOK, `{"pix":[`+other+`]}`) // stored, and no worker runs
	l.clock.advance(24 * time.Hour)
	for range 3 {
		l.duty("reconcile")
	}
	if _, closed, err := l.store.FindReport(t.Context(), "2026-03-02"); err != nil || closed {
		t.Fatalf("closed %v, %v", closed, err)
	}
	l.rest()
	report, err := receiver.ParseReport(l.closed("2026-03-02"))
	if err != nil || report.InFlight != 0 || report.Lines[0].Lines != 2 {
		t.Errorf("%s: %+v, %v", p.EndToEndID, report, err)
	}
}

// One line that the PSP's API never shows keeps no other from being booked.
func TestLineThatCannotBeBookedHoldsUpNoOther(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	bad := l.pay(l.sale("PED-1", "10.00"), "10.00")
	good := l.pay(l.sale("PED-2", "20.00"), "20.00")
	l.lose()
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if strings.HasSuffix(req.URL.Path, "/"+string(bad.EndToEndID)) {
			return nil, errors.New("connection cut")
		}
		return call()
	}
	l.clock.advance(labGrace + time.Minute)
	if err := l.step("reconcile"); err == nil {
		t.Error("want the line that could not be booked to be told of")
	}
	l.credited(good.EndToEndID, "20.00")
	l.credited(bad.EndToEndID)
	l.meet = nil
	l.duty("reconcile")
	l.credited(bad.EndToEndID, "10.00")
	l.endOfDay()
}

// An operator's window is reconciled at once, whatever the turn, and reported.
func TestWindowIsReconciledWhenAnOperatorAsks(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries, receiver: func(c *receiver.Config) { c.SweepBack, c.Overlap = time.Hour, time.Hour }})
	old := l.pay(l.sale("PED-1", "10.00"), "10.00")
	l.lose()
	from := l.clock.Now().Add(-time.Hour)
	l.clock.advance(24 * time.Hour)
	l.duty("reconcile")
	l.credited(old.EndToEndID) // out of its reach
	asked, err := l.store.RequestWindow(t.Context(), receiver.Window{
		From: from, To: from.Add(3 * time.Hour), Operator: "ana", Note: "the customer called", RequestedAt: l.clock.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.step("reconcile"); err != nil {
		t.Fatal(err)
	}
	l.credited(old.EndToEndID, "10.00")
	done, err := l.store.ListWindows(t.Context(), receiver.WindowQuery{ID: asked.ID})
	if err != nil || len(done) != 1 || done[0].FinishedAt.IsZero() {
		t.Fatalf("the window is %+v, %v", done, err)
	}
	report, err := receiver.ParseReport(done[0].Report)
	if err != nil || len(report.Findings) == 0 || report.Findings[0].Class != receiver.MatchMissingInLedger {
		t.Errorf("its report is %+v, %v", report, err)
	}
}

// From the page at which the PSP went away the next process goes on; what was
// before is not read again.
func TestReconciliationGoesOnFromItsLastPage(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2, psp: noRetries, receiver: func(c *receiver.Config) { c.Overlap = time.Hour }})
	for range 3 {
		l.sold(string(l.newE2E()), "1.00")
	}
	var pages []string
	dead := false
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if dead {
			return nil, errors.New("connection refused")
		}
		if req.URL.Path == "/extrato" {
			q := req.URL.Query()
			pages = append(pages, q.Get("cursor"))
			q.Set("limit", "1")
			req.URL.RawQuery = q.Encode()
			dead = len(pages) == 2
		}
		return call()
	}
	l.clock.advance(labGrace + time.Minute)
	if err := l.step("reconcile"); err == nil {
		t.Fatal("the PSP was not missed")
	}
	dead = false
	l.clock.advance(10 * time.Minute)
	if _, err := l.steps[1]["reconcile"].RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, c := range pages {
		seen[c]++
	}
	if len(pages) != 3 || len(seen) != 3 {
		t.Errorf("pages read: %q; want three, each once", pages)
	}
}

// One waiting event of which the PSP's answer always fails lets the others be
// asked about.
func TestQuestionThatAlwaysFailsStarvesNobody(t *testing.T) {
	l := newLab(t, labOptions{psp: noRetries})
	var ids []pix.EndToEndID
	for _, reference := range []string{"PED-1", "PED-2"} {
		p := l.pay(l.sale(reference, "10.00"), "10.00")
		l.lose()
		ids = append(ids, p.EndToEndID)
		c := receiver.Credit{EndToEndID: p.EndToEndID, PixKey: labKey, Amount: p.Amount, PaidAt: p.PaidAt}
		_, err := l.store.AppendInbox(t.Context(), []receiver.InboxItem{{
			Source: "psp", Key: receiver.CreditKey(p.EndToEndID), Channel: receiver.ChannelCallback, Credit: &c, ReceivedAt: l.clock.Now(),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	events, err := l.store.ClaimEvents(t.Context(), receiver.Lease{Now: l.clock.Now(), For: time.Minute, Limit: 9})
	if err != nil || len(events) != 2 {
		t.Fatalf("claimed %d, %v", len(events), err)
	}
	for _, e := range events {
		d := receiver.Deferral{EventID: e.ID, Version: e.Version, Quarantine: receiver.QuarantineWaiting, Reason: "test"}
		if _, err := l.store.DeferEvents(t.Context(), []receiver.Deferral{d}); err != nil {
			t.Fatal(err)
		}
	}
	l.meet = func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
		if strings.HasSuffix(req.URL.Path, "/"+string(ids[0])) {
			return nil, errors.New("connection cut")
		}
		return call()
	}
	for range 2 {
		_ = l.step("pending") // the first fails each time
		l.clock.advance(time.Hour)
	}
	l.work()
	l.credited(ids[1], "10.00")
}
