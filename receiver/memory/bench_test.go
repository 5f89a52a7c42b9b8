package memory

import (
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// One event from its item to its booking, charge included, by four commands.
func BenchmarkBookOne(b *testing.B) {
	for _, observed := range []bool{false, true} {
		b.Run(map[bool]string{false: "unobserved", true: "observed"}[observed], func(b *testing.B) {
			var observe func(*receiver.ChangeSet)
			if observed {
				observe = func(*receiver.ChangeSet) {}
			}
			s := newStore(observe)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				book(b, s, n)
			}
		})
	}
}

// Append, claim and apply of one event, as a worker does it.
func BenchmarkAppendClaimApply(b *testing.B) {
	ctx := b.Context()
	s := newStore(nil)
	code := testCharge(0)
	code.Kind, code.State, code.Due = receiver.ChargeStatic, receiver.ChargeActive, 0
	if _, err := s.CreateCharges(ctx, []receiver.NewCharge{{Charge: code}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		item := testItem(n)
		item.Credit.TxID = code.TxID
		if _, err := s.AppendInbox(ctx, []receiver.InboxItem{item}); err != nil {
			b.Fatal(err)
		}
		apply(b, s, 1)
	}
}

// A small run on a store of its own: 100 payments, 600 commands.
func BenchmarkSmallRun(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := newStore(func(*receiver.ChangeSet) {})
		for n := range 100 {
			book(b, s, n)
		}
		finishRun(b, s, 100, 1)
	}
}

// A whole run over 50,000 payments: charges, inbox, booking, outbox, statement.
func BenchmarkBook50000(b *testing.B) {
	const payments, batch = 50_000, 500
	b.ReportAllocs()
	for b.Loop() {
		s := newStore(func(*receiver.ChangeSet) {})
		for from := 0; from < payments; from += batch {
			charges := make([]receiver.NewCharge, batch)
			items := make([]receiver.InboxItem, batch)
			for i := range batch {
				charges[i] = receiver.NewCharge{Charge: testCharge(from + i), At: testStart()}
				items[i] = testItem(from + i)
			}
			if _, err := s.CreateCharges(b.Context(), charges); err != nil {
				b.Fatal(err)
			}
			if _, err := s.AppendInbox(b.Context(), items); err != nil {
				b.Fatal(err)
			}
		}
		for from := 0; from < payments; from += batch {
			apply(b, s, batch)
		}
		finishRun(b, s, payments, batch)
	}
}

// finishRun sends the outbox and matches the statement.
func finishRun(b *testing.B, s *Store, payments, batch int) {
	ctx := b.Context()
	for from := 0; from < payments; from += batch {
		out, err := s.LeaseOutbox(ctx, receiver.Lease{Now: testStart(), For: time.Minute, Limit: batch})
		if err != nil || len(out) != batch {
			b.Fatalf("leased %d, error %v", len(out), err)
		}
		results := make([]receiver.OutboxResult, len(out))
		lines := make([]pix.StatementLine, batch)
		for i, o := range out {
			results[i] = receiver.OutboxResult{ID: o.ID, Version: o.Version, Sent: true}
			lines[i] = pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: o.EndToEndID, Cents: 1000}
		}
		if _, err := s.FinishOutbox(ctx, results); err != nil {
			b.Fatal(err)
		}
		if _, err := s.MatchStatement(ctx, lines); err != nil {
			b.Fatal(err)
		}
	}
}
