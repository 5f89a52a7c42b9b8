package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// What the subtests take for granted.
const (
	account    = "psp"                  // the inbox source
	consumer   = "shop"                 // whose charges they are
	ourKey     = pix.PixKey("shop@ex")  // the one key of the rules
	foreignKey = pix.PixKey("other@ex") // somebody else's
	lease      = time.Minute
)

// start is where each fixture's clock begins.
func start() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

// clock is the store's clock, moved by the subtest.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture is a store and the words to speak to it. Its words fail the subtest
// where the store answers with an error.
type fixture struct {
	*testing.T
	store receiver.Store
	clock *clock
	open  Open
}

func newFixture(t *testing.T, open Open) *fixture { return newFixtureFor(t, open) }

// newFixtureFor is newFixture with endpoints of those names.
func newFixtureFor(t *testing.T, open Open, endpoints ...string) *fixture {
	c := &clock{at: start()}
	rules := receiver.Rules{Keys: []pix.PixKey{ourKey}, Endpoints: endpoints}
	return &fixture{T: t, store: open(t, rules, c.now), clock: c, open: open}
}

func (f *fixture) ctx() context.Context { return f.Context() }
func (f *fixture) now() time.Time       { return f.clock.now() }

// must is v, where the command did not fail.
func must[V any](f *fixture, v V, err error) V {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
	return v
}

// equal wants two values to be the same.
func equal[V comparable](f *fixture, what string, got, want V) {
	f.Helper()
	if got != want {
		f.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// sameTime wants two instants to be the same, in whatever zone.
func sameTime(f *fixture, what string, got, want time.Time) {
	f.Helper()
	if !got.Equal(want) {
		f.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// count wants a list to have n members, and ends the subtest otherwise.
func count[V any](f *fixture, what string, got []V, n int) {
	f.Helper()
	if len(got) != n {
		f.Fatalf("%s: got %d, want %d: %+v", what, len(got), n, got)
	}
}

func e2e(n int) pix.EndToEndID { return pix.EndToEndID(fmt.Sprintf("E12345678202603021159%011d", n)) }
func txid(n int) pix.TxID      { return pix.TxID(fmt.Sprintf("tx%030d", n)) }
func ref(n int) string         { return fmt.Sprintf("order-%02d", n) }

func refOf(n int) receiver.ChargeRef {
	return receiver.ChargeRef{Consumer: consumer, Reference: ref(n)}
}

// newCharge is the intention to charge due for order n, under txid n.
func (f *fixture) newCharge(n int, due pix.Amount) receiver.NewCharge {
	return receiver.NewCharge{At: f.now(), Charge: receiver.Charge{
		Consumer: consumer, Reference: ref(n), Kind: receiver.ChargeDynamic, TxID: txid(n), PixKey: ourKey,
		Due: due, ExpiresIn: time.Hour, State: receiver.ChargeIntended, DueAt: f.now().Add(lease),
	}}
}

// charged makes order n an active charge, created at the PSP a minute ago.
func (f *fixture) charged(n int, due pix.Amount) {
	f.Helper()
	f.create(f.newCharge(n, due))
	f.record(receiver.ChargeCall{Ref: refOf(n), State: receiver.ChargeActive, CreatedAt: f.now().Add(-time.Minute), BRCode: "br"})
}

// static registers order n as a static code; zero takes any amount.
func (f *fixture) static(n int, due pix.Amount) {
	f.Helper()
	c := f.newCharge(n, due)
	c.Charge.Kind, c.Charge.State, c.Charge.ExpiresIn, c.Charge.DueAt = receiver.ChargeStatic, receiver.ChargeActive, 0, time.Time{}
	f.create(c)
}

func (f *fixture) create(in ...receiver.NewCharge) []receiver.CreateOutcome {
	f.Helper()
	out, err := f.store.CreateCharges(f.ctx(), in)
	return must(f, out, err)
}

func (f *fixture) record(in ...receiver.ChargeCall) []receiver.Charge {
	f.Helper()
	var charges []receiver.Charge
	for _, o := range f.recordCalls(in...) {
		charges = append(charges, o.Charge)
	}
	return charges
}

func (f *fixture) recordCalls(in ...receiver.ChargeCall) []receiver.CallOutcome {
	f.Helper()
	out, err := f.store.RecordCalls(f.ctx(), in)
	return must(f, out, err)
}

// charge reads order n, which must be there.
func (f *fixture) charge(n int) receiver.Charge {
	f.Helper()
	out, err := f.store.FindCharges(f.ctx(), []receiver.ChargeRef{refOf(n)})
	if must(f, out, err)[0] == nil {
		f.Fatalf("charge %s: not found", ref(n))
	}
	return *out[0]
}

// settled wants order n to have got cents, and the Pix that paid it.
func (f *fixture) settled(n int, cents pix.Amount, by pix.EndToEndID) {
	f.Helper()
	c := f.charge(n)
	equal(f, "settled", c.Settled, cents)
	equal(f, "settled by", c.SettledBy, by)
}

func (f *fixture) lease(limit int) receiver.Lease {
	return receiver.Lease{Holder: "w", Now: f.now(), For: lease, Limit: limit}
}
