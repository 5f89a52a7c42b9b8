package storetest

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func refundRef(n int) receiver.RefundRef {
	return receiver.RefundRef{Consumer: consumer, Reference: fmt.Sprintf("refund-%02d", n)}
}

// refundID is the id that we choose for refund n, returnID the rtrId that the
// PSP gives to its nth.
func refundID(n int) pix.RefundID { return pix.RefundID(fmt.Sprintf("R%031d", n)) }
func returnID(n int) pix.ReturnID {
	return pix.ReturnID(fmt.Sprintf("D12345678202603021159%011d", n))
}

// paid books Pix n of cents for order n, exact and on the PSP's word.
func (f *fixture) paid(n int, cents pix.Amount) {
	f.Helper()
	f.charged(n, cents)
	f.booked(f.credit(n, n, cents))
}

// newRefund is the intention n to return cents of Pix p.
func (f *fixture) newRefund(n, p int, cents pix.Amount) receiver.NewRefund {
	return receiver.NewRefund{At: f.now(), Refund: receiver.Refund{
		Consumer: consumer, Reference: refundRef(n).Reference, EndToEndID: e2e(p), ID: refundID(n),
		Amount: cents, Nature: pix.NatureOriginal, DueAt: f.now(),
	}}
}

func (f *fixture) reserve(in ...receiver.NewRefund) []receiver.ReserveOutcome {
	f.Helper()
	out, err := f.store.ReserveRefunds(f.ctx(), in)
	return must(f, out, err)
}

// reserved reserves refund n of cents of Pix p, which must be possible.
func (f *fixture) reserved(n, p int, cents pix.Amount) {
	f.Helper()
	out := f.reserve(f.newRefund(n, p, cents))[0]
	if out.Result != receiver.ReserveDone {
		f.Fatalf("reserve %s: got %+v, want it done", refundRef(n).Reference, out)
	}
}

// notReserved wants refund n of cents of Pix p to get that answer instead.
func (f *fixture) notReserved(n, p int, cents pix.Amount, want receiver.ReserveResult, reason string) {
	f.Helper()
	out := f.reserve(f.newRefund(n, p, cents))[0]
	equal(f, "reserve", out.Result, want)
	equal(f, "reason", out.Reason, reason)
	equal(f, "refund in the answer", out.Refund.Reference, "")
}

// refund reads refund n, which must be there.
func (f *fixture) refund(n int) receiver.Refund {
	f.Helper()
	out, err := f.store.FindRefunds(f.ctx(), []receiver.RefundRef{refundRef(n)})
	if must(f, out, err)[0] == nil {
		f.Fatalf("refund %s: not found", refundRef(n).Reference)
	}
	return *out[0]
}

// refundIn wants refund n to stand there.
func (f *fixture) refundIn(n int, want receiver.RefundState) receiver.Refund {
	f.Helper()
	x := f.refund(n)
	equal(f, "state of "+x.Reference, x.State, want)
	return x
}

func (f *fixture) leaseRefunds(limit int) []receiver.Refund {
	f.Helper()
	out, err := f.store.LeaseRefunds(f.ctx(), f.lease(limit))
	return must(f, out, err)
}

// calling leases one refund, which must be n: its call may be out now.
func (f *fixture) calling(n int) receiver.Refund {
	f.Helper()
	out := f.leaseRefunds(1)
	count(f, "leased refunds", out, 1)
	equal(f, "leased", out[0].Reference, refundRef(n).Reference)
	return out[0]
}

func (f *fixture) recordRefunds(in ...receiver.RefundCall) []receiver.Refund {
	f.Helper()
	out, err := f.store.RecordRefunds(f.ctx(), in)
	return must(f, out, err)
}

// call is a call about refund n, by whoever holds it, that taught nothing and
// asks again in a minute.
func (f *fixture) call(n int) receiver.RefundCall {
	f.Helper()
	call := receiver.RefundCall{Ref: refundRef(n), Now: f.now(), DueAt: f.now().Add(lease)}
	found, err := f.store.FindRefunds(f.ctx(), []receiver.RefundRef{call.Ref})
	if x := must(f, found, err)[0]; x != nil {
		call.Version = x.Version
	}
	return call
}

// answered records that the PSP's answer about refund n was its refund r.
func (f *fixture) answered(n, r int, status pix.RefundStatus) receiver.Refund {
	f.Helper()
	call := f.call(n)
	call.ReturnID, call.Status = returnID(r), status
	return f.recordRefunds(call)[0]
}

// refusedRefund records that the PSP will not make refund n.
func (f *fixture) refusedRefund(n int) receiver.Refund {
	f.Helper()
	call := f.call(n)
	call.Refused, call.Problem = true, "no"
	return f.recordRefunds(call)[0]
}

// returned takes refund n of cents of Pix p to its good end, as the PSP's rth.
func (f *fixture) returned(n, p int, cents pix.Amount, r int) {
	f.Helper()
	f.reserved(n, p, cents)
	f.calling(n)
	equal(f, "state", f.answered(n, r, pix.RefundReturned).State, receiver.RefundReturned)
}

// content is what is said of the PSP's refund r of Pix p.
func (f *fixture) content(p int, id pix.RefundID, r int, cents pix.Amount, status pix.RefundStatus) receiver.RefundContent {
	return receiver.RefundContent{
		EndToEndID: e2e(p), ID: id, ReturnID: returnID(r), Amount: cents, Nature: pix.NatureMEDFraud, Status: status,
	}
}

// med is content of a refund that the PSP made by itself: r of Pix p.
func (f *fixture) med(p, r int, cents pix.Amount) receiver.RefundContent {
	return f.content(p, pix.RefundID(fmt.Sprintf("M%d", r)), r, cents, pix.RefundReturned)
}

// refundItem is a callback's word about c.
func (f *fixture) refundItem(c receiver.RefundContent) receiver.InboxItem {
	return receiver.InboxItem{
		Source: account, Key: c.Key(), Channel: receiver.ChannelCallback, Refund: &c, Raw: []byte("{}"), ReceivedAt: f.now(),
	}
}

// sweptRefund is the word of the PSP's own API about c.
func (f *fixture) sweptRefund(c receiver.RefundContent) receiver.InboxItem {
	item := f.refundItem(c)
	item.Channel, item.Confirmed = receiver.ChannelSweep, true
	return item
}

// appliedRefund books e, on the PSP's word where there is one, and wants that
// result for that reason.
func (f *fixture) appliedRefund(e receiver.Event, word *receiver.RefundContent, want receiver.ApplyResult, reason string) {
	f.Helper()
	out := f.apply(receiver.Application{EventID: e.ID, Version: e.Version, Refund: word, Now: f.now()})[0]
	equal(f, "apply "+e.Key, out, receiver.ApplyOutcome{Result: want, Reason: reason})
}

// toldRefund takes c through the inbox on the PSP's word, wants that result and
// returns the event.
func (f *fixture) toldRefund(c receiver.RefundContent, want receiver.ApplyResult, reason string) receiver.Event {
	f.Helper()
	f.appended(f.refundItem(c), receiver.AppendNew)
	e := f.claimed()
	f.appliedRefund(e, &c, want, reason)
	return e
}

// holds wants that much to be held, asked back and returned of Pix n.
func (f *fixture) holds(n int, held receiver.Holdings, refunding, refunded pix.Amount) {
	f.Helper()
	p := f.payment(n)
	equal(f, "held", p.Held, held)
	equal(f, "refunding", p.Refunding, refunding)
	equal(f, "refunded", p.Refunded, refunded)
}

// refundMatched wants the line of the PSP's refund r of Pix p over cents to be of
// that class, and the ledger to have that net for it.
func (f *fixture) refundMatched(p, r int, cents pix.Amount, class receiver.MatchClass, net pix.Amount) {
	f.Helper()
	line := f.line(p, cents)
	line.Kind, line.ID = pix.KindRefundOut, string(returnID(r))
	equal(f, "match of "+line.ID, f.match(line)[0], receiver.MatchOutcome{Class: class, Ledger: net})
}

// contradicted wants the case about a refund, without money, for these reasons.
func (f *fixture) contradicted(c receiver.RefundContent, reasons ...string) {
	f.Helper()
	f.caseIs(receiver.RefundCase(c.EndToEndID, c.ID), receiver.CaseOpen, "", 0, reasons...)
}
