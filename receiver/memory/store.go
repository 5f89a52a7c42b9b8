package memory

import (
	"context"
	"sync"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// Config is what a store is made of.
type Config struct {
	// Rules decide what a Pix means.
	Rules receiver.Rules
	// Now is the store's clock. It is asked without the lock.
	Now func() time.Time
	// Observe, where set, is called at each commit that changed a row, inside
	// the lock: it must not call the store. The set and its slices are the
	// store's and are used again by the next commit. The rows it points to are
	// never written again, so that they may be kept, and must not be written.
	Observe func(*receiver.ChangeSet)
	// Slim forgets what nothing comes back to, for a run of very many Pix: the raw
	// bytes of an item that could be read, the BR code of a charge once it is paid,
	// a transaction once it is committed and summed, and an outbox event once it is
	// sent, but for its number.
	Slim bool
}

// Store is a receiver.Store in memory. Make it with [New]; it may be used by
// many goroutines.
type Store struct {
	cfg Config

	mu       sync.Mutex
	events   eventTable
	variants variantTable
	keys     keyTable
	charges  chargeTable
	payments paymentTable
	refunds  refundTable
	payouts  payoutTable
	memos    memoTable
	cases    caseTable
	outbox   outboxTable
	ledger   ledger
	findings findingTable
	reports  map[string]report // by day
	windows  []receiver.Window // the window with id n is at n-1
	records  []receiver.OperatorRecord
	duties   map[receiver.Queue]*duty

	tx      Tx // the one transaction there can be
	changes receiver.ChangeSet
}

var _ receiver.Store = (*Store)(nil)

// New makes an empty store. Rules may be zero; Now must be set.
func New(cfg Config) *Store {
	s := &Store{
		cfg:      cfg,
		events:   newEventTable(),
		keys:     newKeyTable(),
		charges:  newChargeTable(),
		payments: newPaymentTable(),
		refunds:  newRefundTable(),
		payouts:  newPayoutTable(),
		memos:    memoTable{rows: map[string]*receiver.Memo{}},
		cases:    caseTable{rows: map[string]*receiver.Case{}},
		outbox:   newOutboxTable(),
		ledger:   newLedger(),
		findings: newFindingTable(),
		reports:  map[string]report{},
		duties:   map[receiver.Queue]*duty{},
	}
	s.tx.s = s
	return s
}

// Now is Config.Now.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	return s.cfg.Now(), nil
}

// Exec runs fn as one transaction under the name given to Observe. What fn put
// stands if it returns nil and is undone if it returns an error, which Exec
// hands on, or panics. fn runs inside the lock: it must not call the store, nor
// keep the Tx.
func (s *Store) Exec(ctx context.Context, name string, fn func(tx *Tx) error) error {
	tx, err := s.begin(ctx, name)
	if err != nil {
		return err
	}
	defer tx.end()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.commit()
}

// Transactions are the ledger's transactions in the order posted, none where
// the store is slim.
func (s *Store) Transactions() []receiver.Transaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]receiver.Transaction, len(s.ledger.rows))
	for i, t := range s.ledger.rows {
		out[i] = cloneTransaction(t)
	}
	return out
}

// Balance is the sum of the entries on an account: positive is a debit balance.
func (s *Store) Balance(a receiver.Account) pix.Amount {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.balances[a]
}
