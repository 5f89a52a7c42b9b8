package chaos

import (
	"strings"
	"testing"
	"time"
)

// TestLivePlansFitIntoTwentySeconds draws live plans, which have to be what a
// live run takes, and to hold what it is there for.
func TestLivePlansFitIntoTwentySeconds(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	refunds := 0
	for seed := range Seed(300) {
		p, err := Generate(Options{Seed: seed, Profile: "live"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(); err != nil || !p.Live {
			t.Fatalf("seed %d: marked %t, %v", seed, p.Live, err)
		}
		refunds += len(p.Refunds)
		for _, d := range p.Faults {
			kinds[d.Kind]++
			if w := d.Target.Window; w != nil && w.ToMS-w.FromMS > mostLiveWindowMS {
				t.Errorf("seed %d: %s is too long", seed, d.Target)
			}
		}
	}
	profile, _ := ProfileNamed("live")
	for _, r := range profile.Rates {
		if kinds[r.Kind] == 0 {
			t.Errorf("300 plans hold no %s", r.Kind)
		}
	}
	for _, kind := range []string{"clock_skew", "storm", "expired_paid", "removed_paid"} {
		if kinds[kind] > 0 {
			t.Errorf("%s is in live plans", kind)
		}
	}
	if refunds < 300 {
		t.Errorf("%d refunds in 300 plans", refunds)
	}
}

func TestLiveMarkIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(p *Plan)
		says   string
	}{
		"a day":         {func(p *Plan) { p.HorizonMS = DayMS }, "horizon_ms"},
		"a late Pix":    {func(p *Plan) { p.Payments[0].AtMS = 30_000 }, "last action comes after"},
		"another table": {func(p *Plan) { p.Settings.Retry = "efi" }, `settings.retry is "efi"; want "live"`},
		"a long lag":    {func(p *Plan) { p.Settings.StatementLagMS = 60_000 }, "statement_lag_ms"},
		"a wrong clock": {func(p *Plan) {
			at := Window{Place: InstancePlace(1, PlaceClock), FromMS: 1, ToMS: 2}
			p.Faults = append(p.Faults, Deviation{Kind: "clock_skew", Target: Target{Window: &at}, Set: Change{SkewMS: 5}})
		}, "moves a clock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Generate(Options{Seed: 3, Profile: "live"})
			if err != nil {
				t.Fatal(err)
			}
			c.change(p)
			if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want one that says %q", err, c.says)
			}
			if p.Live = false; p.Validate() != nil {
				t.Errorf("without the mark: %v", p.Validate())
			}
		})
	}
}

func TestLiveRetryIsDrawnForNoOtherPlan(t *testing.T) {
	t.Parallel()
	table := LiveRetry()
	if got, ok := RetryTableNamed(table.Name); !ok || got.Total() != table.Total() || table.Total() > time.Minute {
		t.Errorf("%+v, %t", got, ok)
	}
	for _, other := range RetryTables() {
		if other.Name == table.Name {
			t.Error("it is among those of a day's plans")
		}
	}
}
