package storetest

import (
	"slices"
	"sync"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// workers is how many goroutines do the same at once.
const workers = 8

func concurrencyOutcomes() []outcome {
	return []outcome{
		{"the same item from many is one event", appendAtOnce},
		{"each event is claimed by one of many", claimAtOnce},
		{"one event applied by many is booked once", applyAtOnce},
		{"one charge paid many times at once is settled once", payAtOnce},
		{"the same charge from many is created once", createAtOnce},
		{"a duty is begun by one of many", dutyAtOnce},
		{"each outbox event is leased by one of many", outboxAtOnce},
		{"repair and apply of one Pix at once book it once", repairAtOnce},
		{"money and its charge at once meet, whichever is first", chargeAndMoneyAtOnce},
	}
}

// atOnce runs do on many goroutines and returns their answers in their order.
// do must report with Error, not Fatal.
func atOnce[V any](f *fixture, do func(worker int) (V, error)) []V {
	f.Helper()
	return allAtOnce(f, workers, do)
}

// allAtOnce is atOnce on n goroutines.
func allAtOnce[V any](f *fixture, n int, do func(worker int) (V, error)) []V {
	f.Helper()
	out := make([]V, n)
	var ready, done sync.WaitGroup
	ready.Add(n)
	for w := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			v, err := do(w)
			if err != nil {
				f.Errorf("worker %d: %v", w, err)
			}
			out[w] = v
		})
	}
	done.Wait()
	if f.Failed() {
		f.FailNow()
	}
	return out
}

func appendAtOnce(f *fixture) {
	item := f.item(f.credit(1, 1, 1000))
	outs := atOnce(f, func(int) ([]receiver.AppendOutcome, error) {
		return f.store.AppendInbox(f.ctx(), []receiver.InboxItem{item})
	})
	fresh := 0
	for _, out := range outs {
		equal(f, "id", out[0].EventID, outs[0][0].EventID)
		if out[0].Result == receiver.AppendNew {
			fresh++
		}
	}
	equal(f, "new", fresh, 1)
	count(f, "events", f.eventIDs(receiver.EventQuery{}), 1)
}

func claimAtOnce(f *fixture) {
	const events = 40
	for n := range events {
		f.append(f.item(f.credit(n+1, 0, 1000)))
	}
	var all []int64
	for _, out := range atOnce(f, func(int) ([]receiver.Event, error) {
		return f.store.ClaimEvents(f.ctx(), f.lease(events/workers))
	}) {
		for _, e := range out {
			all = append(all, e.ID)
		}
	}
	for _, e := range f.claim(events) { // what locks made the others skip
		all = append(all, e.ID)
	}
	slices.Sort(all)
	count(f, "claimed", all, events)
	count(f, "claimed once", slices.Compact(all), events)
}

func applyAtOnce(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	booked := 0
	for _, out := range atOnce(f, func(int) ([]receiver.ApplyOutcome, error) {
		return f.store.ApplyEvents(f.ctx(), []receiver.Application{f.application(e, nil)})
	}) {
		switch out[0].Result {
		case receiver.ApplyBooked:
			booked++
		case receiver.ApplyLost:
		default:
			f.Errorf("apply: got %+v, want booked or lost", out[0])
		}
	}
	equal(f, "booked", booked, 1)
	f.settled(1, 1000, e2e(1))
	f.told(1, receiver.OutboxCredited)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func payAtOnce(f *fixture) {
	f.charged(1, 1000)
	for n := range workers {
		f.append(f.item(f.credit(n+1, 1, 1000)))
	}
	events := f.claim(workers)
	count(f, "claimed", events, workers)
	atOnce(f, func(w int) ([]receiver.ApplyOutcome, error) {
		return f.store.ApplyEvents(f.ctx(), []receiver.Application{f.application(events[w], events[w].Credit)})
	})
	exact := 0
	for _, p := range f.unseen() {
		if p.Disposition == receiver.DispositionExact {
			exact++
			f.settled(1, 1000, p.EndToEndID)
		}
	}
	equal(f, "exact", exact, 1)
	count(f, "payments", f.unseen(), workers)
}

func createAtOnce(f *fixture) {
	created := 0
	for _, out := range atOnce(f, func(int) ([]receiver.CreateOutcome, error) {
		return f.store.CreateCharges(f.ctx(), []receiver.NewCharge{f.newCharge(1, 1000)})
	}) {
		equal(f, "txid", out[0].Charge.TxID, txid(1))
		if out[0].Created {
			created++
		}
	}
	equal(f, "created", created, 1)
}

func dutyAtOnce(f *fixture) {
	begun := 0
	for _, ok := range atOnce(f, func(int) (bool, error) {
		_, ok, err := f.store.BeginDuty(f.ctx(), receiver.DutyClaim{Name: receiver.DutySweep, Now: f.now(), For: lease})
		return ok, err
	}) {
		if ok {
			begun++
		}
	}
	equal(f, "begun", begun, 1)
}

func outboxAtOnce(f *fixture) {
	const events = 2 * workers
	for n := range events {
		f.booked(f.credit(n+1, 0, pix.Amount(n+1)))
	}
	var all []int64
	for _, out := range atOnce(f, func(int) ([]receiver.OutboxEvent, error) {
		return f.store.LeaseOutbox(f.ctx(), f.lease(2))
	}) {
		for _, o := range out {
			all = append(all, o.ID)
		}
	}
	for _, o := range f.leaseOutbox(events) {
		all = append(all, o.ID)
	}
	slices.Sort(all)
	count(f, "leased", all, events)
	count(f, "leased once", slices.Compact(all), events)
}

func repairAtOnce(f *fixture) {
	f.charged(1, 1000)
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	booked := 0
	for _, out := range atOnce(f, func(w int) ([]receiver.ApplyOutcome, error) {
		if w%2 == 0 {
			return f.store.RepairEvents(f.ctx(), []receiver.Repair{f.repair(f.credit(1, 1, 1000))})
		}
		return f.store.ApplyEvents(f.ctx(), []receiver.Application{f.application(e, nil)})
	}) {
		if out[0].Result == receiver.ApplyBooked {
			booked++
		}
	}
	equal(f, "booked", booked, 1)
	f.inState(e.ID, receiver.EventProcessed)
	f.settled(1, 1000, e2e(1))
	f.told(1, receiver.OutboxCredited)
}

func chargeAndMoneyAtOnce(f *fixture) {
	for n := 1; n <= workers; n++ {
		f.append(f.item(f.credit(n, n, 1000)))
	}
	events := f.claim(workers)
	count(f, "claimed", events, workers)
	atOnce(f, func(w int) (bool, error) {
		if _, err := f.store.ApplyEvents(f.ctx(), []receiver.Application{f.application(events[w], events[w].Credit)}); err != nil {
			return false, err
		}
		other := (w+1)%workers + 1
		_, err := f.store.CreateCharges(f.ctx(), []receiver.NewCharge{f.newCharge(other, 1000)})
		return true, err
	})
	for n := 1; n <= workers; n++ {
		f.settled(n, 1000, e2e(n))
	}
}
