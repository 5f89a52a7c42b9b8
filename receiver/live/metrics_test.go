package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
)

// scraped wants lines among the metrics.
func scraped(t *testing.T, m *live.Metrics, lines ...string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range lines {
		if !strings.Contains(w.Body.String(), "\n"+line+"\n") {
			t.Errorf("%q is not among\n%s", line, ours(w.Body.String()))
		}
	}
}

func TestOrphansTakenOverAreCounted(t *testing.T) {
	t.Parallel()
	m := live.NewMetrics()
	store := m.Wrap(newMemory(), live.Clock{})
	began := time.Now()
	claim := func(key string, after time.Duration) {
		t.Helper()
		if _, err := store.CreateCharges(t.Context(), []receiver.NewCharge{{
			At: began.Add(after),
			Charge: receiver.Charge{
				Consumer: "merchant", Reference: key, Kind: receiver.ChargeDynamic, TxID: pix.TxID(strings.Repeat(key, 26)), PixKey: "shop@ex",
				Due: 100, ExpiresIn: time.Hour, State: receiver.ChargeIntended, DueAt: began,
			},
			Key: &receiver.KeyClaim{
				Ref:  receiver.KeyRef{Consumer: "merchant", Route: receiver.RouteCharges, Key: key},
				Hash: receiver.BodyHash{1}, Window: time.Minute, TTL: 24 * time.Hour,
			},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	claim("a", 0)
	claim("b", 0)
	claim("a", time.Second) // somebody is at it
	hold := receiver.KeyHold{Ref: receiver.KeyRef{Consumer: "merchant", Route: receiver.RouteCharges, Key: "b"}, Version: 1, At: began.Add(time.Second)}
	if let, err := store.ReleaseKeys(t.Context(), []receiver.KeyHold{hold}); err != nil || !let[0] {
		t.Fatalf("let go: %v, error %v", let, err)
	}
	claim("b", 2*time.Second) // it was let go of, and is no orphan
	claim("a", time.Minute)
	scraped(t, m, `pixlab_receiver_orphans_taken_over_total{route="`+receiver.RouteCharges+`"} 1`)
}

func TestBookingsAreCountedOnce(t *testing.T) {
	t.Parallel()
	m := live.NewMetrics()
	store := m.Wrap(newMemory(), live.Clock{})
	r, err := receiver.New(config(), store)
	if err != nil {
		t.Fatal(err)
	}
	it := item(1)
	it.Channel, it.Confirmed = receiver.ChannelSweep, true
	foreign := item(2)
	foreign.Channel, foreign.Confirmed, foreign.Credit.PixKey = receiver.ChannelSweep, true, "another@example.com"
	unsure := item(3) // the PSP has to be asked, and is not there
	for range 2 {
		if _, err := store.AppendInbox(t.Context(), []receiver.InboxItem{it, foreign, unsure}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Steps(1)[0].RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	scraped(t, m,
		"pixlab_receiver_ledger_seconds_count 1",
		"pixlab_receiver_credits_total 1",
		"pixlab_receiver_credited_cents_total 100",
		`pixlab_receiver_quarantined_total{cause="refused"} 1`,
		"pixlab_receiver_event_retries_total 1",
		`pixlab_receiver_inbox_items_total{channel="sweep",result="known"} 2`,
		`pixlab_receiver_store_command_seconds_count{command="claim_events"} 2`,
	)
	refund := receiver.InboxItem{Source: "psp", Channel: receiver.ChannelRepair, Confirmed: true, Refund: &receiver.RefundContent{
		EndToEndID: endToEndID(1), ID: "r1", ReturnID: "D1234567820260102120012345678901", Amount: 40, Status: pix.RefundReturned,
	}}
	refund.Key = refund.Refund.Key()
	for range 2 {
		if _, err := store.RepairEvents(t.Context(), []receiver.Repair{{Item: refund, Now: time.Now()}}); err != nil {
			t.Fatal(err)
		}
	}
	scraped(t, m, `pixlab_receiver_refunds_total{end="returned"} 1`)
}

func TestTurnsAndFlushesAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	m := live.NewMetrics()
	m.Turn("worker/1", receiver.Progress{Done: 3}, nil)
	m.Turn("worker/2", receiver.Progress{}, nil)
	m.Turn("sweep", receiver.Progress{}, errors.New("no"))
	m.Turn("sweep", receiver.Progress{}, fmt.Errorf("turn: %w", &live.PanicError{}))
	m.Flushed(2, 5, nil)
	m.Flushed(1, 1, receiver.ErrUnavailable)
	m.Panicked()
	scraped(t, m,
		`pixlab_receiver_step_turns_total{outcome="worked",step="worker"} 1`,
		`pixlab_receiver_step_turns_total{outcome="idle",step="worker"} 1`,
		`pixlab_receiver_step_turns_total{outcome="error",step="sweep"} 1`,
		`pixlab_receiver_step_turns_total{outcome="panic",step="sweep"} 1`,
		`pixlab_receiver_batch_flushes_total{outcome="stored"} 1`,
		`pixlab_receiver_batch_flushes_total{outcome="failed"} 1`,
		"pixlab_receiver_batch_items_sum 6",
		"pixlab_receiver_handler_panics_total 1",
	)
}

func TestAScrapeAsksTheStoreAndThePool(t *testing.T) {
	t.Parallel()
	m := live.NewMetrics()
	m.Watch(t.Context(), counting{&stub{
		now: func() time.Time { return time.Unix(1000, 0) },
		due: func(receiver.Queue) (time.Time, bool, error) { return time.Unix(940, 0), true, nil },
	}}, live.Clock{}, func() live.PoolStats { return live.PoolStats{Max: 8, Busy: 3, Waits: 2, Waited: time.Second} })
	scraped(t, m,
		"pixlab_receiver_inbox_lag_seconds 60", "pixlab_receiver_inbox_depth 123456", "pixlab_receiver_store_up 1",
		`pixlab_receiver_quarantine_depth{kind="waiting"} 7`, "pixlab_receiver_inbox_age_seconds 100",
		"pixlab_receiver_ledger_settlement_cents 900", "pixlab_receiver_ledger_in_process_cents 30", "pixlab_receiver_ledger_blocked_cents 5",
		"pixlab_receiver_pool_connections_max 8", "pixlab_receiver_pool_connections_busy 3",
		"pixlab_receiver_pool_waits_total 2", "pixlab_receiver_pool_wait_seconds_total 1",
	)
}

// counting is a store that counts its events itself.
type counting struct{ *stub }

func (counting) Depths(context.Context) (live.Depths, error) {
	return live.Depths{
		Received: 123456, Quarantined: map[receiver.QuarantineKind]int64{receiver.QuarantineWaiting: 7},
		Oldest: time.Unix(900, 0), Totals: &live.Totals{Settlement: 900, InProcess: -30, Blocked: 5},
	}, nil
}

func TestAScrapeOfAStoreThatIsAwaySaysSo(t *testing.T) {
	t.Parallel()
	m := live.NewMetrics()
	m.Watch(t.Context(), &stub{due: func(receiver.Queue) (time.Time, bool, error) {
		return time.Time{}, false, receiver.ErrUnavailable
	}}, live.Clock{}, nil)
	scraped(t, m, "pixlab_receiver_store_up 0")
}

func TestIDsAreOfLettersAndDigits(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := live.NewID("txid", "sale-1", 32)
		if _, err := pix.ParseChargeTxID(id); err != nil || seen[id] {
			t.Fatalf("%q: %v", id, err)
		}
		seen[id] = true
		if j := live.Jitter("key", 1); j < 0 || j > 999 {
			t.Fatalf("jitter %d", j)
		}
	}
}

func TestAScrapeTellsWhatWaitsForOperators(t *testing.T) {
	t.Parallel()
	store := newMemory()
	unidentified(t, store, 1)
	events, err := store.ClaimEvents(t.Context(), receiver.Lease{Now: time.Now(), For: time.Minute, Limit: 1})
	if err != nil || len(events) != 1 {
		t.Fatalf("claimed %d, %v", len(events), err)
	}
	apps := []receiver.Application{{EventID: events[0].ID, Version: events[0].Version, Now: time.Now()}}
	if _, err := store.ApplyEvents(t.Context(), apps); err != nil {
		t.Fatal(err)
	}
	out, err := store.LeaseOutbox(t.Context(), receiver.Lease{Now: time.Now(), For: time.Minute, Limit: 1})
	if err != nil || len(out) != 1 {
		t.Fatalf("leased %d, %v", len(out), err)
	}
	if _, err := store.FinishOutbox(t.Context(), []receiver.OutboxResult{{ID: out[0].ID, Version: out[0].Version, Dead: true}}); err != nil {
		t.Fatal(err)
	}
	m := live.NewMetrics()
	m.WatchBooks(t.Context(), store, live.Clock{}, []receiver.Endpoint{{Name: receiver.DefaultEndpoint}, {Name: "books"}})
	scraped(t, m,
		`pixlab_receiver_outbox_dead{endpoint="merchant"} 1`,
		`pixlab_receiver_outbox_dead{endpoint="books"} 0`,
		`pixlab_receiver_outbox_late_seconds{endpoint="merchant"} 0`,
		"pixlab_receiver_cases_open 1",
	)
}
