package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func repairOutcomes() []outcome {
	return []outcome{
		{"a credit nobody told of is booked with a case", repairNew},
		{"a repeated repair books nothing", repairTwice},
		{"a credit already booked is known and gets no case", repairBooked},
		{"an event that waits, was dropped or is held ends processed", repairWhateverState},
		{"the statement's other word is booked and the event's kept", repairOther},
		{"an event of that key that could not be read gets its content", repairUnreadable},
		{"money under a key not ours goes to suspense: the statement has it", repairForeign},
		{"a callback after the repair is known", repairThenCallback},
		{"money whose case an operator closed is known and stays where it went", repairClosed},
		{"a refused repair leaves its neighbours", repairRefused},
	}
}

// repaired repairs one credit and wants that result.
func (f *fixture) repaired(c receiver.Credit, want receiver.ApplyResult) {
	f.Helper()
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{f.repair(c)})
	equal(f, "repaired", must(f, out, err)[0].Result, want)
}

func (f *fixture) repair(c receiver.Credit) receiver.Repair {
	item := f.swept(c)
	item.Channel = receiver.ChannelRepair
	return receiver.Repair{Item: item, Now: f.now()}
}

// missedCase wants the case about a Pix that only the statement knew.
func (f *fixture) missedCase(n int) {
	f.Helper()
	f.caseIs(receiver.MissedCase(e2e(n)), receiver.CaseOpen, "", 0, receiver.ReasonMissedCredit)
}

func repairNew(f *fixture) {
	f.charged(1, 1000)
	f.repaired(f.credit(1, 1, 1000), receiver.ApplyBooked)
	f.settled(1, 1000, e2e(1))
	f.missedCase(1)
	count(f, "cases", f.cases(), 1)
	equal(f, "confirmed", f.payment(1).Confirmed, true)
	f.told(1, receiver.OutboxCredited)
	f.matched(1, 1000, receiver.MatchOK, 1000)
	f.idle(receiver.QueueInbox)
	events, err := f.store.ListEvents(f.ctx(), receiver.EventQuery{})
	count(f, "events", must(f, events, err), 1)
	equal(f, "state", events[0].State, receiver.EventProcessed)
	equal(f, "channel", events[0].Channel, receiver.ChannelRepair)
	equal(f, "event confirmed", events[0].Confirmed, true)
}

func repairTwice(f *fixture) {
	f.charged(1, 1000)
	f.repaired(f.credit(1, 1, 1000), receiver.ApplyBooked)
	f.repaired(f.credit(1, 1, 1000), receiver.ApplyKnown)
	f.settled(1, 1000, e2e(1))
	f.told(1, receiver.OutboxCredited)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func repairBooked(f *fixture) {
	f.charged(1, 1000)
	f.credited(f.credit(1, 1, 1000))
	f.repaired(f.credit(1, 1, 1000), receiver.ApplyKnown)
	equal(f, "confirmed", f.payment(1).Confirmed, true)
	f.noCase()
	f.told(1, receiver.OutboxCredited)
}

func repairWhateverState(f *fixture) {
	waiting := f.aside(f.credit(1, 1, 1000), receiver.QuarantineWaiting)
	dropped := f.aside(f.credit(2, 2, 1000), receiver.QuarantineBad)
	f.decided(f.store.DropEvents, dropped, true)
	held := f.appended(f.item(f.credit(3, 3, 1000)), receiver.AppendNew).EventID
	e := f.claimed()
	for n := 1; n <= 3; n++ {
		f.charged(n, 1000)
		if n == 1 { // the charge woke the event that waited for it
			f.inState(waiting, receiver.EventReceived)
		}
		f.repaired(f.credit(n, n, 1000), receiver.ApplyBooked)
		f.settled(n, 1000, e2e(n))
		f.missedCase(n)
	}
	for _, id := range []int64{waiting, dropped, held} {
		after := f.inState(id, receiver.EventProcessed)
		equal(f, "quarantine", after.Quarantine, "")
		equal(f, "reason", after.Reason, "")
	}
	f.applied(e, nil, receiver.ApplyLost)
	f.clock.pass(24 * time.Hour)
	f.idle(receiver.QueueInbox)
}

func repairOther(f *fixture) {
	id := f.appended(f.item(f.credit(1, 0, 10)), receiver.AppendNew).EventID
	f.repaired(f.credit(1, 0, 1000), receiver.ApplyBooked)
	e := f.inState(id, receiver.EventProcessed)
	equal(f, "content", e.Credit.Amount, pix.Amount(1000))
	f.variantCase(1)
	f.missedCase(1)
	f.appended(f.item(f.credit(1, 0, 10)), receiver.AppendKnown)
}

func repairUnreadable(f *fixture) {
	item := f.item(f.credit(1, 0, 1000))
	item.Credit, item.Invalid = nil, "cut short"
	id := f.appended(item, receiver.AppendNew).EventID
	f.decided(f.store.RequeueEvents, id, true)
	version := f.claimed().Version
	f.repaired(f.credit(1, 0, 1000), receiver.ApplyBooked)
	e := f.inState(id, receiver.EventProcessed)
	equal(f, "version", e.Version, version)
	equal(f, "raw", string(e.Raw), string(item.Raw))
	equal(f, "confirmed", e.Confirmed, true)
	equal(f, "amount", e.Credit.Amount, pix.Amount(1000))
}

func repairForeign(f *fixture) {
	c := f.credit(1, 0, 1000)
	c.PixKey = foreignKey
	f.repaired(c, receiver.ApplyBooked)
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionUnidentified)
	equal(f, "held", f.payment(1).Held, receiver.Holdings{Unidentified: 1000})
	f.idle(receiver.QueueInbox)
}

func repairThenCallback(f *fixture) {
	f.charged(1, 1000)
	f.repaired(f.credit(1, 1, 1000), receiver.ApplyBooked)
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendKnown)
	f.idle(receiver.QueueInbox)
}

func repairClosed(f *fixture) {
	f.booked(f.credit(1, 5, 1000))
	f.closed(receiver.UnidentifiedCase(e2e(1)), receiver.AccountToReturn, true)
	f.charged(5, 1000)
	f.repaired(f.credit(1, 5, 1000), receiver.ApplyKnown)
	f.settled(5, 0, "")
	f.told(1, receiver.OutboxUnidentified)
}

func repairRefused(f *fixture) {
	f.charged(1, 1000)
	bad := f.repair(f.credit(2, 0, 1000))
	bad.Item.Credit, bad.Item.Invalid = nil, "cut short"
	marked := f.repair(f.credit(2, 0, 1000))
	marked.Item.Invalid = "cut short"
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{bad, f.repair(f.credit(1, 1, 1000)), marked})
	must(f, out, err)
	equal(f, "refused", out[0].Result, receiver.ApplyFailed)
	equal(f, "neighbour", out[1].Result, receiver.ApplyBooked)
	equal(f, "refused as well", out[2].Result, receiver.ApplyFailed)
	f.matched(2, 1000, receiver.MatchMissingInLedger, 0)
}
