package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/receiver/postgres"
	live "github.com/pixlab/pixlab/scenarios/live/broken"
)

// liveSuspects are those that only a real database shows to be wrong.
func liveSuspects() []suspect {
	var out []suspect
	for _, r := range live.Receivers() {
		out = append(out, suspect{name: r.Name, doc: r.Doc, invariant: r.Invariant, mode: modeLive, live: r})
	}
	return out
}

// showLive has a suspect show what is wrong with it, and the reference beside it
// show nothing: alarm is what that one showed. Without a PostgreSQL the catch says
// that nobody looked.
func (c *cli) showLive(s suspect, show *progress) (got catch, alarm string, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	got = catch{suspect: s}
	show.say("%s: starting PostgreSQL", s.name)
	cluster, err := pgcluster.Start(ctx, pgcluster.Options{Fast: true})
	if errors.Is(err, pgcluster.ErrNotFound) {
		got.skipped = err.Error()
		return got, "", nil
	}
	if err != nil {
		return got, "", environmentError{"start PostgreSQL", err}
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	show.say("%s: telling an endpoint", s.name)
	finding, err := showOn(ctx, cluster, s.live)
	if err == nil {
		alarm, err = showOn(ctx, cluster, live.Reference())
	}
	got.caught, got.detail = finding != "", finding
	if err != nil {
		err = environmentError{"run " + s.name, err}
	}
	return got, alarm, err
}

// showOn is one receiver on a database of its own.
func showOn(ctx context.Context, cluster *pgcluster.Cluster, r live.Receiver) (finding string, err error) {
	name := "pixlab_broken_" + strings.ToLower(rand.Text()[:8])
	if err := cluster.CreateDatabase(ctx, name); err != nil {
		return "", err
	}
	if cluster.Given() {
		defer func() { err = errors.Join(err, cluster.DropDatabase(context.WithoutCancel(ctx), name)) }()
	}
	if err := postgres.Migrate(ctx, cluster.SocketURL(name)); err != nil {
		return "", err
	}
	return live.Show(ctx, cluster.SocketURL(name), r)
}
