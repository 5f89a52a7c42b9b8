package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// The same commands give the same change sets, byte for byte, where many rows
// change at once.
func TestSameCommandsSameChanges(t *testing.T) {
	t.Parallel()
	first, second := changesOfRun(t), changesOfRun(t)
	if first != second {
		t.Errorf("got two runs that differ:\n%s\n%s", first, second)
	}
	if got, want := strings.Count(first, "CreateCharges"), 1; got != want {
		t.Errorf("charges made: got %d commits, want %d", got, want)
	}
}

// changesOfRun books payments before their one charge is made, sends and
// matches, and returns every change set as text.
func changesOfRun(t *testing.T) string {
	t.Helper()
	const payments = 40
	var out strings.Builder
	s := newStore(func(cs *receiver.ChangeSet) { write(&out, cs) })
	repairs := make([]receiver.Repair, payments)
	lines := make([]pix.StatementLine, payments)
	for i := range payments {
		n := (i * 7) % payments
		repairs[i] = receiver.Repair{Item: testItem(n), Now: testStart()}
		repairs[i].Item.Credit.TxID = testCharge(1).TxID
		lines[i] = pix.StatementLine{Kind: pix.KindPixIn, EndToEndID: testID(n), Cents: 1000}
	}
	if _, err := s.RepairEvents(t.Context(), repairs); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateCharges(t.Context(), []receiver.NewCharge{{Charge: testCharge(1), At: testStart()}}); err != nil {
		t.Fatal(err)
	}
	refunds := make([]receiver.NewRefund, payments)
	for i := range payments {
		refunds[i] = receiver.NewRefund{At: testStart(), Refund: receiver.Refund{
			Consumer: "shop", Reference: fmt.Sprint("refund-", i), EndToEndID: testID((i * 3) % payments), Amount: 400,
		}}
	}
	if _, err := s.ReserveRefunds(t.Context(), refunds); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LeaseRefunds(t.Context(), receiver.Lease{Now: testStart(), Limit: payments}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LeaseOutbox(t.Context(), receiver.Lease{Now: testStart(), Limit: payments}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.MatchStatement(t.Context(), lines); err != nil {
		t.Fatal(err)
	}
	dump := s.Dump()
	write(&out, &dump)
	return out.String()
}

// write writes a change set, rows in their order and pointers followed.
func write(out *strings.Builder, cs *receiver.ChangeSet) {
	fmt.Fprintln(out, cs.Command, cs.Variants, cs.Transactions, cs.Operators)
	for _, c := range cs.Events {
		fmt.Fprintln(out, c.After.ID, c.After.State, c.After.Reason, c.After.Attempts, *c.After.Credit)
	}
	for _, c := range cs.Charges {
		writeRows(out, c.Before, c.After)
	}
	for _, c := range cs.Payments {
		writeRows(out, c.Before, c.After)
	}
	for _, c := range cs.Refunds {
		writeRows(out, c.Before, c.After)
	}
	for _, c := range cs.Cases {
		writeRows(out, c.Before, c.After)
	}
	for _, c := range cs.Outbox {
		writeRows(out, c.Before, c.After)
	}
}

func writeRows[T any](out *strings.Builder, before, after *T) {
	if before != nil {
		fmt.Fprintf(out, "%+v -> ", *before)
	}
	fmt.Fprintf(out, "%+v\n", *after)
}
