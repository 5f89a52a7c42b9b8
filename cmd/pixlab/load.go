package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// loadFlags are the flags of "load".
type loadFlags struct {
	rate, connections, items countFlag
	receivers, stock, rows   countFlag
	payouts                  countFlag
	redeliver                percentFlag
	duration, settle         pspSpan
	saturate, json, suite    bool
	rounds                   countFlag
	receiverFlags            []string
	serverSettings           []string
	profiles                 string

	receiverURL, databaseURL, labURL, pixKey string
}

const loadDoc = `Send callbacks to a receiver on PostgreSQL and count what became of each.

Each Pix has a charge that the receiver knows, and is paid at the PSP, so every callback goes
the whole way: signature, inbox, worker, ledger, outbox. Then the ledger is read from beside the
receiver: each Pix acknowledged has to be in the inbox and in the ledger, once, with its amount.

By default PostgreSQL (fsync and synchronous_commit on), the PSP and the receiver are started
for the load, in throwaway folders, and end with it. --receiver-url sends to a receiver that
runs already, whose --database-url is then needed, and PIXLAB_CALLBACK_SECRET; --lab-url
(PIXLAB_LAB_TOKEN) pays the Pix at its PSP.

Arrivals are on schedule: callback k leaves at k/rate seconds whatever has been answered by
then, and latencies count from that instant. --saturate sends the next one as soon as a
connection has its answer. A re-delivery goes out at the same instant as its original, on
another connection.

ack is the time to the 200; ledger the time to the commit of the credit, as the database dates
it (track_commit_timestamp), without the flush of that commit to disk. Exit code 1: a check
failed.

--payouts N is a load of its own: N payouts, each asked for over HTTP (--redeliver asks again),
from a PSP that never answers before the receiver has given up, and carries every second one out
only after that. Then the account statement's debits are counted against what was asked for.`

func (c *cli) loadCommand() *cobra.Command {
	f := &loadFlags{
		rate: countFlag{n: 500, most: 1_000_000}, connections: countFlag{n: 64, most: 1000}, items: countFlag{n: 1, most: 1000},
		rounds: countFlag{n: 5, most: 100}, receivers: countFlag{n: 1, most: 16}, stock: countFlag{most: 10_000_000}, rows: countFlag{most: 100_000_000},
		payouts:  countFlag{most: 1_000_000},
		duration: pspSpan{d: 10 * time.Second, least: time.Millisecond}, settle: pspSpan{d: defaultSettle, least: time.Millisecond},
	}
	cmd := &cobra.Command{
		Use: "load [--rate N | --saturate]", Short: "Put a receiver under load and count every credit", Long: loadDoc, Args: noArgs,
		Example: "  pixlab load --rate 500 --redeliver 30% --duration 20s\n  pixlab load --saturate --connections 128 --items 100",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), endings()...)
			defer stop()
			load := c.load
			switch {
			case f.suite:
				load = func(ctx context.Context, f *loadFlags) error {
					return c.loadSuite(ctx, f, cmd.Flag("duration").Changed)
				}
			case f.payouts.n > 0:
				load = c.loadPayouts
			}
			return interruptedLoad(ctx, load(ctx, f))
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.rate, "rate", "send `N` callbacks a second, re-deliveries not counted")
	flags.BoolVar(&f.saturate, "saturate", false, "send as fast as answers come")
	flags.Var(&f.connections, "connections", "keep `N` connections")
	flags.Var(&f.items, "items", "have `N` Pix in each callback")
	flags.Var(&f.redeliver, "redeliver", "send so many of a hundred callbacks twice at once, as `30%`")
	flags.Var(&f.duration, "duration", "send for `TIME`")
	flags.Var(&f.settle, "settle", "give the inbox `TIME` to come to rest")
	flags.Var(&f.stock, "stock", "make `N` Pix ready (default: what rate and duration need; 12,000 a second with --saturate)")
	flags.Var(&f.rows, "rows", "begin on a database that has booked `N` Pix already")
	flags.Var(&f.receivers, "receivers", "start `N` receivers")
	flags.Var(&f.payouts, "payouts", "send no callbacks; have `N` payouts made by a PSP that answers after the caller's time-out, and count debits")
	flags.StringArrayVar(&f.receiverFlags, "receiver-flag", nil, "start them with `FLAG` too, as --workers=2; may be given again")
	flags.StringArrayVar(&f.serverSettings, "postgres-setting", nil, "start PostgreSQL with `NAME=VALUE` too; may be given again")
	flags.StringVar(&f.profiles, "profiles", "", "write CPU profiles of generator and receivers into `FOLDER`")
	flags.StringVar(&f.receiverURL, "receiver-url", "", "send to the receivers with the callback `URLS`, with commas between, and start none")
	flags.StringVar(&f.databaseURL, "database-url", "", "their database is at `URL`")
	flags.StringVar(&f.labURL, "lab-url", "", "pay at the PSP whose lab port is at `URL`")
	flags.StringVar(&f.pixKey, "pix-key", string(loadKey), "pay to the receivers' Pix `KEY`")
	flags.BoolVar(&f.suite, "suite", false, "run the loads that docs/performance.md tells of, pgbench beside them, and show medians")
	flags.Var(&f.rounds, "rounds", "with --suite, go through them `N` times")
	flags.BoolVar(&f.json, "json", false, "write the result as JSON")
	return cmd
}

// interruptedLoad has the signal in place of whatever it made fail, unless the
// report was written before.
func interruptedLoad(ctx context.Context, err error) error {
	var told outcome
	if err == nil || ctx.Err() == nil || errors.As(err, &told) {
		return err
	}
	return environmentError{"load", interrupted(ctx, err)}
}

// check refuses flags that do not go together.
func (f *loadFlags) check(cmd *cobra.Command) error {
	switch {
	case f.suite && (f.receiverURL != "" || f.saturate || cmd.Flag("rate").Changed):
		return usagef("--suite has loads of its own; want it without --rate, --saturate and --receiver-url")
	case f.saturate && cmd.Flag("rate").Changed:
		return usagef("--rate and --saturate exclude each other; want one of them")
	case f.receiverURL != "" && f.databaseURL == "":
		return usagef("--receiver-url stands alone; want --database-url URL beside it, to count the credits")
	case f.receiverURL == "" && (f.databaseURL != "" || f.labURL != ""):
		return usagef("--database-url and --lab-url go with --receiver-url URL")
	case f.receiverURL != "" && f.rows.n > 0:
		return usagef("--rows fills a database of the load's own; want it without --receiver-url")
	case f.payouts.n > 0 && cmd.Flag("rate").Changed:
		return usagef("--payouts sends no callbacks; want it without --rate")
	}
	return f.checkPayouts()
}

// percentFlag is a share of a hundred, "30%".
type percentFlag int

// Set reads the flag's text.
func (f *percentFlag) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 100 {
		return errors.New("want a whole percentage from 0% to 100%")
	}
	*f = percentFlag(n)
	return nil
}

// String is the share, as Set reads it.
func (f *percentFlag) String() string { return strconv.Itoa(int(*f)) + "%" }

// Type names the value in a usage text.
func (f *percentFlag) Type() string { return "N%" }

// load runs one load and writes its report.
func (c *cli) load(ctx context.Context, f *loadFlags) (err error) {
	collectSeldom()
	show := c.progress()
	defer show.clear()
	r, err := c.loadOnce(ctx, f, show)
	if err != nil {
		return err
	}
	show.clear()
	page := encodeJSON(r)
	if !f.json {
		page = c.loadPage(r)
	}
	if err := write(c.out, page); err != nil {
		return err
	}
	if !r.held() {
		return outcome{exitBroke}
	}
	return nil
}

// loadOnce builds the house, loads it and takes it down.
func (c *cli) loadOnce(ctx context.Context, f *loadFlags, show *progress) (r *loadReport, err error) {
	build := func() (*loadHouse, error) { return buildHouse(ctx, f, show.say) }
	if f.receiverURL != "" {
		build = f.given
	}
	h, err := build()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	if err := h.furnish(ctx, f, show); err != nil {
		return nil, err
	}
	return c.loadHouse(ctx, f, h, show)
}

// furnish waits until the house is quiet, and books what belongs to its past.
func (h *loadHouse) furnish(ctx context.Context, f *loadFlags, show *progress) error {
	b, err := openBooks(ctx, h.database)
	if err != nil {
		return err
	}
	defer b.conn.Close(context.WithoutCancel(ctx))
	if err := b.dutiesDone(ctx); err != nil || f.rows.n == 0 {
		return err
	}
	show.say("booking %s Pix of the past", grouped(f.rows.n))
	return b.past(ctx, f.rows.n)
}

// loadHouse makes the Pix of one load and sends them.
func (c *cli) loadHouse(ctx context.Context, f *loadFlags, h *loadHouse, show *progress) (*loadReport, error) {
	b, err := openBooks(ctx, h.database)
	if err != nil {
		return nil, err
	}
	defer b.conn.Close(context.WithoutCancel(ctx))
	stock, err := c.makeStock(ctx, f, h, show)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.mark(ctx), b.settle(ctx)); err != nil {
		return nil, err
	}
	return c.fire(ctx, f, h, b, stock, show)
}

// needed is how many Pix the load needs at most.
func (f *loadFlags) needed() int {
	if f.stock.n > 0 {
		return (f.stock.n + f.items.n - 1) / f.items.n * f.items.n
	}
	callbacks := f.rate.n
	if f.saturate {
		callbacks = max(1, saturation/f.items.n)
		if f.items.n > 1 {
			callbacks *= 6
		}
	}
	return max(1, int(time.Duration(callbacks)*f.duration.d/time.Second)) * f.items.n
}

// saturation is how many callbacks of one Pix a second are made ready.
const saturation = 12_000

func (c *cli) makeStock(ctx context.Context, f *loadFlags, h *loadHouse, show *progress) ([]loadPix, error) {
	store, err := postgres.Open(ctx, postgres.Config{URL: h.database, Rules: receiver.Rules{}, MaxConns: 2})
	if err != nil {
		return nil, environmentError{"open the database", err}
	}
	defer store.Close()
	s := &stockist{store: store, lab: h.lab, key: h.key, say: show.say}
	return s.fill(ctx, f.needed())
}

// fire sends, waits for rest, and counts.
func (c *cli) fire(ctx context.Context, f *loadFlags, h *loadHouse, b *books, stock []loadPix, show *progress) (*loadReport, error) {
	t := &traffic{
		targets: h.targets, secret: h.secret, stock: stock, items: f.items.n, redeliver: int(f.redeliver),
		rate: f.rate.n, connections: f.connections.n, duration: f.duration.d,
	}
	if f.saturate {
		t.rate = 0
	}
	if f.profiles != "" {
		end, err := profileInto(f.profiles + "/generator.pprof")
		if err != nil {
			return nil, err
		}
		defer end()
	}
	show.say("sending for %s", f.duration.d)
	got := t.run(ctx)
	if got.sent == 0 {
		return nil, fmt.Errorf("nothing was sent: %w", ctx.Err())
	}
	show.say("waiting for the inbox to come to rest")
	left, err := b.untilRest(ctx, f.settle.d)
	if err != nil {
		return nil, err
	}
	rest := time.Since(got.ended)
	return c.judgeLoad(ctx, f, h, b, t, got, left, rest)
}
