package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func dispositionOutcomes() []outcome {
	return []outcome{
		{"too much settles the charge and leaves the rest to return", overpaid},
		{"too little goes to suspense with a case and settles nothing", underpaid},
		{"a second Pix of a settled charge is to return", secondPix},
		{"a Pix of an expired or removed charge is to return", latePix},
		{"a Pix without a charge goes to suspense with a case", unidentifiedPix},
		{"a Pix under a key not ours is set aside without posting", foreignPix},
		{"a static code takes every Pix", staticPix},
		{"a static code of a fixed amount asks about another amount", staticFixed},
	}
}

// placed wants Pix n to be booked that way, told once by that kind, and its
// whole amount to stand on the settlement account.
func (f *fixture) placed(n int, how receiver.Disposition, kind string) {
	f.Helper()
	p := f.payment(n)
	equal(f, "disposition", p.Disposition, how)
	f.told(n, kind)
	equal(f, "net", f.match(f.line(n, p.Amount))[0].Ledger, p.Amount)
}

func overpaid(f *fixture) {
	f.charged(1, 5000)
	f.booked(f.credit(1, 1, 5001))
	f.settled(1, 5000, e2e(1))
	f.noCase()
	f.placed(1, receiver.DispositionOverpaid, receiver.OutboxCredited)
}

func underpaid(f *fixture) {
	f.charged(1, 23775)
	f.booked(f.credit(1, 1, 5))
	f.booked(f.credit(2, 1, 23770))
	f.settled(1, 0, "")
	for n, cents := range map[int]pix.Amount{1: 5, 2: 23770} {
		f.caseIs(receiver.DivergenceCase(e2e(n)), receiver.CaseOpen, receiver.AccountDivergence, cents, receiver.ReasonUnderpaid)
	}
	f.placed(1, receiver.DispositionUnderpaid, receiver.OutboxDivergent)
}

func secondPix(f *fixture) {
	f.charged(1, 3000)
	f.credited(f.credit(1, 1, 3000))
	f.booked(f.credit(2, 1, 3000))
	f.settled(1, 3000, e2e(1))
	f.noCase()
	f.placed(2, receiver.DispositionSecond, receiver.OutboxToReturn)
}

func latePix(f *fixture) {
	f.charged(1, 3000)
	f.charged(2, 3000)
	f.record(receiver.ChargeCall{Ref: refOf(2), State: receiver.ChargeRemoved})
	f.booked(f.credit(2, 2, 3000))
	f.clock.pass(2 * time.Hour)
	f.booked(f.credit(1, 1, 3000))
	f.settled(1, 0, "")
	f.settled(2, 0, "")
	f.noCase()
	equal(f, "removed", f.payment(2).Disposition, receiver.DispositionLate)
	f.placed(1, receiver.DispositionLate, receiver.OutboxToReturn)
}

func unidentifiedPix(f *fixture) {
	f.booked(f.credit(1, 0, 700))
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseOpen, receiver.AccountUnidentified, 700, receiver.ReasonUnidentified)
	f.placed(1, receiver.DispositionUnidentified, receiver.OutboxUnidentified)
}

func foreignPix(f *fixture) {
	f.charged(1, 1000)
	c := f.credit(1, 1, 1000)
	c.PixKey = foreignKey
	f.append(f.item(c))
	e := f.claimed()
	f.applied(e, nil, receiver.ApplyConfirm)
	f.applied(e, &c, receiver.ApplyAside)
	after := f.inState(e.ID, receiver.EventQuarantined)
	equal(f, "kind", after.Quarantine, receiver.QuarantineBad)
	equal(f, "reason", after.Reason, receiver.ReasonForeignKey)
	count(f, "payments", f.unseen(), 0)
	count(f, "outbox", f.sent(), 0)
	f.settled(1, 0, "")
	f.noCase()
}

func staticPix(f *fixture) {
	f.static(1, 0)
	for n, cents := range []pix.Amount{1000, 1000, 2500} {
		f.credited(f.credit(n+1, 1, cents))
	}
	f.settled(1, 4500, e2e(1))
	f.noCase()
	f.placed(3, receiver.DispositionExact, receiver.OutboxCredited)
}

func staticFixed(f *fixture) {
	f.static(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	c := f.credit(2, 1, 1200)
	f.append(f.item(c))
	e := f.claimed()
	f.applied(e, nil, receiver.ApplyConfirm)
	f.applied(e, &c, receiver.ApplyBooked)
	f.settled(1, 2200, e2e(1))
}
