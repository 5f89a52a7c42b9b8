package storetest

import (
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundConcurrencyOutcomes() []outcome {
	return []outcome{
		{"of twenty refunds of one Pix asked for at once, what fits is reserved", reserveAtOnce},
		{"refunds of many Pix asked for at once share one balance", reserveBalanceAtOnce},
		{"the same reference from many is reserved once", reserveSameAtOnce},
		{"each open refund is leased by one of many", leaseRefundsAtOnce},
		{"one end told by many ends the refund once", endAtOnce},
		{"a refund and its credit at once meet, whichever is first", refundAndCreditAtOnce},
	}
}

// done counts the reservations among answers of one item each, and wants the
// others to be refused for that reason.
func (f *fixture) done(outs [][]receiver.ReserveOutcome, reason string) int {
	f.Helper()
	n := 0
	for _, out := range outs {
		if out[0].Result == receiver.ReserveDone {
			n++
			continue
		}
		equal(f, "result", out[0].Result, receiver.ReserveRefused)
		equal(f, "reason", out[0].Reason, reason)
	}
	return n
}

func reserveAtOnce(f *fixture) {
	f.paid(1, 10000)
	f.paid(2, 100000)
	outs := allAtOnce(f, 20, func(w int) ([]receiver.ReserveOutcome, error) {
		return f.store.ReserveRefunds(f.ctx(), []receiver.NewRefund{f.newRefund(w+1, 1, 6000)})
	})
	equal(f, "reserved", f.done(outs, receiver.ReasonOverCap), 1)
	f.holds(1, receiver.Holdings{Revenue: 4000}, 6000, 0)
	count(f, "open", f.leaseRefunds(99), 1)
}

func reserveBalanceAtOnce(f *fixture) {
	for n := 1; n <= workers; n++ {
		f.paid(n, 1000)
	}
	f.blocked(receiver.Memo{ID: "M1", EndToEndID: e2e(1), Amount: (workers - 2) * 1000}, true)
	outs := atOnce(f, func(w int) ([]receiver.ReserveOutcome, error) {
		return f.store.ReserveRefunds(f.ctx(), []receiver.NewRefund{f.newRefund(w+1, w+1, 700)})
	})
	equal(f, "reserved", f.done(outs, receiver.ReasonNoBalance), 2)
}

func reserveSameAtOnce(f *fixture) {
	f.paid(1, 10000)
	fresh := 0
	for _, out := range atOnce(f, func(int) ([]receiver.ReserveOutcome, error) {
		return f.store.ReserveRefunds(f.ctx(), []receiver.NewRefund{f.newRefund(1, 1, 1000)})
	}) {
		equal(f, "reference", out[0].Refund.Reference, refundRef(1).Reference)
		if out[0].Result == receiver.ReserveDone {
			fresh++
		}
	}
	equal(f, "reserved", fresh, 1)
	f.holds(1, receiver.Holdings{Revenue: 9000}, 1000, 0)
}

func leaseRefundsAtOnce(f *fixture) {
	const refunds = 2 * workers
	f.paid(1, 10000)
	for n := range refunds {
		f.reserved(n+1, 1, 100)
	}
	seen := map[string]int{}
	for _, out := range append(atOnce(f, func(int) ([]receiver.Refund, error) {
		return f.store.LeaseRefunds(f.ctx(), f.lease(2))
	}), f.leaseRefunds(refunds)) {
		for _, x := range out {
			seen[x.Reference]++
			equal(f, "attempts", x.Attempts, 1)
		}
	}
	equal(f, "leased", len(seen), refunds)
}

func endAtOnce(f *fixture) {
	f.paid(1, 1000)
	f.reserved(1, 1, 300)
	x := f.calling(1)
	f.answered(1, 1, pix.RefundProcessing)
	c := f.content(1, x.ID, 1, 300, pix.RefundReturned)
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	call := f.call(1)
	call.ReturnID, call.Status = returnID(1), pix.RefundReturned
	atOnce(f, func(w int) (bool, error) {
		var err error
		switch w % 3 {
		case 0:
			_, err = f.store.RecordRefunds(f.ctx(), []receiver.RefundCall{call})
		case 1:
			_, err = f.store.ApplyEvents(f.ctx(), []receiver.Application{{EventID: e.ID, Version: e.Version, Refund: &c, Now: f.now()}})
		default:
			_, err = f.store.RepairEvents(f.ctx(), []receiver.Repair{f.repairRefund(c)})
		}
		return true, err
	})
	f.refundIn(1, receiver.RefundReturned)
	f.inState(e.ID, receiver.EventProcessed)
	f.holds(1, receiver.Holdings{Revenue: 700}, 0, 300)
	f.told(1, receiver.OutboxCredited, receiver.OutboxRefunded)
	f.refundMatched(1, 1, 300, receiver.MatchOK, -300)
}

func refundAndCreditAtOnce(f *fixture) {
	for n := 1; n <= workers; n++ {
		f.charged(n, 1000)
		f.append(f.item(f.credit(n, n, 1000)), f.sweptRefund(f.med(n, n, 300)))
	}
	events := f.claim(2 * workers)
	count(f, "claimed", events, 2*workers)
	allAtOnce(f, 2*workers, func(w int) (bool, error) {
		e := events[w]
		outs, err := f.store.ApplyEvents(f.ctx(), []receiver.Application{f.application(e, e.Credit)})
		if err != nil || outs[0].Result != receiver.ApplyWait {
			return true, err
		}
		// As a worker does that will come back to it.
		_, err = f.store.DeferEvents(f.ctx(), []receiver.Deferral{{EventID: e.ID, Version: e.Version, Until: f.now()}})
		return false, err
	})
	for _, e := range f.claim(2 * workers) {
		f.applied(e, nil, receiver.ApplyBooked)
	}
	for n := 1; n <= workers; n++ {
		f.holds(n, receiver.Holdings{Revenue: 700}, 0, 300)
	}
}
