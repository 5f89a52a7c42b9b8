package broken

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
	"github.com/pixlab/pixlab/scenarios"
)

// adjustmentPostedTwice makes a reference of its own for every run of the
// reconciliation, so that nothing keeps an adjustment from being posted again.
func adjustmentPostedTwice() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "adjustment-posted-twice", Invariant: "I13",
		Doc: "posts an adjustment again when its commit's answer is slow, under another reference",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.adjust = func(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
				out, err := e.Store.PostAdjustments(ctx, in)
				if err != nil {
					return out, err
				}
				return out, e.Exec(ctx, "PostAgain", nil, func(tx *memory.Tx) error { return adjustAgain(tx, in, out) })
			}
			return reference(e, o)
		},
	}
}

// adjustAgain posts once more what was adjusted.
func adjustAgain(tx *memory.Tx, in []receiver.Adjustment, done []bool) error {
	for i, a := range in {
		p, ok := tx.Payment(a.EndToEndID)
		if !done[i] || !ok || a.ReturnID != "" {
			continue
		}
		diff := a.Want - p.Amount
		entry := func(account receiver.Account, cents pix.Amount) receiver.Entry {
			return receiver.Entry{Account: account, Cents: cents, EndToEndID: a.EndToEndID, Charge: p.Charge}
		}
		err := tx.Post(receiver.Transaction{
			Reference: "ajuste:" + a.Now.Format("20060102150405.000000") + ":" + string(a.EndToEndID), BookedAt: a.Now,
			Entries: []receiver.Entry{entry(receiver.AccountSettlement, diff), entry(receiver.AccountDivergence, -diff)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inFlightCredited has the reconciliation credit whatever the statement has and
// the ledger has not, by itself: what the inbox still works on is credited again
// when it is done.
func inFlightCredited() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "in-flight-credited", Invariant: "I1",
		Doc: "has the reconciliation credit what is still being worked on",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			// Often, and up to this instant: what has just settled is not whole yet.
			e.Config.Grace, e.Config.ReconcileEvery = time.Nanosecond, time.Minute
			o := overlay{Store: e.Store}
			o.match = func(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
				out, err := e.Store.MatchStatement(ctx, in)
				if err != nil {
					return out, err
				}
				return out, e.Exec(ctx, "CreditInFlight", nil, func(tx *memory.Tx) error { return creditInFlight(tx, in, out) })
			}
			return reference(e, o)
		},
	}
}

// creditInFlight books lines under a reference of the reconciliation's own.
func creditInFlight(tx *memory.Tx, in []pix.StatementLine, found []receiver.MatchOutcome) error {
	for i, l := range in {
		if l.Kind != pix.KindPixIn || found[i].Class != receiver.MatchInFlight {
			continue
		}
		if _, booked := tx.Payment(l.EndToEndID); booked {
			continue
		}
		entry := func(account receiver.Account, cents int64) receiver.Entry {
			return receiver.Entry{Account: account, Cents: pix.Amount(cents), EndToEndID: l.EndToEndID}
		}
		err := tx.Post(receiver.Transaction{
			Reference: "conciliacao:" + string(l.EndToEndID), BookedAt: tx.Now(),
			Entries: []receiver.Entry{entry(receiver.AccountSettlement, l.Cents), entry(receiver.AccountRevenue, -l.Cents)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
