package storetest

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

const payee = pix.PixKey("payee@ex")

func payoutRef(n int) receiver.PayoutRef {
	return receiver.PayoutRef{Consumer: consumer, Reference: fmt.Sprintf("payout-%02d", n)}
}

// payoutKey is the key that we choose for payout n, sentID the endToEndId that
// the PSP gives it.
func payoutKey(n int) string { return fmt.Sprintf("K%031d", n) }
func sentID(n int) pix.EndToEndID {
	return pix.EndToEndID(fmt.Sprintf("E99999008202603021200%011d", n))
}

// newPayout is the intention n to pay cents.
func (f *fixture) newPayout(n int, cents pix.Amount) receiver.NewPayout {
	return receiver.NewPayout{At: f.now(), Payout: receiver.Payout{
		Consumer: consumer, Reference: payoutRef(n).Reference, PixKey: payee, Amount: cents, Key: payoutKey(n), DueAt: f.now(),
	}}
}

func (f *fixture) reservePayouts(in ...receiver.NewPayout) []receiver.ReservePayoutOutcome {
	f.Helper()
	out, err := f.store.ReservePayouts(f.ctx(), in)
	return must(f, out, err)
}

// paying reserves payout n of cents, which must be possible.
func (f *fixture) paying(n int, cents pix.Amount) {
	f.Helper()
	out := f.reservePayouts(f.newPayout(n, cents))[0]
	if out.Result != receiver.ReserveDone {
		f.Fatalf("reserve %s: got %+v, want it done", payoutRef(n).Reference, out)
	}
}

// notPaying wants payout n of cents to be refused as more than is free.
func (f *fixture) notPaying(n int, cents pix.Amount) {
	f.Helper()
	out := f.reservePayouts(f.newPayout(n, cents))[0]
	equal(f, "reserve", out.Result, receiver.ReserveRefused)
	equal(f, "reason", out.Reason, receiver.ReasonNoBalance)
}

// payout reads payout n, which must be there.
func (f *fixture) payout(n int) receiver.Payout {
	f.Helper()
	out, err := f.store.FindPayouts(f.ctx(), []receiver.PayoutRef{payoutRef(n)})
	if must(f, out, err)[0] == nil {
		f.Fatalf("payout %s: not found", payoutRef(n).Reference)
	}
	return *out[0]
}

// payoutIn wants payout n to stand there.
func (f *fixture) payoutIn(n int, want receiver.PayoutState) receiver.Payout {
	f.Helper()
	x := f.payout(n)
	equal(f, "state of "+x.Reference, x.State, want)
	return x
}

func (f *fixture) leasePayouts(limit int) []receiver.Payout {
	f.Helper()
	out, err := f.store.LeasePayouts(f.ctx(), f.lease(limit))
	return must(f, out, err)
}

// sending leases one payout, which must be n: its request may be out now.
func (f *fixture) sending(n int) receiver.Payout {
	f.Helper()
	out := f.leasePayouts(1)
	count(f, "leased payouts", out, 1)
	equal(f, "leased", out[0].Reference, payoutRef(n).Reference)
	return out[0]
}

func (f *fixture) recordPayouts(in ...receiver.PayoutCall) []receiver.Payout {
	f.Helper()
	out, err := f.store.RecordPayouts(f.ctx(), in)
	return must(f, out, err)
}

// payoutCall is a call about payout n, by whoever holds it, that taught nothing
// and is repeated in a minute.
func (f *fixture) payoutCall(n int) receiver.PayoutCall {
	f.Helper()
	call := receiver.PayoutCall{Ref: payoutRef(n), Now: f.now(), DueAt: f.now().Add(lease)}
	found, err := f.store.FindPayouts(f.ctx(), []receiver.PayoutRef{call.Ref})
	if x := must(f, found, err)[0]; x != nil {
		call.Version = x.Version
	}
	return call
}

// payoutAnswered records that the PSP's answer about payout n was that status.
func (f *fixture) payoutAnswered(n int, status pix.PayoutStatus) receiver.Payout {
	f.Helper()
	call := f.payoutCall(n)
	call.EndToEndID, call.Status, call.Answered = sentID(n), status, true
	return f.recordPayouts(call)[0]
}

// paidOut takes payout n of cents to its good end.
func (f *fixture) paidOut(n int, cents pix.Amount) {
	f.Helper()
	f.paying(n, cents)
	f.sending(n)
	equal(f, "state", f.payoutAnswered(n, pix.PayoutConfirmed).State, receiver.PayoutConfirmed)
}

// queuedPayout hands payout n of cents to a person.
func (f *fixture) queuedPayout(n int, cents pix.Amount) {
	f.Helper()
	f.paying(n, cents)
	f.sending(n)
	call := f.payoutCall(n)
	call.Queue = true
	equal(f, "queued", f.recordPayouts(call)[0].Queued, true)
}

// payoutContent is what is said of payout n over cents, comeBack of its return r.
func (f *fixture) payoutContent(n int, cents pix.Amount, status pix.PayoutStatus) receiver.PayoutContent {
	return receiver.PayoutContent{Key: payoutKey(n), EndToEndID: sentID(n), PixKey: payee, Amount: cents, Status: status}
}

func (f *fixture) comeBack(n, r int, cents pix.Amount) receiver.PayoutContent {
	c := f.payoutContent(n, cents, "")
	c.ReturnID = returnID(r)
	return c
}

// payoutItem is a callback's word about c.
func (f *fixture) payoutItem(c receiver.PayoutContent) receiver.InboxItem {
	return receiver.InboxItem{
		Source: account, Key: c.InboxKey(), Channel: receiver.ChannelCallback, Payout: &c, Raw: []byte("{}"), ReceivedAt: f.now(),
	}
}

// appliedPayout books e, on the PSP's word where there is one, and wants that
// result for that reason.
func (f *fixture) appliedPayout(e receiver.Event, word *receiver.PayoutContent, want receiver.ApplyResult, reason string) {
	f.Helper()
	out := f.apply(receiver.Application{EventID: e.ID, Version: e.Version, Payout: word, Now: f.now()})[0]
	equal(f, "apply "+e.Key, out, receiver.ApplyOutcome{Result: want, Reason: reason})
}

// toldPayout takes c through the inbox on the PSP's word, and wants that result.
func (f *fixture) toldPayout(c receiver.PayoutContent, want receiver.ApplyResult, reason string) receiver.Event {
	f.Helper()
	f.appended(f.payoutItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedPayout(e, &c, want, reason)
	return e
}

// payoutLine is the line of payout n over cents, backLine that of its return r.
func (f *fixture) payoutLine(n int, cents pix.Amount) pix.StatementLine {
	return pix.StatementLine{Kind: pix.KindPixOut, EndToEndID: sentID(n), Cents: int64(cents), SettledAt: f.now()}
}

func (f *fixture) backLine(n, r int, cents pix.Amount) pix.StatementLine {
	l := f.payoutLine(n, cents)
	l.Kind, l.ID = pix.KindReturnIn, string(returnID(r))
	return l
}

// lineIs wants a line to be of that class, and the ledger to have that for it.
func (f *fixture) lineIs(l pix.StatementLine, class receiver.MatchClass, net pix.Amount) {
	f.Helper()
	equal(f, string(l.Kind)+" "+string(l.EndToEndID), f.match(l)[0], receiver.MatchOutcome{Class: class, Ledger: net})
}

// resolve is an operator's word on payout n.
func (f *fixture) resolve(n int, action, note string) bool {
	f.Helper()
	out, err := f.store.ResolvePayouts(f.ctx(), []receiver.PayoutResolution{{
		Ref: payoutRef(n), Action: action, Operator: "ana", Note: note, Now: f.now(),
	}})
	return must(f, out, err)[0]
}

// repairedPayout books c because the statement holds its line.
func (f *fixture) repairedPayout(c receiver.PayoutContent, want receiver.ApplyResult) {
	f.Helper()
	item := f.payoutItem(c)
	item.Channel, item.Confirmed = receiver.ChannelRepair, true
	out, err := f.store.RepairEvents(f.ctx(), []receiver.Repair{{Item: item, Now: f.now()}})
	equal(f, "repair "+item.Key, must(f, out, err)[0].Result, want)
}

// listedPayouts wants just these payouts to be listed, in this order.
func (f *fixture) listedPayouts(q receiver.PayoutQuery, want ...int) {
	f.Helper()
	out, err := f.store.ListPayouts(f.ctx(), q)
	count(f, "listed", must(f, out, err), len(want))
	for i, n := range want {
		equal(f, "listed", out[i].Reference, payoutRef(n).Reference)
	}
}

// sendingAfter lets the clock go on and leases payout n again.
func (f *fixture) sendingAfter(d time.Duration, n int) receiver.Payout {
	f.Helper()
	f.clock.pass(d)
	return f.sending(n)
}
