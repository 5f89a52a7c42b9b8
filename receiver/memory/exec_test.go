package memory

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

const testKey = pix.PixKey("shop@ex")

func testStart() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

func newStore(observe func(*receiver.ChangeSet)) *Store {
	return New(Config{
		Rules: receiver.Rules{Keys: []pix.PixKey{testKey}}, Now: testStart, Observe: observe,
	})
}

func testID(n int) pix.EndToEndID {
	return pix.EndToEndID(fmt.Sprintf("E12345678202603021159%011d", n))
}

func testCharge(n int) receiver.Charge {
	return receiver.Charge{
		Consumer: "shop", Reference: fmt.Sprintf("order-%d", n), Kind: receiver.ChargeDynamic,
		TxID: pix.TxID(fmt.Sprintf("tx%030d", n)), PixKey: testKey, Due: 1000, ExpiresIn: time.Hour,
		State: receiver.ChargeIntended, DueAt: testStart(),
	}
}

func testItem(n int) receiver.InboxItem {
	c := receiver.Credit{
		EndToEndID: testID(n), TxID: testCharge(n).TxID, PixKey: testKey, Amount: 1000, PaidAt: testStart(),
	}
	return receiver.InboxItem{
		Source: "psp", Key: receiver.CreditKey(c.EndToEndID), Channel: receiver.ChannelCallback,
		Credit: &c, Raw: []byte("{}"), ReceivedAt: testStart(),
	}
}

// book takes Pix n from its item to its booking.
func book(t testing.TB, s *Store, n int) {
	t.Helper()
	ctx := t.Context()
	if _, err := s.CreateCharges(ctx, []receiver.NewCharge{{Charge: testCharge(n), At: testStart()}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendInbox(ctx, []receiver.InboxItem{testItem(n)}); err != nil {
		t.Fatal(err)
	}
	apply(t, s, 1)
}

// apply claims and books up to limit events, and wants each to be booked.
func apply(t testing.TB, s *Store, limit int) {
	events, err := s.ClaimEvents(t.Context(), receiver.Lease{Holder: "w", Now: testStart(), For: time.Minute, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	apps := make([]receiver.Application, len(events))
	for i, e := range events {
		apps[i] = receiver.Application{EventID: e.ID, Version: e.Version, Now: testStart()}
	}
	outs, err := s.ApplyEvents(t.Context(), apps)
	if err != nil {
		t.Fatal(err)
	}
	for i, out := range outs {
		if out.Result != receiver.ApplyBooked {
			t.Fatalf("apply event %d: got %+v, want booked", apps[i].EventID, out)
		}
	}
}

// everything puts a row into every table, twice where a row can change.
func everything(tx *Tx) error {
	id, err := tx.PutEvent(receiver.Event{
		Source: "psp", Key: "pix:new", State: receiver.EventReceived, DueAt: tx.Now(),
		Credit: &receiver.Credit{EndToEndID: testID(9), Amount: 5},
	})
	if err != nil {
		return err
	}
	e, _ := tx.Event(id)
	e.State, e.Quarantine = receiver.EventQuarantined, receiver.QuarantineWaiting
	e.Credit.TxID = "waited-for"
	old, _ := tx.EventByKey("psp", receiver.CreditKey(testID(1)))
	old.State = receiver.EventReceived
	for _, e := range []receiver.Event{e, old} {
		if _, err := tx.PutEvent(e); err != nil {
			return err
		}
	}
	tx.AddVariant(receiver.Variant{EventID: id})
	c, _ := tx.ChargeByTxID(testCharge(1).TxID)
	c.TxID = "moved"
	if err := errors.Join(tx.PutCharge(c), tx.PutCharge(testCharge(7))); err != nil {
		return err
	}
	p, _ := tx.Payment(testID(1))
	p.InStatement = true
	tx.PutPayment(p)
	tx.PutPayment(receiver.Payment{EndToEndID: testID(9), TxID: "any", Disposition: receiver.DispositionUnidentified})
	if err := errors.Join(tx.Post(pair("one", testID(9), 500)), everyRefund(tx)); err != nil {
		return err
	}
	for _, cents := range []pix.Amount{500, 1} {
		tx.OpenCase(receiver.CaseNote{ID: "case", Account: receiver.AccountDivergence, Amount: cents, Reason: "r"}, testID(9), tx.Now())
	}
	tx.CloseCase("case", "note", tx.Now())
	tx.Record(receiver.OperatorRecord{Operator: "ana"})
	o := receiver.OutboxEvent{EndToEndID: testID(1), Endpoint: receiver.DefaultEndpoint, Number: 2, Sent: true}
	o.ID = tx.AddOutbox(receiver.OutboxEvent{EndToEndID: o.EndToEndID, Number: o.Number})
	return tx.PutOutbox(o)
}

// everyRefund puts refunds, a line of the ledger for one, a memo and a waiting
// event.
func everyRefund(tx *Tx) error {
	ours := receiver.Refund{
		Consumer: "shop", Reference: "refund-1", EndToEndID: testID(1), ID: "R1", Amount: 5,
		Origin: receiver.RefundByMerchant, State: receiver.RefundReserved, DueAt: tx.Now(),
	}
	done, theirs := ours, ours
	done.State, done.ReturnID = receiver.RefundReturned, "D1"
	theirs.Origin, theirs.Reference, theirs.ReturnID, theirs.State = receiver.RefundByPSP, "", "D2", receiver.RefundReturned
	line := pair("refund", testID(1), -5)
	line.Entries[0].ReturnID = done.ReturnID
	_, err := tx.PutEvent(receiver.Event{
		Source: "psp", Key: "dev:waiting", State: receiver.EventQuarantined, Quarantine: receiver.QuarantineWaiting,
		Refund: &receiver.RefundContent{EndToEndID: testID(1), ID: "R9"},
	})
	tx.PutMemo(receiver.Memo{ID: "memo", Amount: 5})
	tx.PutMemo(receiver.Memo{ID: "memo", Amount: 5, Released: true})
	return errors.Join(err, tx.PutRefund(ours), tx.PutRefund(done), tx.PutRefund(theirs), tx.Post(line))
}

func pair(reference string, id pix.EndToEndID, cents pix.Amount) receiver.Transaction {
	return receiver.Transaction{Reference: reference, Entries: []receiver.Entry{
		{Account: receiver.AccountSettlement, Cents: cents, EndToEndID: id},
		{Account: receiver.AccountRevenue, Cents: -cents, EndToEndID: id},
	}}
}

func TestExecUndoesAllOnError(t *testing.T) {
	t.Parallel()
	commits := 0
	s := newStore(func(*receiver.ChangeSet) { commits++ })
	book(t, s, 1)
	before, seen := s.Dump(), commits
	refused := errors.New("refused")
	err := s.Exec(t.Context(), "try", func(tx *Tx) error {
		if err := everything(tx); err != nil {
			t.Error(err)
		}
		if err := verify(s); err != nil {
			t.Errorf("inside: %v", err)
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("got %v, want %v", err, refused)
	}
	if commits != seen {
		t.Errorf("observed %d commits, want %d", commits, seen)
	}
	untouched(t, s, before)
}

func TestExecUndoesAllOnPanic(t *testing.T) {
	t.Parallel()
	s := newStore(nil)
	book(t, s, 1)
	before := s.Dump()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("got no panic, want it handed on")
			}
		}()
		_ = s.Exec(t.Context(), "try", func(tx *Tx) error {
			_ = everything(tx)
			panic("crash")
		})
	}()
	untouched(t, s, before)
}

func untouched(t *testing.T, s *Store, before receiver.ChangeSet) {
	t.Helper()
	if err := verify(s); err != nil {
		t.Error(err)
	}
	if after := s.Dump(); !reflect.DeepEqual(before, after) {
		t.Errorf("got %+v, want %+v", after, before)
	}
	book(t, s, 2)
	if err := verify(s); err != nil {
		t.Errorf("after going on: %v", err)
	}
}

func TestExecTellsOneChangeARow(t *testing.T) {
	t.Parallel()
	var got *receiver.ChangeSet
	var s *Store
	s = newStore(func(cs *receiver.ChangeSet) {
		if cs.Command == "do" {
			c := *cs
			got = &c
		}
		if err := verify(s); err != nil {
			t.Error(err)
		}
	})
	book(t, s, 1)
	if err := s.Exec(t.Context(), "do", everything); err != nil {
		t.Fatal(err)
	}
	counts := [10]int{
		len(got.Events), len(got.Variants), len(got.Charges), len(got.Payments), len(got.Refunds),
		len(got.Memos), len(got.Transactions), len(got.Cases), len(got.Outbox), len(got.Operators),
	}
	if want := [10]int{3, 1, 2, 2, 2, 1, 2, 1, 1, 1}; counts != want {
		t.Fatalf("rows: got %d, want %d", counts, want)
	}
	fresh, old := got.Events[0], got.Events[1]
	if fresh.Before != nil || fresh.After.State != receiver.EventQuarantined {
		t.Errorf("new event: got %+v", fresh)
	}
	if old.Before.State != receiver.EventProcessed || old.After.State != receiver.EventReceived {
		t.Errorf("old event: got %+v", old)
	}
	if r := got.Refunds[0]; r.Before != nil || r.After.State != receiver.RefundReturned {
		t.Errorf("refund: got %+v", r)
	}
	if m := got.Memos[0]; !m.Released {
		t.Errorf("memo: got %+v", m)
	}
	if c := got.Cases[0]; c.Before != nil || c.After.Amount != 501 || c.After.State != receiver.CaseClosed {
		t.Errorf("case: got %+v", c)
	}
}

func TestFoldOfLongJournal(t *testing.T) {
	t.Parallel()
	var got []receiver.CaseChange
	s := newStore(func(cs *receiver.ChangeSet) { got = cs.Cases })
	err := s.Exec(t.Context(), "long", func(tx *Tx) error {
		for i := range 3 * quadratic {
			tx.OpenCase(receiver.CaseNote{ID: fmt.Sprint("case ", i%quadratic), Account: receiver.AccountDivergence, Amount: 1}, "", tx.Now())
		}
		return nil
	})
	if err != nil || len(got) != quadratic {
		t.Fatalf("got %d changes and error %v, want %d", len(got), err, quadratic)
	}
	for _, c := range got {
		if c.Before != nil || c.After.Amount != 3 {
			t.Errorf("%s: got %+v, want made with 3", c.After.ID, c)
		}
	}
}

func TestTxRefusesWhatBreaksTables(t *testing.T) {
	t.Parallel()
	s := newStore(nil)
	book(t, s, 1)
	other := testCharge(2)
	other.TxID = testCharge(1).TxID
	unbalanced := pair("two", testID(1), 5)
	unbalanced.Entries[0].Cents++
	for name, do := range map[string]func(tx *Tx) error{
		"reference used":   func(tx *Tx) error { return tx.Post(pair(receiver.CreditReference(testID(1)), testID(1), 5)) },
		"unbalanced":       func(tx *Tx) error { return tx.Post(unbalanced) },
		"txid of another":  func(tx *Tx) error { return tx.PutCharge(other) },
		"event id unknown": func(tx *Tx) error { _, err := tx.PutEvent(receiver.Event{ID: 99}); return err },
		"event key used": func(tx *Tx) error {
			_, err := tx.PutEvent(receiver.Event{Source: "psp", Key: receiver.CreditKey(testID(1))})
			return err
		},
		"event key changed":  func(tx *Tx) error { _, err := tx.PutEvent(receiver.Event{ID: 1, Source: "psp", Key: "x"}); return err },
		"refund of no rtrId": func(tx *Tx) error { return tx.PutRefund(receiver.Refund{Origin: receiver.RefundByPSP}) },
		"refund of another Pix": func(tx *Tx) error {
			return errors.Join(everyRefund(tx), tx.PutRefund(receiver.Refund{
				Consumer: "shop", Reference: "refund-1", EndToEndID: testID(2), Origin: receiver.RefundByMerchant,
			}))
		},
		"rtrId of another": func(tx *Tx) error {
			return errors.Join(everyRefund(tx), tx.PutRefund(receiver.Refund{
				Consumer: "shop", Reference: "refund-2", EndToEndID: testID(1), Origin: receiver.RefundByMerchant, ReturnID: "D2",
			}))
		},
		"outbox event unknown": func(tx *Tx) error { return tx.PutOutbox(receiver.OutboxEvent{ID: 99}) },
	} {
		if err := s.Exec(t.Context(), name, do); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if got, want := len(s.Transactions()), 1; got != want {
		t.Errorf("transactions: got %d, want %d", got, want)
	}
}

func TestBalancesFollowTheLedger(t *testing.T) {
	t.Parallel()
	s := newStore(nil)
	book(t, s, 1)
	book(t, s, 2)
	for a, want := range map[receiver.Account]pix.Amount{
		receiver.AccountSettlement: 2000, receiver.AccountRevenue: -2000, receiver.AccountToReturn: 0,
	} {
		if got := s.Balance(a); got != want {
			t.Errorf("%s: got %s, want %s", a, got, want)
		}
	}
	got := s.Transactions()
	got[0].Entries[0].Cents = 1
	if again := s.Transactions(); again[0].Entries[0].Cents != 1000 {
		t.Error("what Transactions returned is the ledger's own")
	}
}

func TestObserverHearsOfChangesAlone(t *testing.T) {
	t.Parallel()
	var heard []string
	s := newStore(func(cs *receiver.ChangeSet) { heard = append(heard, cs.Command) })
	book(t, s, 1)
	for range 2 { // the second finds everything as it is
		if _, err := s.AppendInbox(t.Context(), []receiver.InboxItem{testItem(1)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.MatchStatement(t.Context(), []pix.StatementLine{{Kind: pix.KindPixIn, EndToEndID: testID(1), Cents: 1000}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RequeueEvents(t.Context(), []receiver.Decision{{EventID: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"CreateCharges", "AppendInbox", "ClaimEvents", "ApplyEvents", "MatchStatement"}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("got %q, want %q", heard, want)
	}
}

func TestOperatorsAreRecorded(t *testing.T) {
	t.Parallel()
	s := newStore(nil)
	ctx := context.WithoutCancel(t.Context())
	bad := receiver.InboxItem{Source: "psp", Key: "invalid:1", Invalid: "cut"}
	if _, err := s.AppendInbox(ctx, []receiver.InboxItem{bad}); err != nil {
		t.Fatal(err)
	}
	word := []receiver.Decision{{EventID: 1, Operator: "ana", Note: "why", Now: testStart()}}
	for _, command := range []func(context.Context, []receiver.Decision) ([]bool, error){
		s.RequeueEvents, s.RequeueEvents, s.DropEvents,
	} {
		if _, err := command(ctx, word); err != nil {
			t.Fatal(err)
		}
	}
	record := receiver.OperatorRecord{At: testStart(), Operator: "ana", Action: receiver.ActionRequeue, Subject: "invalid:1", Note: "why"}
	want := []receiver.OperatorRecord{record, record}
	want[1].Action = receiver.ActionDrop
	if got := s.Dump().Operators; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTxReadsRefunds(t *testing.T) {
	t.Parallel()
	s := newStore(nil)
	book(t, s, 1)
	err := s.Exec(t.Context(), "refunds", func(tx *Tx) error {
		if err := everyRefund(tx); err != nil {
			return err
		}
		x, ok := tx.Refund(receiver.RefundRef{Consumer: "shop", Reference: "refund-1"})
		if !ok || x.ReturnID != "D1" {
			t.Errorf("by reference: got %+v", x)
		}
		if all := tx.Refunds(testID(1)); len(all) != 2 || all[0].ReturnID != "D1" || all[1].ReturnID != "D2" {
			t.Errorf("of the Pix: got %+v", all)
		}
		if got := tx.Refunds(testID(2)); got != nil {
			t.Errorf("of another Pix: got %+v", got)
		}
		if credit, refund := tx.NetOf(testID(1), ""), tx.NetOf(testID(1), "D1"); credit != 1000 || refund != -5 {
			t.Errorf("net: got %s and %s, want 10.00 and -0.05", credit, refund)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	cs := s.Dump()
	if len(cs.Refunds) != 2 || len(cs.Memos) != 1 {
		t.Errorf("dump: got %d refunds and %d memos, want 2 and 1", len(cs.Refunds), len(cs.Memos))
	}
}
