package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func contextOutcomes() []outcome {
	return []outcome{
		{"a command whose context is over does nothing", contextOver},
		{"an empty batch is no error", emptyBatches},
	}
}

// command is one store command with an input that would change something.
type command struct {
	name string
	run  func(ctx context.Context) error
}

// only drops a command's answer.
func only[V any](_ V, err error) error { return err }

// both drops a command's two answers.
func both[V, W any](_ V, _ W, err error) error { return err }

func (f *fixture) chargeCommands() []command {
	s := f.store
	return []command{
		{"Now", func(ctx context.Context) error { return only(s.Now(ctx)) }},
		{"CreateCharges", func(ctx context.Context) error {
			return only(s.CreateCharges(ctx, []receiver.NewCharge{f.newCharge(2, 5)}))
		}},
		{"FindCharges", func(ctx context.Context) error { return only(s.FindCharges(ctx, []receiver.ChargeRef{refOf(1)})) }},
		{"RecordCalls", func(ctx context.Context) error {
			return only(s.RecordCalls(ctx, []receiver.ChargeCall{{Ref: refOf(1), State: receiver.ChargeRemoved}}))
		}},
		{"LeaseCharges", func(ctx context.Context) error { return only(s.LeaseCharges(ctx, f.lease(9))) }},
	}
}

func (f *fixture) inboxCommands(e receiver.Event) []command {
	s := f.store
	return []command{
		{"AppendInbox", func(ctx context.Context) error {
			return only(s.AppendInbox(ctx, []receiver.InboxItem{f.item(f.credit(9, 0, 1))}))
		}},
		{"ClaimEvents", func(ctx context.Context) error { return only(s.ClaimEvents(ctx, f.lease(9))) }},
		{"ApplyEvents", func(ctx context.Context) error {
			return only(s.ApplyEvents(ctx, []receiver.Application{f.application(e, nil)}))
		}},
		{"DeferEvents", func(ctx context.Context) error {
			return only(s.DeferEvents(ctx, []receiver.Deferral{{EventID: e.ID, Version: e.Version, Quarantine: receiver.QuarantineBad}}))
		}},
		{"ListEvents", func(ctx context.Context) error { return only(s.ListEvents(ctx, receiver.EventQuery{})) }},
		{"RequeueEvents", func(ctx context.Context) error {
			return only(s.RequeueEvents(ctx, []receiver.Decision{{EventID: e.ID, Now: f.now()}}))
		}},
		{"DropEvents", func(ctx context.Context) error {
			return only(s.DropEvents(ctx, []receiver.Decision{{EventID: e.ID, Now: f.now()}}))
		}},
	}
}

func (f *fixture) otherCommands() []command {
	s := f.store
	return []command{
		{"BeginDuty", func(ctx context.Context) error {
			return both(s.BeginDuty(ctx, receiver.DutyClaim{Name: receiver.DutySweep, Now: f.now(), For: lease}))
		}},
		{"SaveDuty", func(ctx context.Context) error {
			return only(s.SaveDuty(ctx, receiver.Duty{Name: receiver.DutySweep}, true))
		}},
		{"LeaseOutbox", func(ctx context.Context) error { return only(s.LeaseOutbox(ctx, f.lease(9))) }},
		{"FinishOutbox", func(ctx context.Context) error { return only(s.FinishOutbox(ctx, []receiver.OutboxResult{{ID: 1}})) }},
		{"MatchStatement", func(ctx context.Context) error {
			return only(s.MatchStatement(ctx, []pix.StatementLine{f.line(5, 100)}))
		}},
		{"RepairEvents", func(ctx context.Context) error {
			return only(s.RepairEvents(ctx, []receiver.Repair{f.repair(f.credit(8, 0, 1))}))
		}},
		{"UnseenPayments", func(ctx context.Context) error { return only(s.UnseenPayments(ctx, receiver.UnseenQuery{})) }},
		{"UnseenRefunds", func(ctx context.Context) error {
			return only(s.UnseenRefunds(ctx, receiver.UnseenRefundQuery{}))
		}},
		{"PostAdjustments", func(ctx context.Context) error {
			return only(s.PostAdjustments(ctx, []receiver.Adjustment{{EndToEndID: e2e(5), Want: 1, Now: f.now()}}))
		}},
		{"ListCases", func(ctx context.Context) error { return only(s.ListCases(ctx, receiver.CaseQuery{})) }},
		{"AttachPayments", func(ctx context.Context) error {
			return only(s.AttachPayments(ctx, []receiver.Attachment{{EndToEndID: e2e(5), Charge: refOf(1), Now: f.now()}}))
		}},
		{"CloseCases", func(ctx context.Context) error {
			return only(s.CloseCases(ctx, []receiver.CaseClosing{{CaseID: receiver.UnidentifiedCase(e2e(5)), To: receiver.AccountToReturn, Now: f.now()}}))
		}},
		{"ReserveRefunds", func(ctx context.Context) error {
			return only(s.ReserveRefunds(ctx, []receiver.NewRefund{f.newRefund(2, 5, 10)}))
		}},
		{"FindRefunds", func(ctx context.Context) error {
			return only(s.FindRefunds(ctx, []receiver.RefundRef{refundRef(1)}))
		}},
		{"LeaseRefunds", func(ctx context.Context) error { return only(s.LeaseRefunds(ctx, f.lease(9))) }},
		{"RecordRefunds", func(ctx context.Context) error {
			return only(s.RecordRefunds(ctx, []receiver.RefundCall{{Ref: refundRef(1), Refused: true, Now: f.now()}}))
		}},
		{"ReservePayouts", func(ctx context.Context) error {
			return only(s.ReservePayouts(ctx, []receiver.NewPayout{f.newPayout(2, 10)}))
		}},
		{"FindPayouts", func(ctx context.Context) error {
			return only(s.FindPayouts(ctx, []receiver.PayoutRef{payoutRef(1)}))
		}},
		{"ListPayouts", func(ctx context.Context) error { return only(s.ListPayouts(ctx, receiver.PayoutQuery{})) }},
		{"LeasePayouts", func(ctx context.Context) error { return only(s.LeasePayouts(ctx, f.lease(9))) }},
		{"RecordPayouts", func(ctx context.Context) error {
			return only(s.RecordPayouts(ctx, []receiver.PayoutCall{{Ref: payoutRef(1), Refused: true, Now: f.now()}}))
		}},
		{"ResolvePayouts", func(ctx context.Context) error {
			return only(s.ResolvePayouts(ctx, []receiver.PayoutResolution{{Ref: payoutRef(1), Action: receiver.ResolveFailed, Note: "why", Now: f.now()}}))
		}},
		{"PutMemos", func(ctx context.Context) error {
			return only(s.PutMemos(ctx, []receiver.Memo{{ID: "M1", EndToEndID: e2e(5), Amount: 1000, At: f.now()}}))
		}},
		{"FindKeys", func(ctx context.Context) error {
			return only(s.FindKeys(ctx, []receiver.KeyRef{f.keyClaim(1, "a").Ref}))
		}},
		{"ReleaseKeys", func(ctx context.Context) error {
			return only(s.ReleaseKeys(ctx, []receiver.KeyHold{{Ref: f.keyClaim(1, "a").Ref, Version: 1, At: f.now()}}))
		}},
		{"PurgeKeys", func(ctx context.Context) error {
			return only(s.PurgeKeys(ctx, receiver.KeyPurge{Before: f.now(), Now: f.now(), Limit: 9}))
		}},
		{"NextDue", func(ctx context.Context) error { return both(s.NextDue(ctx, receiver.QueueInbox)) }},
	}
}

func (f *fixture) bookCommands() []command {
	s := f.store
	return []command{
		{"ListOutbox", func(ctx context.Context) error { return only(s.ListOutbox(ctx, receiver.OutboxQuery{})) }},
		{"ReplayOutbox", func(ctx context.Context) error {
			return only(s.ReplayOutbox(ctx, []receiver.Decision{{EventID: 1, Now: f.now()}}))
		}},
		{"SkipOutbox", func(ctx context.Context) error {
			return only(s.SkipOutbox(ctx, []receiver.Decision{{EventID: 1, Now: f.now()}}))
		}},
		{"ListRecords", func(ctx context.Context) error { return only(s.ListRecords(ctx, receiver.RecordQuery{})) }},
		{"ListFindings", func(ctx context.Context) error { return only(s.ListFindings(ctx, receiver.FindingQuery{})) }},
		{"CloseDay", func(ctx context.Context) error {
			return only(s.CloseDay(ctx, receiver.DayClosing{Day: "2026-03-01", Body: []byte("x"), Now: f.now()}))
		}},
		{"FindReport", func(ctx context.Context) error { return both(s.FindReport(ctx, "2026-03-01")) }},
		{"RequestWindow", func(ctx context.Context) error {
			return only(s.RequestWindow(ctx, receiver.Window{From: start(), To: f.now(), RequestedAt: f.now()}))
		}},
		{"ListWindows", func(ctx context.Context) error { return only(s.ListWindows(ctx, receiver.WindowQuery{})) }},
		{"FinishWindow", func(ctx context.Context) error {
			return only(s.FinishWindow(ctx, receiver.Window{ID: 1, FinishedAt: f.now()}))
		}},
	}
}

func contextOver(f *fixture) {
	f.charged(1, 1000)
	f.booked(f.credit(5, 0, 100))
	f.reserved(1, 5, 40)
	f.append(f.item(f.credit(1, 1, 1000)))
	e := f.claimed()
	over, cancel := context.WithCancel(f.ctx())
	cancel()
	for _, c := range slices.Concat(f.chargeCommands(), f.inboxCommands(e), f.otherCommands(), f.bookCommands()) {
		if err := c.run(over); !errors.Is(err, context.Canceled) {
			f.Errorf("%s: got error %v, want that the context is cancelled", c.name, err)
		}
	}
	equal(f, "charge", f.charge(1).State, receiver.ChargeActive)
	f.inState(e.ID, receiver.EventReceived)
	f.caseIs(receiver.UnidentifiedCase(e2e(5)), receiver.CaseOpen, receiver.AccountUnidentified, 60, receiver.ReasonUnidentified, receiver.ReasonRefunded)
	f.refundIn(1, receiver.RefundReserved)
	equal(f, "refund attempts", f.refund(1).Attempts, 0)
	f.reserved(3, 5, 60)
	count(f, "unseen", f.unseen(), 1)
	count(f, "outbox", f.sent(), 1)
	count(f, "events", f.eventIDs(receiver.EventQuery{}), 2)
	f.applied(e, nil, receiver.ApplyBooked)
}

func emptyBatches(f *fixture) {
	count(f, "charges", f.create(), 0)
	count(f, "calls", f.record(), 0)
	count(f, "inbox", f.append(), 0)
	count(f, "applications", f.apply(), 0)
	count(f, "results", f.finish(), 0)
	count(f, "lines", f.match(), 0)
	count(f, "refunds", f.reserve(), 0)
	count(f, "refund calls", f.recordRefunds(), 0)
	count(f, "payouts", f.reservePayouts(), 0)
	count(f, "payout calls", f.recordPayouts(), 0)
	count(f, "keys released", f.release(), 0)
	count(f, "keys found", f.findKeys(), 0)
}
