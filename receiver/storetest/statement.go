package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func statementOutcomes() []outcome {
	return []outcome{
		{"a line that the ledger has is OK and vouches for the payment", lineOK},
		{"a line without a booking is FALTA_NO_LEDGER", lineMissing},
		{"a line whose event is still worked on is EM_VOO", lineInFlight},
		{"a line of another amount is VALOR_DIVERGENTE", lineDivergent},
		{"a second Pix is DUPLICADO, one without a charge SEM_COBRANCA", lineClasses},
		{"lines of money that we sent are OK", lineOtherKinds},
		{"classes come in the order of the lines", lineOrder},
		{"unseen payments are listed by booking and id, after a cursor", unseenPages},
		{"a payment whose line was seen is unseen no more", unseenUntilSeen},
	}
}

func lineOK(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.matched(1, 1000, receiver.MatchOK, 1000)
	count(f, "unseen", f.unseen(), 0)
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.told(1, receiver.OutboxCredited)
}

func lineMissing(f *fixture) {
	f.matched(1, 1000, receiver.MatchMissingInLedger, 0)
	f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	f.matched(1, 1000, receiver.MatchMissingInLedger, 0)
}

func lineInFlight(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	f.matched(1, 1000, receiver.MatchInFlight, 0)
	f.applied(f.claimed(), nil, receiver.ApplyBooked)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func lineDivergent(f *fixture) {
	f.charged(1, 19800)
	f.credited(f.credit(1, 1, 19800))
	f.matched(1, 198, receiver.MatchDivergent, 19800)
	equal(f, "seen", f.payment(1).InStatement, false)
	equal(f, "confirmed", f.payment(1).Confirmed, false)
}

func lineClasses(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.booked(f.credit(2, 1, 1000))
	f.booked(f.credit(3, 0, 1000))
	f.matched(2, 1000, receiver.MatchDuplicate, 1000)
	f.matched(3, 1000, receiver.MatchNoCharge, 1000)
	count(f, "unseen", f.unseen(), 1)
}

func lineOtherKinds(f *fixture) {
	for _, kind := range []pix.StatementKind{pix.KindPixOut, pix.KindReturnIn} {
		line := f.line(1, 1000)
		line.Kind, line.ID = kind, "D1"
		equal(f, string(kind), f.match(line)[0].Class, receiver.MatchMissingInLedger)
	}
}

func lineOrder(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	out := f.match(f.line(9, 5), f.line(1, 1000), f.line(8, 5))
	count(f, "classes", out, 3)
	equal(f, "first", out[0].Class, receiver.MatchMissingInLedger)
	equal(f, "second", out[1].Class, receiver.MatchOK)
	equal(f, "third", out[2].Class, receiver.MatchMissingInLedger)
}

func unseenPages(f *fixture) {
	f.booked(f.credit(5, 0, 1))
	f.clock.pass(time.Second)
	f.booked(f.credit(4, 0, 1))
	f.booked(f.credit(3, 0, 1))
	f.clock.pass(time.Second)
	f.booked(f.credit(2, 0, 1))
	q := receiver.UnseenQuery{BookedBefore: start().Add(time.Second), Limit: 2}
	first, err := f.store.UnseenPayments(f.ctx(), q)
	count(f, "first page", must(f, first, err), 2)
	equal(f, "first", first[0].EndToEndID, e2e(5))
	equal(f, "second", first[1].EndToEndID, e2e(3))
	q.AfterBooked, q.AfterID = first[1].BookedAt, first[1].EndToEndID
	second, err := f.store.UnseenPayments(f.ctx(), q)
	count(f, "second page", must(f, second, err), 1)
	equal(f, "third", second[0].EndToEndID, e2e(4))
	q.AfterBooked, q.AfterID = second[0].BookedAt, second[0].EndToEndID
	third, err := f.store.UnseenPayments(f.ctx(), q)
	count(f, "third page", must(f, third, err), 0)
}

func unseenUntilSeen(f *fixture) {
	for n := 1; n <= 3; n++ {
		f.booked(f.credit(n, 0, 1000))
	}
	f.match(f.line(2, 1000))
	left := f.unseen()
	count(f, "unseen", left, 2)
	equal(f, "first", left[0].EndToEndID, e2e(1))
	equal(f, "second", left[1].EndToEndID, e2e(3))
}
