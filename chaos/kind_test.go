package chaos

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKindsAreWellFormed(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	families := []string{FamilyCallback, FamilyAPI, FamilyReceiver, FamilyPayer, FamilyEndpoint, FamilyConsumer}
	seen := map[string]bool{"calm": true, "mixed": true, "hostile": true, "swarm": true, "med": true}
	for _, k := range Kinds() {
		if !name.MatchString(k.Name) || seen[k.Name] || !slices.Contains(families, k.Family) || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%q, family %q, doc %q", k.Name, k.Family, k.Doc)
		}
		seen[k.Name] = true
		if k.Mixed.N*k.Hostile.Of >= k.Hostile.N*k.Mixed.Of || k.Hostile.N*k.Alone.Of > k.Alone.N*k.Hostile.Of {
			t.Errorf("%s: mixed %v, hostile %v, alone %v do not rise", k.Name, k.Mixed, k.Hostile, k.Alone)
		}
	}
}

// Every kind comes up often enough in each mood for its handling to be tested,
// and alone in nearly every run.
func TestEveryKindIsPlanned(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("draws 6,000 plans")
	}
	planned := map[string]int{}
	for seed := Seed(1); seed <= 2000; seed++ {
		for _, profile := range []string{"mixed", "hostile", "swarm"} {
			for _, d := range generate(t, Options{Seed: seed, Profile: profile}).Faults {
				planned[d.Kind]++
			}
		}
	}
	for _, k := range Kinds() {
		if planned[k.Name] < 600 {
			t.Errorf("%s was planned %d times in seeds 1 to 2000 of mixed, hostile and swarm, want 600", k.Name, planned[k.Name])
		}
	}
}

func TestAloneHappensAndStaysInTheDay(t *testing.T) {
	t.Parallel()
	const seeds = 200
	for _, k := range Kinds() {
		missed := 0
		for seed := range Seed(seeds) {
			p := generate(t, Options{Seed: seed, Profile: k.Name})
			if len(p.Faults) == 0 {
				missed++
			}
			for _, d := range p.Faults {
				if d.Kind != k.Name {
					t.Fatalf("profile %s drew %s", k.Name, d.Kind)
				}
			}
			latest := p.HorizonMS
			if k.Name == "request_repeated" { // some come when their answers are no longer kept
				latest += repeatMS
			}
			if p.LastActionMS() > latest {
				t.Errorf("%s, seed %d: last action at %s, after the horizon", k.Name, seed, clock(p.LastActionMS()))
			}
			byOption := generate(t, Options{Seed: seed, Faults: []string{k.Name}})
			if !slices.Equal(texts(byOption.Faults), texts(p.Faults)) {
				t.Errorf("%s, seed %d: Options.Faults and the profile differ", k.Name, seed)
			}
		}
		if missed > seeds/50 {
			t.Errorf("%s did not happen in %d of %d plans of its own", k.Name, missed, seeds)
		}
	}
}

// each hands every fault of one kind in 200 plans of its own to check.
func each(t *testing.T, kind string, check meaning) {
	t.Helper()
	n := 0
	for seed := range Seed(200) {
		p := generate(t, Options{Seed: seed, Faults: []string{kind}})
		for _, d := range p.Faults {
			n++
			if !check(p, d) {
				t.Fatalf("seed %d: %s at %v sets %v", seed, kind, d.Target, d.Set.words())
			}
		}
	}
	if n < 200 {
		t.Errorf("%s was planned %d times, want 200", kind, n)
	}
}

func (p *Plan) paymentNamed(id string) Payment {
	return p.Payments[slices.IndexFunc(p.Payments, func(x Payment) bool { return x.ID == id })]
}

func (p *Plan) chargeNamed(id string) Charge {
	return p.Charges[slices.IndexFunc(p.Charges, func(x Charge) bool { return x.ID == id })]
}

// meaning says of one fault whether its numbers make it count.
type meaning func(p *Plan, d Deviation) bool

// eachKind holds each kind to its meaning.
func eachKind(t *testing.T, kinds map[string]meaning) {
	for kind, check := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			each(t, kind, check)
		})
	}
}

// dueOf is when the callback of a payment, a refund or a MED case is due.
func dueOf(p *Plan, id string) int64 {
	for _, n := range noticesOf(p, salesOf(p)) {
		if n.subject == id {
			return n.dueMS
		}
	}
	panic("no callback of " + id)
}

// dueAt is when the callback at an address is due.
func dueAt(p *Plan, a *CallbackAddress) int64 {
	for _, n := range noticesOf(p, salesOf(p)) {
		if n.payment == a.Subject && n.name == a.Notice {
			return n.dueMS
		}
	}
	panic("no callback " + a.Notice)
}

func TestCallbackFaultsMeanSomething(t *testing.T) {
	t.Parallel()
	eachKind(t, map[string]meaning{
		"delay": func(_ *Plan, d Deviation) bool { return d.Set.DelayMS >= 1000 && d.Set.DelayMS <= 6*hourMS },
		"replay": func(p *Plan, d Deviation) bool {
			return d.Set.Frozen && d.Set.CopyAfterMS >= 10*minuteMS && dueAt(p, d.Target.Callback)+d.Set.CopyAfterMS < p.HorizonMS
		},
		"storm": func(_ *Plan, d Deviation) bool {
			return d.Set.CopyAfterMS >= hourMS && d.Target.Callback.Copy >= stormCopy
		},
		"reorder": func(p *Plan, d Deviation) bool {
			return dueAt(p, d.Target.Callback)+d.Set.DelayMS > dueOf(p, d.Set.Behind)
		},
		"grouped": func(p *Plan, d Deviation) bool {
			leader, rider := d.Target.Callback.Subject, d.Set.With[0]
			for _, other := range p.Faults {
				if other.Set.With[0] == leader {
					return false
				}
			}
			return compareIDs(leader, rider) < 0 && dueOf(p, leader)+d.Set.DelayMS > dueOf(p, rider)
		},
		"altered": func(p *Plan, d Deviation) bool {
			if d.Target.Payment != "" {
				return d.Set.Lax && d.Set.PayCents != p.paymentNamed(d.Target.Payment).AmountCents
			}
			return d.Set.SayCents > 0
		},
		"forged": func(p *Plan, d Deviation) bool {
			pay := p.paymentNamed(d.Target.Callback.Subject)
			return d.Set.AtMS > 0 && d.Set.Signature != "" && (d.Set.SayEndToEndID != pay.EndToEndID || d.Set.SayCents != pay.AmountCents)
		},
		"false_refund": func(p *Plan, d Deviation) bool {
			return d.Set.AtMS > p.paymentNamed(d.Target.Callback.Subject).AtMS && d.Set.Signature == "" &&
				d.Set.SayRefundCents > 0 && d.Set.SayRefundID != "" && d.Set.AtMS < p.HorizonMS
		},
		"phantom": func(p *Plan, d Deviation) bool {
			pay := p.paymentNamed(d.Target.Callback.Subject)
			return d.Set.AtMS > 0 && d.Set.Signature == "" && d.Set.SayEndToEndID != pay.EndToEndID && d.Set.SayCents == pay.AmountCents
		},
	})
}

// The receiver's lease is 30 s, and its sweeps reach back as far as lags go.
func TestReceiverFaultsMeanSomething(t *testing.T) {
	t.Parallel()
	eachKind(t, map[string]meaning{
		"worker_paused": func(_ *Plan, d Deviation) bool { return d.Set.PauseMS > 30_000 && d.Set.PauseMS <= 5*minuteMS },
		"clock_skew": func(_ *Plan, d Deviation) bool {
			return d.Set.SkewMS != 0 && max(d.Set.SkewMS, -d.Set.SkewMS) <= 10*minuteMS
		},
		"statement_lag": func(p *Plan, d Deviation) bool { return d.Set.LagMS+p.Settings.StatementLagMS <= MaxLagMS },
		"store_down": func(_ *Plan, d Deviation) bool {
			w := d.Target.Window
			return w.ToMS-w.FromMS >= 2000 && w.ToMS-w.FromMS <= 20*minuteMS
		},
		"crash": func(_ *Plan, d Deviation) bool {
			c := d.Target.Command
			lease := c.Command == CommandClaimEvents || c.Command == CommandLeaseOutbox || c.Command == CommandLeaseRefunds || c.Command == CommandLeasePayouts
			return d.Set.RestartMS >= 200 && d.Set.RestartMS <= 10*minuteMS && (!lease || c.Edge == EdgeAfter)
		},
		"commit_lost": func(_ *Plan, d Deviation) bool {
			c := d.Target.Command
			return c.Edge == EdgeAfter && c.Command != CommandLeaseRefunds && c.Command != CommandLeasePayouts
		},
	})
}

func TestAPIFaultsMeanSomething(t *testing.T) {
	t.Parallel()
	token := func(p *Plan, d Deviation) bool {
		w := d.Target.Window
		return w.Place == PlaceToken && w.ToMS-w.FromMS <= hourMS && w.ToMS <= p.HorizonMS
	}
	eachKind(t, map[string]meaning{
		"api_409": func(p *Plan, d Deviation) bool {
			if d.Target.API.Route == RoutePayoutPost {
				return d.Set.Status == 409
			}
			return d.Target.API.Route == RouteRefundPut && p.refundNamed(d.Target.API.Subject).Origin == OriginMerchant && d.Set.Status == 409
		},
		"api_hidden": func(_ *Plan, d Deviation) bool {
			return d.Set.HideMS >= 500 && d.Set.HideMS <= hiddenRefundMS && (d.Set.HideMS <= 5*minuteMS || d.Target.API.Route == RouteRefundGet || d.Target.API.Route == RoutePayoutGet || d.Target.API.Route == RoutePayoutPost)
		},
		"token_expired": func(p *Plan, d Deviation) bool { return token(p, d) && d.Set.Revoked },
		"token_down": func(p *Plan, d Deviation) bool {
			return token(p, d) && d.Set.Down == (d.Set.Status == 0) && !d.Set.Revoked
		},
	})
}

func (p *Plan) refundNamed(id string) Refund {
	return p.Refunds[slices.IndexFunc(p.Refunds, func(x Refund) bool { return x.ID == id })]
}

func TestPayerFaultsMeanSomething(t *testing.T) {
	t.Parallel()
	eachKind(t, map[string]meaning{
		"underpaid": func(p *Plan, d Deviation) bool {
			return d.Set.Lax && d.Set.PayCents >= 1 && d.Set.PayCents < p.paymentNamed(d.Target.Payment).AmountCents
		},
		"overpaid": func(p *Plan, d Deviation) bool {
			return d.Set.Lax && d.Set.PayCents > p.paymentNamed(d.Target.Payment).AmountCents
		},
		"second_payment": func(p *Plan, d Deviation) bool {
			c := p.chargeNamed(d.Set.PayCharge)
			first := p.Payments[slices.IndexFunc(p.Payments, func(x Payment) bool { return x.Charge == c.ID })]
			return d.Set.Lax && d.Set.PayCents == c.AmountCents && first.AtMS < p.paymentNamed(d.Target.Payment).AtMS
		},
		"expired_paid": func(p *Plan, d Deviation) bool {
			c := p.chargeNamed(p.paymentNamed(d.Target.Payment).Charge)
			return d.Set.Lax && d.Set.PayAtMS > c.CreateAtMS+c.ExpiresInS*1000 && d.Set.PayAtMS < p.HorizonMS
		},
		"removed_paid": func(p *Plan, d Deviation) bool {
			pay := p.paymentNamed(d.Target.Payment)
			return d.Set.Lax && d.Set.RemoveAtMS > p.chargeNamed(pay.Charge).CreateAtMS && d.Set.RemoveAtMS < pay.AtMS
		},
	})
}

// Copies of different kinds never meet, or a replay would become a duplicate.
func TestCopyNumbersOfKindsAreApart(t *testing.T) {
	t.Parallel()
	owner := map[int]string{}
	for seed := range Seed(100) {
		for _, d := range generate(t, Options{Seed: seed, Profile: "hostile"}).Faults {
			if c := d.Target.Callback; c != nil && c.Copy > 0 {
				if other, taken := owner[c.Copy]; taken && other != d.Kind {
					t.Fatalf("copy %d is of %s and of %s", c.Copy, other, d.Kind)
				}
				owner[c.Copy] = d.Kind
			}
		}
	}
}

// In mixed most callbacks of credits are clean; in hostile most are not.
func TestMixedIsMostlyClean(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string][2]int{"mixed": {60, 80}, "hostile": {0, 20}} {
		clean, total := 0, 0
		for seed := range Seed(300) {
			p := generate(t, Options{Seed: seed, Profile: profile})
			f := p.Merge()
			for _, pay := range p.Payments {
				if pay.Charge == "" {
					continue
				}
				total++
				struck := slices.ContainsFunc(f.callbacks[pay.ID], func(c callbackFault) bool {
					return c.at.Notice == NoticeCredit || extraNotice(c.at.Notice)
				})
				if _, rides := f.Grouped(pay.ID); !rides && !struck {
					clean++
				}
			}
		}
		if share := 100 * clean / total; share < want[0] || share > want[1] {
			t.Errorf("%s: %d in a hundred callbacks are clean, want %d to %d", profile, share, want[0], want[1])
		}
	}
}

func TestSwarmDrawsASubsetBetweenTheTwoMoods(t *testing.T) {
	t.Parallel()
	profile, _ := ProfileNamed("swarm")
	times := map[string]int{}
	const seeds = 600
	for seed := range Seed(seeds) {
		for _, r := range profile.drawn(seed) {
			k, _ := KindNamed(r.Kind)
			times[r.Kind]++
			if r.Rate.N*k.Mixed.Of < k.Mixed.N*r.Rate.Of || r.Rate.N*k.Hostile.Of > k.Hostile.N*r.Rate.Of {
				t.Errorf("%s at %v, want it between %v and %v", r.Kind, r.Rate, k.Mixed, k.Hostile)
			}
		}
	}
	for _, k := range Kinds() {
		if n := times[k.Name]; n < seeds/4 || n > seeds*5/12 {
			t.Errorf("%s is in %d of %d swarms, want a third", k.Name, n, seeds)
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
		got, ok := ProfileNamed(p.Name)
		if !ok || got.Doc != p.Doc || len(got.Rates) != len(p.Rates) || p.Doc == "" {
			t.Errorf("ProfileNamed(%q) = %+v, %v", p.Name, got, ok)
		}
	}
	if !slices.Equal(names, profileNames()) {
		t.Errorf("profiles %v, names %v", names, profileNames())
	}
	if _, ok := ProfileNamed("wild"); ok {
		t.Error("there is a profile called wild")
	}
}

func TestRetryTables(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, table := range RetryTables() {
		if seen[table.Name] || table.Source == "" {
			t.Errorf("%+v", table)
		}
		seen[table.Name] = true
		if table.Total() >= RetryBound {
			t.Errorf("%s goes on for %v, want under %v", table.Name, table.Total(), RetryBound)
		}
		if table.Timeout < time.Second || table.Timeout > time.Minute || len(table.Delays) == 0 {
			t.Errorf("%s: time-out %v, %d pauses", table.Name, table.Timeout, len(table.Delays))
		}
		got, ok := RetryTableNamed(table.Name)
		if !ok || got.Total() != table.Total() {
			t.Errorf("RetryTableNamed(%q) = %+v, %v", table.Name, got, ok)
		}
	}
	if _, ok := RetryTableNamed("never"); ok {
		t.Error("there is a table called never")
	}
}
