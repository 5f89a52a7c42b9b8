package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func closingOutcomes() []outcome {
	return []outcome{
		{"money in suspense goes to revenue and settles its charge", closedToRevenue},
		{"money in suspense goes back to whom it came from", closedToReturn},
		{"a case without money is just closed", closedWithoutMoney},
		{"money goes to no other account", closedElsewhere},
		{"a closed case is not closed again, an unknown one never", closedOnce},
		{"a closed case that gets money opens again and closes again", closedReopens},
	}
}

// closed closes a case and wants that answer.
func (f *fixture) closed(id string, to receiver.Account, want bool) {
	f.Helper()
	out, err := f.store.CloseCases(f.ctx(), []receiver.CaseClosing{
		{CaseID: id, To: to, Operator: "ana", Note: "why", Now: f.now()},
	})
	equal(f, "closed "+id, must(f, out, err)[0], want)
}

func closedToRevenue(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 300))
	f.booked(f.credit(2, 1, 700))
	f.clock.pass(time.Hour)
	f.closed(receiver.DivergenceCase(e2e(1)), receiver.AccountRevenue, true)
	f.settled(1, 300, "") // less than is due
	equal(f, "held", f.payment(1).Held, receiver.Holdings{Revenue: 300})
	f.closed(receiver.DivergenceCase(e2e(2)), receiver.AccountRevenue, true)
	f.settled(1, 1000, e2e(2))
	c := f.cases()[0]
	equal(f, "state", c.State, receiver.CaseClosed)
	equal(f, "note", c.Note, "why")
	sameTime(f, "closed at", c.ClosedAt, f.now())
	f.matched(1, 300, receiver.MatchOK, 300)
}

func closedToReturn(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 300))
	f.closed(receiver.DivergenceCase(e2e(1)), receiver.AccountToReturn, true)
	f.settled(1, 0, "")
	equal(f, "held", f.payment(1).Held, receiver.Holdings{ToReturn: 300})
	f.matched(1, 300, receiver.MatchOK, 300)
}

func closedWithoutMoney(f *fixture) {
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew)
	f.appended(f.item(f.credit(1, 1, 2000)), receiver.AppendVariant)
	f.closed(receiver.DivergenceCase(e2e(1)), "", true)
	f.caseIs(receiver.DivergenceCase(e2e(1)), receiver.CaseClosed, "", 0, receiver.ReasonVariant)
}

func closedElsewhere(f *fixture) {
	f.booked(f.credit(1, 0, 300))
	id := receiver.UnidentifiedCase(e2e(1))
	for _, to := range []receiver.Account{"", receiver.AccountSettlement, receiver.AccountUnidentified, receiver.AccountDivergence} {
		f.closed(id, to, false)
	}
	f.caseIs(id, receiver.CaseOpen, receiver.AccountUnidentified, 300, receiver.ReasonUnidentified)
	f.matched(1, 300, receiver.MatchNoCharge, 300)
}

func closedOnce(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 300))
	id := receiver.DivergenceCase(e2e(1))
	f.closed(id, receiver.AccountRevenue, true)
	f.closed(id, receiver.AccountRevenue, false)
	f.closed("divergencia:nothing", receiver.AccountRevenue, false)
	f.settled(1, 300, "")
}

func closedReopens(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(1, 1, 300))
	id := receiver.DivergenceCase(e2e(1))
	f.closed(id, receiver.AccountRevenue, true)
	f.adjusted(1, 500, receiver.MatchDivergent, true)
	f.caseIs(id, receiver.CaseOpen, receiver.AccountDivergence, 200, receiver.ReasonUnderpaid, receiver.ReasonAmountDiffers)
	f.closed(id, receiver.AccountRevenue, true)
	f.settled(1, 500, "")
	equal(f, "held", f.payment(1).Held, receiver.Holdings{Revenue: 500})
	equal(f, "net", f.match(f.line(1, 500))[0].Ledger, pix.Amount(500))
}
