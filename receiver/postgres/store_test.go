package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
	"github.com/pixlab/pixlab/receiver/storetest"
)

// usualChecks is how often the property tests run unless PIXLAB_CHECKS, or
// rapid's own flag, says otherwise.
const usualChecks = "20"

func TestMain(m *testing.M) {
	checks := os.Getenv("PIXLAB_CHECKS")
	if checks == "" {
		checks = usualChecks
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, "PIXLAB_CHECKS:", err)
			os.Exit(2)
		}
	}
	os.Exit(pgtest.Main(m)) // flags of the command line are parsed after these and win
}

const ourKey = pix.PixKey("shop@ex")

func start() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

func rules() receiver.Rules { return receiver.Rules{Keys: []pix.PixKey{ourKey}} }

// open makes a store on a database of its own.
func open(t testing.TB, cfg postgres.Config) *postgres.Store {
	t.Helper()
	s, _ := openAt(t, cfg)
	return s
}

// openAt is open, with the database's URL.
func openAt(t testing.TB, cfg postgres.Config) (*postgres.Store, string) {
	t.Helper()
	url := pgtest.Database(t, "receiver", postgres.Migrate)
	return reopen(t, url, cfg), url
}

func reopen(t testing.TB, url string, cfg postgres.Config) *postgres.Store {
	t.Helper()
	cfg.URL = url
	s, err := postgres.Open(context.WithoutCancel(t.Context()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, rules receiver.Rules, now func() time.Time) receiver.Store {
		return open(t, postgres.Config{Rules: rules, Now: now, MaxConns: 4})
	})
}

func e2e(n int) pix.EndToEndID { return pix.EndToEndID(fmt.Sprintf("E12345678202603021159%011d", n)) }
func txid(n int) pix.TxID      { return pix.TxID(fmt.Sprintf("tx%030d", n)) }
func ref(n int) receiver.ChargeRef {
	return receiver.ChargeRef{Consumer: "shop", Reference: fmt.Sprintf("order-%d", n)}
}

// charge is the intention to charge 10.00 for order n, under txid n.
func charge(n int) receiver.NewCharge {
	return receiver.NewCharge{At: start(), Charge: receiver.Charge{
		Consumer: ref(n).Consumer, Reference: ref(n).Reference, Kind: receiver.ChargeDynamic, TxID: txid(n), PixKey: ourKey,
		Due: 1000, ExpiresIn: time.Hour, State: receiver.ChargeIntended, DueAt: start(),
	}}
}

// item is a callback's word about Pix n of 10.00 for charge t.
func item(n, t int) receiver.InboxItem {
	c := receiver.Credit{EndToEndID: e2e(n), TxID: txid(t), PixKey: ourKey, Amount: 1000, PaidAt: start()}
	return receiver.InboxItem{
		Source: "psp", Key: receiver.CreditKey(c.EndToEndID), Channel: receiver.ChannelCallback, Credit: &c,
		Raw: []byte(`{"endToEndId":"` + string(c.EndToEndID) + `"}`), ReceivedAt: start(),
	}
}

func lease(limit int) receiver.Lease {
	return receiver.Lease{Holder: "w", Now: start(), For: time.Minute, Limit: limit}
}

// applications ask to book events on the PSP's word.
func applications(events []receiver.Event) []receiver.Application {
	apps := make([]receiver.Application, len(events))
	for i, e := range events {
		apps[i] = receiver.Application{EventID: e.ID, Version: e.Version, Confirmed: e.Credit, Now: start()}
	}
	return apps
}

// must is v where there is no error.
func must[V any](t testing.TB, v V, err error) V {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
