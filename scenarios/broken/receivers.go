package broken

import (
	"context"
	"net/http"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// Receivers lists the broken receivers.
func Receivers() []scenarios.Receiver {
	return []scenarios.Receiver{
		naive(), checkThenInsert(), signatureNotChecked(), seenBeforeDone(), dedupeByDelivery(),
		allToSuspense(), callbacksRefused(), watermarkFirst(), trustsCompleted(),
		capWithoutLock(), snapshotOverwrites(), creditLostBesideRefund(), refundIDAlone(),
		newKeyEveryRetry(), timeoutIsFailure(), earlyRefundDropped(), refundsRefused(), notFoundIsProof(),
		outboxByLastNumber(), refundedBeforeCredited(), adjustmentPostedTwice(), inFlightCredited(),
		keyApart(), orphanUnasked(),
		halfBooked(), lastContentWins(), statementIgnored(), toldAgain(), sentBeforeSending(), suspenseWithoutCase(),
		believesCallback(), firstPageOnly(),
		payoutTimeoutIsFailure(), payoutAskedByIDOnly(), payoutRepeatedPastItsKey(), payoutNewKeyEveryTry(),
	}
}

// ByName finds a broken receiver.
func ByName(name string) (scenarios.Receiver, bool) {
	for _, r := range Receivers() {
		if r.Name == name {
			return r, true
		}
	}
	return scenarios.Receiver{}, false
}

// reference builds the reference receiver on a store.
func reference(e scenarios.Env, store receiver.Store) (scenarios.Built, error) {
	e.Store = store
	return scenarios.Reference().Build(e)
}

// onCallbacks puts a handler before the reference's, for callbacks alone.
func onCallbacks(b scenarios.Built, h func(w http.ResponseWriter, r *http.Request, next http.Handler)) scenarios.Built {
	return onPath(b, "/pix", h)
}

// onPath puts a handler before the reference's, for one path.
func onPath(b scenarios.Built, path string, h func(w http.ResponseWriter, r *http.Request, next http.Handler)) scenarios.Built {
	next := b.Handler
	b.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			h(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
	return b
}

// overlay is a store with some commands replaced; a nil one is the store's own.
type overlay struct {
	receiver.Store
	repair        func(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error)
	reserve       func(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error)
	record        func(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error)
	recordPayouts func(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error)
	append        func(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error)
	claim         func(ctx context.Context, in receiver.Lease) ([]receiver.Event, error)
	apply         func(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error)
	match         func(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error)
	adjust        func(ctx context.Context, in []receiver.Adjustment) ([]bool, error)
	finish        func(ctx context.Context, in []receiver.OutboxResult) ([]bool, error)
	unseen        func(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error)
	// leaseOutbox takes what there is for the merchant.
	leaseOutbox func(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error)
	begin       func(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error)
}

func (o overlay) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	if o.append != nil {
		return o.append(ctx, in)
	}
	return o.Store.AppendInbox(ctx, in)
}

func (o overlay) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	if o.claim != nil {
		return o.claim(ctx, in)
	}
	return o.Store.ClaimEvents(ctx, in)
}

func (o overlay) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	if o.apply != nil {
		return o.apply(ctx, in)
	}
	return o.Store.ApplyEvents(ctx, in)
}

func (o overlay) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	if o.begin != nil {
		return o.begin(ctx, in)
	}
	return o.Store.BeginDuty(ctx, in)
}

func (o overlay) ReserveRefunds(ctx context.Context, in []receiver.NewRefund) ([]receiver.ReserveOutcome, error) {
	if o.reserve == nil {
		return o.Store.ReserveRefunds(ctx, in)
	}
	out, err := o.reserve(ctx, in)
	for i := range out {
		if in[i].Key != nil && out[i].Key.Result == "" {
			// It looks at no key, and answers all the same.
			out[i].Key = receiver.KeyOutcome{Result: receiver.KeyDone, Answer: in[i].Answer(out[i])}
		}
	}
	return out, err
}

func (o overlay) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	if o.record != nil {
		return o.record(ctx, in)
	}
	return o.Store.RecordRefunds(ctx, in)
}

func (o overlay) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	if o.recordPayouts != nil {
		return o.recordPayouts(ctx, in)
	}
	return o.Store.RecordPayouts(ctx, in)
}

func (o overlay) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	if o.repair != nil {
		return o.repair(ctx, in)
	}
	return o.Store.RepairEvents(ctx, in)
}

func (o overlay) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	if o.match != nil {
		return o.match(ctx, in)
	}
	return o.Store.MatchStatement(ctx, in)
}

func (o overlay) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	if o.unseen != nil {
		return o.unseen(ctx, q)
	}
	return o.Store.UnseenPayments(ctx, q)
}

func (o overlay) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	if o.leaseOutbox != nil {
		return o.leaseOutbox(ctx, in)
	}
	return o.Store.LeaseOutbox(ctx, in)
}

// repairsNothing leaves what the ledger lacks missing. Reconciliation would
// bring in what a receiver loses, hours later and with a case; a receiver that
// is to show what its loss does has none of that.
func repairsNothing(_ context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	return make([]receiver.ApplyOutcome, len(in)), nil
}

func (o overlay) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	if o.finish != nil {
		return o.finish(ctx, in)
	}
	return o.Store.FinishOutbox(ctx, in)
}

func (o overlay) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	if o.adjust != nil {
		return o.adjust(ctx, in)
	}
	return o.Store.PostAdjustments(ctx, in)
}
