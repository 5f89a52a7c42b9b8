package scenarios

import (
	"context"
	"net/http"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// Receiver is a receiver that a world can run: the reference, or one that is
// wrong in one known way.
type Receiver struct {
	Name string
	// Doc says in one sentence what it does, or what is wrong with it.
	Doc string
	// Invariant is the one that a run on it breaks; empty on the reference.
	Invariant string
	Build     Build
}

// Env is what one life of one instance is built from.
type Env struct {
	Config  receiver.Config
	Store   receiver.Store
	Workers int
	// NewLatch makes what an actor of the instance waits at for another; nil where
	// there is only one.
	NewLatch func() receiver.Latch
}

// Built is a running instance: its front door and its background work.
type Built struct {
	Handler http.Handler
	Steps   []receiver.Step
	// Batcher, where set, is what callbacks share commits by; the world flushes it.
	Batcher *receiver.Batcher
}

// Build makes an instance. It is called again at every restart, so what it
// keeps in memory is lost in a crash, as it should be.
type Build func(Env) (Built, error)

// Raw is a store with transactions of a receiver's own, for receivers that do
// what no named command would.
type Raw interface {
	Exec(ctx context.Context, command string, subjects []string, fn func(tx *memory.Tx) error) error
}

// Exec runs a transaction of the receiver's own on the env's store.
func (e Env) Exec(ctx context.Context, command string, subjects []string, fn func(tx *memory.Tx) error) error {
	return e.Store.(Raw).Exec(ctx, command, subjects, fn)
}

// Reference is the receiver of package receiver, as it is.
func Reference() Receiver {
	return Receiver{Name: "reference", Doc: "the reference receiver", Build: buildReference}
}

func buildReference(e Env) (Built, error) {
	if e.NewLatch == nil { // nobody waits for anybody: each callback has a commit of its own
		r, err := receiver.New(e.Config, e.Store)
		if err != nil {
			return Built{}, err
		}
		return Built{Handler: r.Handler(), Steps: r.Steps(e.Workers)}, nil
	}
	b := receiver.NewBatcher(e.Store, receiver.BatchConfig{Clock: e.Config.Clock, NewLatch: e.NewLatch})
	r, err := receiver.New(e.Config, b)
	if err != nil {
		return Built{}, err
	}
	return Built{Handler: r.Handler(), Steps: r.Steps(e.Workers), Batcher: b}, nil
}
