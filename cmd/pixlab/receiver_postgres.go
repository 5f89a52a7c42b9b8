package main

import (
	"context"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// postgresSettings are what the PostgreSQL store is opened with.
type postgresSettings struct {
	url      string
	rules    receiver.Rules
	maxConns int
	migrate  bool
}

// postgresDriver is what this command needs of the PostgreSQL store.
type postgresDriver struct {
	// migrate brings the schema of the database up to date.
	migrate func(ctx context.Context, url string) error
	// open connects; the database's clock is the store's.
	open func(ctx context.Context, s postgresSettings) (postgresStore, error)
}

// postgresStore is an open store.
type postgresStore interface {
	receiver.Store
	// Current is an error where the schema is not this binary's.
	Current(ctx context.Context) error
	Pool() live.PoolStats
	Close()
}

// builtInPostgres is the driver of this binary.
func builtInPostgres() postgresDriver {
	return postgresDriver{
		migrate: postgres.Migrate,
		open: func(ctx context.Context, s postgresSettings) (postgresStore, error) {
			store, err := postgres.Open(ctx, postgres.Config{URL: s.url, Rules: s.rules, MaxConns: s.maxConns})
			if err != nil {
				return nil, err
			}
			return pooledStore{store}, nil
		},
	}
}

// pooledStore tells of its connections in the words of the metrics.
type pooledStore struct{ *postgres.Store }

// Pool is the connections as they are now.
func (s pooledStore) Pool() live.PoolStats {
	st := s.Store.Pool()
	return live.PoolStats{
		Max: int64(st.MaxConns()), Open: int64(st.TotalConns()), Idle: int64(st.IdleConns()), Busy: int64(st.AcquiredConns()),
		Acquires: st.AcquireCount(), Waits: st.EmptyAcquireCount(), Waited: st.EmptyAcquireWaitTime(),
	}
}

// Depths counts events and money for the metrics.
func (s pooledStore) Depths(ctx context.Context) (live.Depths, error) {
	t, err := s.Totals(ctx)
	return live.Depths{
		Received: t.Received, Oldest: t.Oldest,
		Quarantined: map[receiver.QuarantineKind]int64{receiver.QuarantineWaiting: t.Waiting, receiver.QuarantineBad: t.Bad},
		Totals:      &live.Totals{Settlement: t.Settlement, InProcess: t.InProcess, Blocked: t.Blocked},
	}, err
}

// openPostgres brings the schema up to date, where that is wished, and opens
// the store.
func openPostgres(ctx context.Context, s postgresSettings) (openedStore, error) {
	return builtInPostgres().opened(ctx, s)
}

// opened is a store that has answered once and whose schema is right.
func (d postgresDriver) opened(ctx context.Context, s postgresSettings) (openedStore, error) {
	if s.migrate {
		if err := d.migrate(ctx, s.url); err != nil {
			return openedStore{}, environmentError{"migrate the database", err}
		}
	}
	store, err := d.open(ctx, s)
	if err != nil {
		return openedStore{}, environmentError{"open the database", err}
	}
	out := openedStore{
		Store: store, pool: store.Pool, close: store.Close,
		checks: []live.Check{answers(store), {Name: "schema", Run: store.Current}},
	}
	for _, c := range out.checks {
		if err := c.Run(ctx); err != nil {
			store.Close()
			return openedStore{}, environmentError{"open the database: " + c.Name, err}
		}
	}
	return out, nil
}
