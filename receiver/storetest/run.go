package storetest

import (
	"testing"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// Open makes an empty store with those rules and that clock. The clock may be
// asked by many goroutines.
type Open func(t *testing.T, rules receiver.Rules, now func() time.Time) receiver.Store

// outcome is one subtest: what must come out, and how it is seen.
type outcome struct {
	name  string
	check func(f *fixture)
}

// group is the subtests of one family of commands.
type group struct {
	name     string
	outcomes []outcome
}

// Run runs the suite. Subtests run in parallel, each on a store of its own.
func Run(t *testing.T, open func(t *testing.T, rules receiver.Rules, now func() time.Time) receiver.Store) {
	for _, g := range []group{
		{"charges", chargeOutcomes()},
		{"waiting money", waitingOutcomes()},
		{"calls", callOutcomes()},
		{"inbox", appendOutcomes()},
		{"variants", variantOutcomes()},
		{"revival", revivalOutcomes()},
		{"claims", claimOutcomes()},
		{"apply", applyOutcomes()},
		{"dispositions", dispositionOutcomes()},
		{"duties", dutyOutcomes()},
		{"outbox", outboxOutcomes()},
		{"endpoints", endpointOutcomes()},
		{"dead letters", deadLetterOutcomes()},
		{"statement", statementOutcomes()},
		{"findings", findingOutcomes()},
		{"repair", repairOutcomes()},
		{"adjustments", adjustmentOutcomes()},
		{"reserving", reserveOutcomes()},
		{"refund calls", refundCallOutcomes()},
		{"refund ends", refundEndOutcomes()},
		{"refund events", refundEventOutcomes()},
		{"refund order", refundOrderOutcomes()},
		{"refund inbox", refundInboxOutcomes()},
		{"refund lines", refundLineOutcomes()},
		{"refund repair", refundRepairOutcomes()},
		{"refund sources", refundSourceOutcomes()},
		{"payouts", payoutOutcomes()},
		{"payout events", payoutEventOutcomes()},
		{"payouts told of", payoutToldOutcomes()},
		{"charge keys", chargeKeyOutcomes()},
		{"refund keys", refundKeyOutcomes()},
		{"purging keys", purgeKeyOutcomes()},
		{"operators", operatorOutcomes()},
		{"attachments", attachOutcomes()},
		{"closing", closingOutcomes()},
		{"lists", listOutcomes()},
		{"context", contextOutcomes()},
		{"concurrency", concurrencyOutcomes()},
		{"refund concurrency", refundConcurrencyOutcomes()},
	} {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, o := range g.outcomes {
				t.Run(o.name, func(t *testing.T) {
					t.Parallel()
					o.check(newFixture(t, open))
				})
			}
		})
	}
}
