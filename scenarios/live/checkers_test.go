package live

import (
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// TestCheckersFindWhatALiveRunLeft takes what a good run left behind, spoils it
// in one way each, and wants that invariant named.
func TestCheckersFindWhatALiveRunLeft(t *testing.T) {
	t.Parallel()
	l := newLab(t, usual(), nobody{}, false)
	l.deaf = false
	list := l.pay(3, 1)
	l.until("all are confirmed", func() bool {
		rows := l.rows()
		return len(rows.Payments) == 3 && !slices.ContainsFunc(rows.Payments, func(p receiver.PaymentChange) bool { return !p.After.Confirmed })
	})
	if got := l.askBack(list[0].EndToEndID, 0, 1); got[202] != 1 {
		t.Fatalf("refund: %v", got)
	}
	good := l.outcome()
	if r := scenarios.Judge(good); r.Verdict != scenarios.Held {
		t.Fatalf("the good run: %+v", r.Invariants)
	}
	spoiled := good
	spoiled.Rows.Events = slices.Clone(good.Rows.Events)
	e := *spoiled.Rows.Events[0].After
	e.ReceivedAt = e.ReceivedAt.Add(time.Minute) // by a sweep, say
	spoiled.Rows.Events[0].After = &e
	if r := scenarios.Judge(spoiled); r.FirstBroken() != "I5" {
		t.Errorf("a row that is younger than its acknowledgement breaks %q", r.FirstBroken())
	}
	for invariant, spoil := range map[string]func(o *scenarios.Outcome){
		"I1": func(o *scenarios.Outcome) {
			twice := o.Rows.Transactions[0]
			twice.Reference = "again"
			o.Rows.Transactions = append(slices.Clone(o.Rows.Transactions), twice)
		},
		"I2": func(o *scenarios.Outcome) { o.Rows.Transactions = o.Rows.Transactions[1:] },
		"I3": func(o *scenarios.Outcome) { o.Settled = o.Settled[1:] },
		"I4": func(o *scenarios.Outcome) { o.Statement = o.Statement[1:] },
		"I5": func(o *scenarios.Outcome) { o.Rows.Events = o.Rows.Events[1:] },
		"I6": func(o *scenarios.Outcome) {
			o.Stored = map[receiver.Account]pix.Amount{receiver.AccountSettlement: o.Stored[receiver.AccountSettlement] + 1}
		},
		"I7": func(o *scenarios.Outcome) {
			more := *o.Rows.Refunds[0].After
			more.Reference = "more"
			o.Rows.Refunds = append(slices.Clone(o.Rows.Refunds), receiver.RefundChange{After: &more})
		},
		"I10":   func(o *scenarios.Outcome) { o.Statement = o.Statement[:len(o.Statement)-1] },
		"I11":   func(o *scenarios.Outcome) { o.Replayed = "delivering everything again posted pix:x" },
		"I12":   func(o *scenarios.Outcome) { o.Arrived = map[int64]int{} },
		"I14":   func(o *scenarios.Outcome) { o.Refunds = nil },
		"PSP":   func(o *scenarios.Outcome) { o.Contradiction = "its balance is below zero" },
		"panic": func(o *scenarios.Outcome) { o.Died = "receiver 1: panic" },
	} {
		t.Run(invariant, func(t *testing.T) {
			t.Parallel()
			bad := good
			spoil(&bad)
			r := scenarios.Judge(bad)
			found := func(i scenarios.InvariantResult) bool { return i.ID == invariant && !i.Held && i.Detail != "" }
			if r.Verdict != scenarios.Violated || !slices.ContainsFunc(r.Invariants, found) {
				t.Errorf("verdict %s, %+v", r.Verdict, r.Invariants)
			}
		})
	}
}
