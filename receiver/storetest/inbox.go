package storetest

import (
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func appendOutcomes() []outcome {
	return []outcome{
		{"a new item is received and due at once", newItem},
		{"the same item again is known", sameItemAgain},
		{"one item twice in a batch is new, then known", twiceInBatch},
		{"the same key from another source is another event", keyPerSource},
		{"ids are bytes: other letter case is another event", keysAreBytes},
		{"the stored bytes are not the caller's", rawIsCopied},
		{"an unreadable item is set aside and sinks no neighbour", unreadableItem},
		{"a member left out is no disagreement", leftOut},
		{"a later txid and key complete the event", enrichedItem},
		{"a later txid puts booked money on its charge at once", enrichedBooked},
		{"a later txid is remembered until its charge is made", enrichedEarly},
		{"the PSP's word on the same content confirms the event", confirmedItem},
		{"the PSP's word on the same content confirms the payment", confirmedBooked},
		{"the first confirmed account takes the place of the unconfirmed", confirmedTimePrevails},
	}
}

func newItem(f *fixture) {
	f.clock.pass(time.Minute)
	item := f.item(f.credit(1, 1, 1000))
	item.ReceivedAt = start().Add(time.Second)
	out := f.appended(item, receiver.AppendNew)
	equal(f, "confirmed", out.Confirmed, false)
	e := f.inState(out.EventID, receiver.EventReceived)
	equal(f, "source", e.Source, account)
	equal(f, "key", e.Key, receiver.CreditKey(e2e(1)))
	equal(f, "channel", e.Channel, receiver.ChannelCallback)
	equal(f, "attempts", e.Attempts, 0)
	equal(f, "amount", e.Credit.Amount, pix.Amount(1000))
	equal(f, "txid", e.Credit.TxID, txid(1))
	sameTime(f, "paid at", e.Credit.PaidAt, f.now())
	sameTime(f, "received at", e.ReceivedAt, item.ReceivedAt)
	sameTime(f, "due at", e.DueAt, f.now())
	f.dueAt(receiver.QueueInbox, f.now())
}

func sameItemAgain(f *fixture) {
	first := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew)
	again := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendKnown)
	equal(f, "id", again.EventID, first.EventID)
	count(f, "claimed", f.claim(9), 1)
	f.noCase()
}

func twiceInBatch(f *fixture) {
	one, two := f.item(f.credit(1, 1, 1000)), f.item(f.credit(2, 2, 2000))
	out := f.append(one, two, one)
	equal(f, "first", out[0].Result, receiver.AppendNew)
	equal(f, "second", out[1].Result, receiver.AppendNew)
	equal(f, "third", out[2].Result, receiver.AppendKnown)
	equal(f, "third's id", out[2].EventID, out[0].EventID)
	equal(f, "ids rise", out[0].EventID < out[1].EventID, true)
}

func keyPerSource(f *fixture) {
	item := f.item(f.credit(1, 1, 1000))
	first := f.appended(item, receiver.AppendNew)
	item.Source = "another psp"
	second := f.appended(item, receiver.AppendNew)
	equal(f, "one event", first.EventID == second.EventID, false)
}

func keysAreBytes(f *fixture) {
	upper, lower := f.credit(1, 0, 1000), f.credit(1, 0, 1000)
	lower.EndToEndID = "e" + lower.EndToEndID[1:]
	f.appended(f.item(upper), receiver.AppendNew)
	f.appended(f.item(lower), receiver.AppendNew)
}

func rawIsCopied(f *fixture) {
	item := f.item(f.credit(1, 1, 1000))
	want := string(item.Raw)
	id := f.appended(item, receiver.AppendNew).EventID
	clear(item.Raw)
	item.Credit.Amount = 1
	e := f.event(id)
	equal(f, "raw", string(e.Raw), want)
	equal(f, "amount", e.Credit.Amount, pix.Amount(1000))
	e.Credit.Amount = 2
	equal(f, "amount after the reader wrote", f.event(id).Credit.Amount, pix.Amount(1000))
}

func unreadableItem(f *fixture) {
	bad := receiver.InboxItem{
		Source: account, Key: "invalid:00ff", Channel: receiver.ChannelCallback,
		Invalid: "valor is missing", Raw: []byte{'{', 0xff, 0}, ReceivedAt: f.now(),
	}
	out := f.append(bad, f.item(f.credit(1, 1, 1000)))
	equal(f, "result", out[0].Result, receiver.AppendNew)
	e := f.inState(out[0].EventID, receiver.EventQuarantined)
	equal(f, "kind", e.Quarantine, receiver.QuarantineBad)
	equal(f, "reason", e.Reason, receiver.ReasonUnreadable+": valor is missing")
	equal(f, "content", e.Credit == nil, true)
	equal(f, "raw", string(e.Raw), string(bad.Raw))
	f.inState(out[1].EventID, receiver.EventReceived)
	equal(f, "again", f.append(bad)[0], receiver.AppendOutcome{EventID: e.ID, Result: receiver.AppendKnown})
	count(f, "claimed", f.claim(9), 1)
}

func leftOut(f *fixture) {
	f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew)
	c := f.credit(1, 0, 1000)
	c.PixKey = ""
	f.appended(f.item(c), receiver.AppendKnown)
	f.noCase()
}

func enrichedItem(f *fixture) {
	c := f.credit(1, 0, 1000)
	c.PixKey = ""
	id := f.appended(f.item(c), receiver.AppendNew).EventID
	f.appended(f.item(f.credit(1, 4, 1000)), receiver.AppendEnriched)
	f.appended(f.item(f.credit(1, 4, 1000)), receiver.AppendKnown)
	f.appended(f.item(c), receiver.AppendKnown)
	e := f.event(id)
	equal(f, "txid", e.Credit.TxID, txid(4))
	equal(f, "key", e.Credit.PixKey, ourKey)
	f.appended(f.item(f.credit(1, 5, 1000)), receiver.AppendVariant)
}

func enrichedBooked(f *fixture) {
	f.charged(4, 1000)
	f.booked(f.credit(1, 0, 1000))
	f.settled(4, 0, "")
	f.appended(f.item(f.credit(1, 4, 1000)), receiver.AppendEnriched)
	f.settled(4, 1000, e2e(1))
	equal(f, "txid", f.payment(1).TxID, txid(4))
	f.caseIs(receiver.UnidentifiedCase(e2e(1)), receiver.CaseClosed, receiver.AccountUnidentified, 1000, receiver.ReasonUnidentified)
	f.told(1, receiver.OutboxUnidentified, receiver.OutboxMatched)
	f.appended(f.item(f.credit(1, 4, 1000)), receiver.AppendKnown)
	f.told(1)
	f.matched(1, 1000, receiver.MatchOK, 1000)
}

func enrichedEarly(f *fixture) {
	f.booked(f.credit(1, 0, 1000))
	f.appended(f.item(f.credit(1, 4, 1000)), receiver.AppendEnriched)
	equal(f, "disposition", f.payment(1).Disposition, receiver.DispositionUnidentified)
	f.charged(4, 1000)
	f.settled(4, 1000, e2e(1))
}

func confirmedItem(f *fixture) {
	id := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendNew).EventID
	out := f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	equal(f, "confirmed", out.Confirmed, true)
	equal(f, "stored", f.event(id).Confirmed, true)
	again := f.appended(f.item(f.credit(1, 1, 1000)), receiver.AppendKnown)
	equal(f, "still confirmed", again.Confirmed, true)
}

func confirmedBooked(f *fixture) {
	f.charged(1, 1000)
	id := f.credited(f.credit(1, 1, 1000))
	equal(f, "confirmed before", f.payment(1).Confirmed, false)
	f.appended(f.swept(f.credit(1, 1, 1000)), receiver.AppendKnown)
	equal(f, "confirmed after", f.payment(1).Confirmed, true)
	f.inState(id, receiver.EventProcessed)
	f.told(1, receiver.OutboxCredited)
	f.settled(1, 1000, e2e(1))
}

func confirmedTimePrevails(f *fixture) {
	told, real := f.credit(1, 1, 1000), f.credit(1, 0, 1000)
	real.PaidAt = start().Add(-time.Hour)
	id := f.appended(f.item(told), receiver.AppendNew).EventID
	f.appended(f.swept(real), receiver.AppendKnown)
	later := real
	later.PaidAt = start().Add(-2 * time.Hour)
	f.appended(f.swept(later), receiver.AppendKnown)
	f.appended(f.item(told), receiver.AppendKnown)
	e := f.event(id)
	sameTime(f, "paid at", e.Credit.PaidAt, real.PaidAt)
	equal(f, "txid", e.Credit.TxID, txid(1))
}
