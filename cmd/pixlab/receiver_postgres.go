package main

import (
	"context"
	"errors"

	"github.com/pixlab/pixlab/receiver"
)

// postgresSettings are what the PostgreSQL store is opened with.
type postgresSettings struct {
	url      string
	rules    receiver.Rules
	maxConns int
	migrate  bool
}

// openPostgres brings the schema up to date, where that is wished, and opens
// the store. This binary was built without it.
func openPostgres(context.Context, postgresSettings) (openedStore, error) {
	return openedStore{}, environmentError{"open the database", errors.New("the PostgreSQL store is not built in yet; want --store memory")}
}
