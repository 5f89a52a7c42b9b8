package receiver

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Account is one account of the ledger.
type Account string

// The accounts that Pix received, their refunds, and payouts move.
const (
	// AccountSettlement is what the PSP holds for us. Every line of it has one
	// line of the account statement.
	AccountSettlement Account = "psp:pix:liquidar"
	// AccountRevenue is what was sold and paid.
	AccountRevenue Account = "merchant:receita"
	// AccountToReturn is money that payers sent beyond what they owed.
	AccountToReturn Account = "merchant:credito_a_devolver"
	// AccountRefunds is what was returned of what was sold: revenue is not
	// lowered by it.
	AccountRefunds Account = "merchant:devolucoes"
	// AccountInProcess is money whose refund was asked for, or may have been.
	AccountInProcess Account = "devolucao:em_processamento"
	// AccountPaidOut is what was sent to others, or is on its way.
	AccountPaidOut Account = "payout:pago"
	// AccountInTransit is money whose payout was asked for, or may have been.
	AccountInTransit Account = "payout:em_transito"
	// AccountUndecided is money of payouts that came back; a person decides.
	AccountUndecided Account = "payout:a_decidir"
	// AccountDivergence is money whose amount does not fit its charge or the
	// statement; a person decides.
	AccountDivergence Account = "suspense:divergencia"
	// AccountUnidentified is money under our key that names no charge of ours.
	AccountUnidentified Account = "suspense:nao_identificado"
)

// Suspense says whether a balance on the account needs an open case.
func (a Account) Suspense() bool {
	return a == AccountDivergence || a == AccountUnidentified
}

// Entry is one side of a transaction: positive cents are a debit, negative a credit.
type Entry struct {
	Account    Account
	Cents      pix.Amount
	EndToEndID pix.EndToEndID
	// ReturnID names the refund, or the return of a payout, whose line of the
	// statement the entry is; empty
	// on the credit's own and on entries of other accounts.
	ReturnID pix.ReturnID
	// Charge is the reference of the charge that the money belongs to, if any.
	Charge string
}

// Transaction is one balanced set of entries. It is never changed: what turns
// out wrong is answered by another transaction.
type Transaction struct {
	ID int64
	// Reference is unique in the ledger: posting twice is refused by the store.
	Reference string
	BookedAt  time.Time
	Entries   []Entry
}

// Validate refuses a transaction without a reference, with fewer than two
// entries, with an entry of zero, or whose entries do not sum to zero.
func (t Transaction) Validate() error {
	if t.Reference == "" {
		return fmt.Errorf("transaction: want a reference")
	}
	if len(t.Entries) < 2 {
		return fmt.Errorf("transaction %s: want two entries or more, got %d", t.Reference, len(t.Entries))
	}
	var sum pix.Amount
	for _, e := range t.Entries {
		if e.Cents == 0 {
			return fmt.Errorf("transaction %s: entry of zero on %s", t.Reference, e.Account)
		}
		sum += e.Cents
	}
	if sum != 0 {
		return fmt.Errorf("transaction %s: entries sum to %d cents, want 0", t.Reference, sum)
	}
	return nil
}

// CreditReference is the ledger reference of a Pix received.
func CreditReference(id pix.EndToEndID) string { return "pix:" + string(id) }

// AdjustReference is the ledger reference of a case's first adjustment; further
// ones are numbered from 2 (":2").
func AdjustReference(caseID string) string { return "ajuste:" + caseID }

// CaseReference is the ledger reference of the posting that ends a case.
func CaseReference(caseID string) string { return "caso:" + caseID }
