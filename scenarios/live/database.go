package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// database is the receiver's, on a server of our own or one that was given.
type database struct {
	cluster *pgcluster.Cluster
	name    string
	store   *postgres.Store // the run's own look into it
}

// openDatabase starts a server, or takes the given one, and makes a database.
func openDatabase(ctx context.Context, url string, log io.Writer) (*database, error) {
	cluster, err := pgcluster.Start(ctx, pgcluster.Options{URL: url, Log: log})
	if err != nil {
		return nil, err
	}
	d := &database{cluster: cluster, name: "pixlab_live_" + strings.ToLower(rand.Text()[:12])}
	if err := d.fill(ctx); err != nil {
		return nil, errors.Join(err, d.close(ctx))
	}
	return d, nil
}

func (d *database) fill(ctx context.Context) error {
	if err := d.cluster.CreateDatabase(ctx, d.name); err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, d.url()); err != nil {
		return err
	}
	var err error
	d.store, err = postgres.Open(ctx, postgres.Config{URL: d.url(), Rules: receiver.Rules{Keys: []pix.PixKey{merchantKey}}, MaxConns: 2})
	return err
}

func (d *database) url() string { return d.cluster.SocketURL(d.name) }

// close leaves nothing of the database, nor of the server if it is ours.
func (d *database) close(ctx context.Context) error {
	if d.store != nil {
		d.store.Close()
	}
	if d.cluster.Given() {
		return d.cluster.DropDatabase(ctx, d.name)
	}
	return d.cluster.Close()
}

// cut ends every connection to the database but its own.
func (d *database) cut(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.cluster.SocketURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, d.name)
	return err
}

// kill stops the server as a crash would.
func (d *database) kill() error { return d.cluster.Kill(pgcluster.ModeImmediate) }

// restart has it recover.
func (d *database) restart(ctx context.Context) error { return d.cluster.Restart(ctx) }

// query reads rows by the run's own connection.
func query[R any](ctx context.Context, d *database, sql string, scan func(pgx.Rows) (R, error), args ...any) ([]R, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.url())
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (R, error) { return scan(rows) })
}

// balances are those that the store keeps beside the ledger.
func (d *database) balances(ctx context.Context) (map[receiver.Account]pix.Amount, error) {
	type kept struct{ settlement, process int64 }
	rows, err := query(ctx, d, `SELECT sum(settlement_cents)::bigint, sum(in_process_cents)::bigint FROM account_balance`,
		func(rows pgx.Rows) (k kept, err error) { return k, rows.Scan(&k.settlement, &k.process) })
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return map[receiver.Account]pix.Amount{
		receiver.AccountSettlement: pix.Amount(rows[0].settlement), receiver.AccountInProcess: pix.Amount(rows[0].process),
	}, nil
}

// turns are how many turns of each duty have ended.
func (d *database) turns(ctx context.Context) (map[receiver.Queue]int64, error) {
	type duty struct {
		name    receiver.Queue
		version int64
		held    bool
	}
	rows, err := query(ctx, d, `SELECT name, version, lease_end IS NOT NULL FROM duty`,
		func(rows pgx.Rows) (x duty, err error) { return x, rows.Scan(&x.name, &x.version, &x.held) })
	if err != nil {
		return nil, err
	}
	out := map[receiver.Queue]int64{}
	for _, x := range rows {
		if out[x.name] = x.version; x.held {
			out[x.name]--
		}
	}
	return out, nil
}

// dump is every row, once the database can be reached.
func (d *database) dump(ctx context.Context) (receiver.ChangeSet, error) {
	rows, err := again(ctx, func() (receiver.ChangeSet, error) { return d.store.Dump(ctx) })
	if err != nil {
		err = fmt.Errorf("read the database: %w", err)
	}
	return rows, err
}
