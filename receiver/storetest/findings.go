package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func findingOutcomes() []outcome {
	return []outcome{
		{"what is not OK is found once, as it was", findOnce},
		{"what never settled is found when it is taken back", findPhantom},
		{"what agrees or is in flight is no finding", findNothing},
		{"findings are listed by settlement and by whether a report has them", findListed},
		{"a day is closed once, and its report stays", dayClosedOnce},
		{"a window is reported once", windowOnce},
		{"a window makes the reconciliation due and is in the operators' book", windowDue},
		{"a turn that goes on holds its duty longer", dutyHeldOn},
	}
}

// found are all findings.
func (f *fixture) found() []receiver.Finding {
	f.Helper()
	out, err := f.store.ListFindings(f.ctx(), receiver.FindingQuery{To: f.now().AddDate(1, 0, 0)})
	return must(f, out, err)
}

func findOnce(f *fixture) {
	f.charged(1, 19800)
	f.credited(f.credit(1, 1, 19800))
	f.match(f.line(1, 198), f.line(2, 500))
	f.clock.pass(time.Hour)
	f.match(f.line(1, 198), f.line(2, 500))
	all := f.found()
	count(f, "findings", all, 2)
	for i, want := range []receiver.Finding{
		{Line: receiver.LineRef{Kind: pix.KindPixIn, EndToEndID: e2e(1)}, Class: receiver.MatchDivergent, Statement: 198, Ledger: 19800},
		{Line: receiver.LineRef{Kind: pix.KindPixIn, EndToEndID: e2e(2)}, Class: receiver.MatchMissingInLedger, Statement: 500},
	} {
		got := all[i]
		sameTime(f, "found", got.FoundAt, start())
		sameTime(f, "settled", got.SettledAt, start())
		got.Number, got.FoundAt, got.SettledAt = 0, time.Time{}, time.Time{}
		equal(f, "finding", got, want)
	}
	f.adjusted(1, 198, receiver.MatchDivergent, true)
	f.matched(1, 198, receiver.MatchOK, 198)
	count(f, "findings once adjusted", f.found(), 2)
}

func findPhantom(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.adjusted(1, 0, receiver.MatchMissingAtPSP, true)
	f.adjusted(1, 0, receiver.MatchMissingAtPSP, false)
	all := f.found()
	count(f, "findings", all, 1)
	equal(f, "class", all[0].Class, receiver.MatchMissingAtPSP)
	equal(f, "ledger", all[0].Ledger, pix.Amount(1000))
	equal(f, "statement", all[0].Statement, pix.Amount(0))
}

func findNothing(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.append(f.item(f.credit(2, 2, 500)))
	f.match(f.line(1, 1000), f.line(2, 500))
	count(f, "findings", f.found(), 0)
}

func findListed(f *fixture) {
	f.match(f.line(1, 100))
	f.clock.pass(time.Hour)
	f.match(f.line(2, 200))
	early, err := f.store.ListFindings(f.ctx(), receiver.FindingQuery{From: start(), To: start().Add(time.Hour)})
	count(f, "of the first hour", must(f, early, err), 1)
	equal(f, "first", early[0].Line.EndToEndID, e2e(1))
	_, err = f.store.CloseDay(f.ctx(), receiver.DayClosing{Day: "2026-03-02", Body: []byte("a"), Findings: []int64{early[0].Number}, Now: f.now()})
	must(f, true, err)
	open, err := f.store.ListFindings(f.ctx(), receiver.FindingQuery{To: f.now().Add(time.Hour), Unreported: true})
	count(f, "unreported", must(f, open, err), 1)
	equal(f, "left", open[0].Line.EndToEndID, e2e(2))
	count(f, "all", f.found(), 2)
}

func dayClosedOnce(f *fixture) {
	_, closed, err := f.store.FindReport(f.ctx(), "2026-03-02")
	equal(f, "closed at first", must(f, closed, err), false)
	f.match(f.line(1, 100))
	numbers := []int64{f.found()[0].Number}
	first, err := f.store.CloseDay(f.ctx(), receiver.DayClosing{Day: "2026-03-02", Body: []byte("first"), Now: f.now()})
	equal(f, "closed", string(must(f, first, err)), "first")
	second, err := f.store.CloseDay(f.ctx(), receiver.DayClosing{Day: "2026-03-02", Body: []byte("second"), Findings: numbers, Now: f.now()})
	equal(f, "closed again", string(must(f, second, err)), "first")
	body, closed, err := f.store.FindReport(f.ctx(), "2026-03-02")
	equal(f, "is closed", must(f, closed, err), true)
	equal(f, "report", string(body), "first")
	open, err := f.store.ListFindings(f.ctx(), receiver.FindingQuery{To: f.now().Add(time.Hour), Unreported: true})
	count(f, "unreported", must(f, open, err), 1)
	_, closed, err = f.store.FindReport(f.ctx(), "2026-03-03")
	equal(f, "another day", must(f, closed, err), false)
}

// window asks for one, from the start on.
func (f *fixture) window() receiver.Window {
	f.Helper()
	w, err := f.store.RequestWindow(f.ctx(), receiver.Window{
		From: start(), To: start().Add(time.Hour), Operator: "ana", Note: "why", RequestedAt: f.now(),
	})
	return must(f, w, err)
}

func windowOnce(f *fixture) {
	a, b := f.window(), f.window()
	equal(f, "ids differ", a.ID != b.ID, true)
	open, err := f.store.ListWindows(f.ctx(), receiver.WindowQuery{Open: true})
	count(f, "open", must(f, open, err), 2)
	equal(f, "first", open[0].ID, a.ID)
	sameTime(f, "to", open[0].To, start().Add(time.Hour))
	a.FinishedAt, a.Report = f.now(), []byte("report")
	done, err := f.store.FinishWindow(f.ctx(), a)
	equal(f, "finished", must(f, done, err), true)
	a.Report = []byte("another")
	done, err = f.store.FinishWindow(f.ctx(), a)
	equal(f, "finished again", must(f, done, err), false)
	done, err = f.store.FinishWindow(f.ctx(), receiver.Window{ID: b.ID + 1000, FinishedAt: f.now()})
	equal(f, "none finished", must(f, done, err), false)
	one, err := f.store.ListWindows(f.ctx(), receiver.WindowQuery{ID: a.ID})
	count(f, "by id", must(f, one, err), 1)
	equal(f, "report", string(one[0].Report), "report")
	open, err = f.store.ListWindows(f.ctx(), receiver.WindowQuery{Open: true})
	count(f, "left", must(f, open, err), 1)
}

func windowDue(f *fixture) {
	d := f.begun(receiver.DutyReconcile, true)
	d.NextAt = f.now().Add(6 * time.Hour)
	f.saved(d, true, true)
	f.clock.pass(time.Minute)
	w := f.window()
	f.dueAt(receiver.DutyReconcile, f.now())
	records, err := f.store.ListRecords(f.ctx(), receiver.RecordQuery{})
	count(f, "records", must(f, records, err), 1)
	equal(f, "action", records[0].Action, receiver.ActionWindow)
	equal(f, "subject", records[0].Subject, w.Subject())
	equal(f, "operator", records[0].Operator, "ana")
}

func dutyHeldOn(f *fixture) {
	d := f.begun(receiver.DutyReconcile, true)
	d.HeldUntil = f.now().Add(3 * lease)
	f.saved(d, false, true)
	f.clock.pass(2 * lease)
	f.begun(receiver.DutyReconcile, false)
	d.HeldUntil = f.now() // never sooner
	f.saved(d, false, true)
	f.begun(receiver.DutyReconcile, false)
	f.clock.pass(lease)
	f.begun(receiver.DutyReconcile, true)
	f.saved(d, false, false)
}
