package broken

import (
	"context"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// statementIgnored reads the account statement and compares it with nothing.
func statementIgnored() scenarios.Receiver {
	return scenarios.Receiver{
		Name: "statement-ignored", Invariant: "I10",
		Doc: "reconciles by the number of lines: each counts as found, whatever the ledger has",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			o := overlay{Store: e.Store}
			o.match = func(_ context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
				out := make([]receiver.MatchOutcome, len(in))
				for i := range out {
					out[i].Class = receiver.MatchOK
				}
				return out, nil
			}
			o.unseen = func(context.Context, receiver.UnseenQuery) ([]receiver.Payment, error) { return nil, nil }
			return reference(e, o)
		},
	}
}
