package main

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/memory"
)

// openedStore is a store that is ready to be used, and what is known of it.
type openedStore struct {
	receiver.Store
	// checks are what /readyz looks at: that it answers, that its schema is
	// today's.
	checks []live.Check
	// pool tells of its connections; nil where there are none.
	pool  func() live.PoolStats
	close func()
}

// openStore opens the store that the settings name.
func (s *receiverSettings) openStore(ctx context.Context) (openedStore, error) {
	rules, err := s.rules()
	if err != nil {
		return openedStore{}, err
	}
	if s.store == storeMemory {
		return openMemory(rules), nil
	}
	return openPostgres(ctx, postgresSettings{
		url: s.databaseURL, rules: rules, maxConns: s.databaseConns.n, migrate: s.migrate,
	})
}

func openMemory(rules receiver.Rules) openedStore {
	store := memory.New(memory.Config{Rules: rules, Now: time.Now})
	return openedStore{Store: store, checks: []live.Check{answers(store)}, close: func() {}}
}

// answers checks that a store can be reached.
func answers(s receiver.Store) live.Check {
	return live.Check{Name: "store", Run: func(ctx context.Context) error {
		_, err := s.Now(ctx)
		return err
	}}
}
