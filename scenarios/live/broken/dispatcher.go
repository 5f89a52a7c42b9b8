package broken

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/receiver"
)

// dispatcherHoldsLock sends as the field once did: a transaction holds the rows
// FOR UPDATE while they are sent, and what became of them is stored on another
// connection, which waits for that lock; the transaction waits for the storing. No
// database sees that deadlock, since one of the two waits is the program's own.
func dispatcherHoldsLock() Receiver {
	return Receiver{
		Name: "dispatcher-holds-lock", Invariant: "I12",
		Doc: "keeps outbox rows locked while it sends them, and stores what became of them on another connection",
		wrap: func(s receiver.Store, url string) receiver.Store {
			return &holding{Store: s, url: url}
		},
	}
}

// holding is a store whose dispatcher holds the lock of what it sends. It is used
// by one dispatcher at a time.
type holding struct {
	receiver.Store
	url  string
	conn *pgx.Conn // with the transaction open, between lease and result
}

const lockRows = `SELECT FROM outbox_event WHERE id = ANY ($1) ORDER BY id FOR UPDATE`

// LeaseOutbox leaves the rows locked.
func (h *holding) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	events, err := h.Store.LeaseOutbox(ctx, in)
	if err != nil || len(events) == 0 {
		return events, err
	}
	ids := make([]int64, len(events))
	for i, o := range events {
		ids[i] = o.ID
	}
	if h.conn, err = pgx.Connect(ctx, h.url); err != nil {
		return nil, fmt.Errorf("hold outbox rows: %w", err)
	}
	if _, err = h.conn.Exec(ctx, `BEGIN`); err == nil {
		_, err = h.conn.Exec(ctx, lockRows, ids)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold outbox rows: %w", err), h.letGo(ctx))
	}
	return events, nil
}

// FinishOutbox stores results on a connection of the store's, and lets go of the
// rows once that is done, or has failed.
func (h *holding) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	out, err := h.Store.FinishOutbox(ctx, in)
	return out, errors.Join(err, h.letGo(ctx))
}

// letGo ends the transaction with its connection.
func (h *holding) letGo(ctx context.Context) error {
	if h.conn == nil {
		return nil
	}
	err := h.conn.Close(context.WithoutCancel(ctx))
	h.conn = nil
	return err
}
