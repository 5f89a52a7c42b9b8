package scenarios

import (
	"errors"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// Store is what a world keeps everything in. Its commands are atomic: the world
// parks before and after each, and never inside.
type Store interface {
	receiver.Store
	// Balance is the sum of the entries on an account, by the store's own books.
	Balance(a receiver.Account) pix.Amount
}

// OpenStore opens an empty store that goes by a clock and tells of each commit
// that changed a row, before the command returns.
type OpenStore func(rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (Store, error)

func openMemory(rules receiver.Rules, now func() time.Time, observe func(*receiver.ChangeSet)) (Store, error) {
	return memory.New(memory.Config{Rules: rules, Now: now, Observe: observe, Slim: true}), nil
}

// errNoTransactions refuses a receiver's own transactions on a store other than
// that in memory.
var errNoTransactions = errors.New("only the store in memory has transactions of a receiver's own")
