package chaos

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawOptions(t *rapid.T) Options {
	return Options{
		Seed:     Seed(rapid.Uint64Range(0, MaxSeed).Draw(t, "seed")),
		Profile:  rapid.SampledFrom(profileNames()).Draw(t, "profile"),
		Payments: rapid.IntRange(1, 45).Draw(t, "payments"),
	}
}

func texts(faults []Deviation) []string {
	out := make([]string, len(faults))
	for i, d := range faults {
		b, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		out[i] = string(b)
	}
	return out
}

// One payment more leaves every payment, charge and fault before it as it was;
// a fault that came in addition names the new payment, its charge or its refund,
// or is a window around it.
func TestOnePaymentMoreMovesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		short, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		added := itoa(o.Payments)
		ofRefund := regexp.MustCompile(`"r` + strings.TrimPrefix(added, "0") + `[0-2]"`)
		o.Payments++
		long, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		if long.Start != short.Start || long.Settings != short.Settings {
			t.Fatal("the start or the settings moved")
		}
		if !reflect.DeepEqual(long.Payments[:len(short.Payments)], short.Payments) {
			t.Fatal("a payment moved")
		}
		if !reflect.DeepEqual(long.Charges[:len(short.Charges)], short.Charges) {
			t.Fatal("a charge moved")
		}
		if !slices.Equal(long.Refunds[:len(short.Refunds)], short.Refunds) || !slices.Equal(long.Disputes[:len(short.Disputes)], short.Disputes) {
			t.Fatal("a refund or a MED case moved")
		}
		if !slices.EqualFunc(long.Payouts[:len(short.Payouts)], short.Payouts, func(a, b Payout) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatal("a payout moved")
		}
		for _, r := range long.Refunds[len(short.Refunds):] {
			if r.Payment != "p"+added {
				t.Fatalf("%s of %s came with p%s", r.ID, r.Payment, added)
			}
		}
		more := texts(long.Faults)
		for _, d := range texts(short.Faults) {
			i := slices.Index(more, d)
			if i < 0 {
				t.Fatalf("this fault is gone: %s", d)
			}
			more = slices.Delete(more, i, i+1)
		}
		for _, d := range more {
			if !strings.Contains(d, `"p`+added+`"`) && !strings.Contains(d, `"o`+added+`"`) && !strings.Contains(d, `"c`+added+`"`) &&
				!ofRefund.MatchString(d) && !strings.Contains(d, `"window"`) && !strings.Contains(d, long.Payments[len(long.Payments)-1].Charge) {
				t.Fatalf("this fault has nothing to do with p%s: %s", added, d)
			}
		}
	})
}

// One kind more leaves the base plan and every other kind's faults as they were.
func TestOneKindMoreMovesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(kindNames()), 2, 6, rapid.ID).Draw(t, "kinds")
		o.Faults = kinds[:len(kinds)-1]
		without, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = kinds
		with, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		with.Faults = slices.DeleteFunc(with.Faults, func(d Deviation) bool { return d.Kind == kinds[len(kinds)-1] })
		if !reflect.DeepEqual(with, without) {
			t.Fatalf("%s moved something else", kinds[len(kinds)-1])
		}
	})
}

// A kind sees the base plan alone: its faults in a full profile are those that
// it proposes at the same rate on the plan without any fault.
func TestKindsReadTheBasePlanAlone(t *testing.T) {
	t.Parallel()
	for seed := range Seed(20) {
		full := generate(t, Options{Seed: seed, Profile: "hostile"})
		bare := *full
		bare.Faults = nil
		for _, k := range Kinds() {
			var got []Deviation
			for _, d := range full.Faults {
				if d.Kind == k.Name {
					got = append(got, d)
				}
			}
			want := k.Propose(Proposer{Plan: &bare, Seed: seed, Kind: k.Name, Rate: k.Hostile})
			for i := range want {
				want[i].Kind = k.Name
			}
			if want = sortDeviations(want); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d: %s proposed %d faults beside the others and %d alone", seed, k.Name, len(got), len(want))
			}
		}
	}
}

func TestGenerateTwiceIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		a, err := Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Generate(o)
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("the second plan differs (%v)", err)
		}
		if err := a.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCalm(t *testing.T) {
	t.Parallel()
	for seed := range Seed(300) {
		p := generate(t, Options{Seed: seed, Profile: "calm"})
		if len(p.Faults) != 0 || len(p.Payments) != 20 || len(p.Charges) != 20 {
			t.Fatalf("seed %d: %d faults, %d payments, %d charges; want 0, 20, 20", seed, len(p.Faults), len(p.Payments), len(p.Charges))
		}
		if p.Settings.StatementLagMS > 30_000 {
			t.Errorf("seed %d: the statement lags %d ms, want 30 s at most", seed, p.Settings.StatementLagMS)
		}
		for i, pay := range p.Payments {
			c := p.Charges[i]
			if pay.Charge != c.ID || c.Kind != ChargeDynamic || c.Elsewhere || pay.AmountCents != c.AmountCents {
				t.Errorf("seed %d: %+v does not pay its own %+v exactly", seed, pay, c)
			}
			if waited := pay.AtMS - c.CreateAtMS; waited < 5_000 || waited > 2*hourMS {
				t.Errorf("seed %d: %s is paid %d ms after it is made, want 5 s to 2 h", seed, c.ID, waited)
			}
		}
	}
}

func TestBasePlan(t *testing.T) {
	t.Parallel()
	endToEnd := regexp.MustCompile(`^E99999008\d{12}[0-9A-Za-z]{11}$`)
	static, bare, foreign, never, hurried, total := 0, 0, 0, 0, 0, 0
	for seed := range Seed(300) {
		p := generate(t, Options{Seed: seed})
		if p.Profile != DefaultProfile || p.Start.Hour() != 3 || p.Start.Year() != 2026 && p.Start.YearDay() != 1 {
			t.Errorf("seed %d: profile %s, start %v", seed, p.Profile, p.Start)
		}
		charges := map[string]Charge{}
		for _, c := range p.Charges {
			charges[c.ID] = c
			if c.Elsewhere {
				foreign++
				if c.AdoptAtMS == 0 {
					never++
				}
			}
		}
		ids := map[string]bool{}
		for _, pay := range p.Payments {
			total++
			minute := p.Start.Add(time.Duration(pay.AtMS) * time.Millisecond).Format("200601021504")
			if !endToEnd.MatchString(pay.EndToEndID) || pay.EndToEndID[9:21] != minute || ids[pay.EndToEndID] {
				t.Errorf("seed %d: endToEndId %s of a payment in minute %s", seed, pay.EndToEndID, minute)
			}
			ids[pay.EndToEndID] = true
			if pay.AmountCents < 1 || pay.AmountCents > 999_999 || pay.AtMS > 22*hourMS || pay.NotifyAfterMS < 1 {
				t.Errorf("seed %d: %+v", seed, pay)
			}
			c, ok := charges[pay.Charge]
			switch {
			case !ok:
				bare++
				continue
			case c.Kind == ChargeStatic:
				static++
			case pay.AtMS-c.CreateAtMS <= 300:
				hurried++
			}
			if c.CreateAtMS > pay.AtMS || c.AmountCents > 0 && c.AmountCents != pay.AmountCents ||
				c.Kind == ChargeDynamic && c.CreateAtMS+c.ExpiresInS*1000 <= pay.AtMS {
				t.Errorf("seed %d: %+v cannot pay %+v in time and exactly", seed, pay, c)
			}
		}
	}
	for what, n := range map[string][3]int{
		"static": {static, 8, 12}, "bare key": {bare, 8, 12}, "elsewhere": {foreign, 8, 12},
		"never adopted": {never, 2, 5}, "hurried": {hurried, 6, 12},
	} {
		if share := 100 * n[0] / total; share < n[1] || share > n[2] {
			t.Errorf("%s: %d of %d payments, want %d to %d in a hundred", what, n[0], total, n[1], n[2])
		}
	}
}

func TestEndToEndIDIsDrawnAgainWhenTaken(t *testing.T) {
	t.Parallel()
	d := drawer{plan: testPlan(), ids: map[string]bool{}}
	first := d.endToEndID(3, hourMS)
	if second := d.endToEndID(3, hourMS); second == first {
		t.Errorf("the same stream gave %s to two payments", first)
	}
}

// Races need payments close together.
func TestPaymentsComeInBursts(t *testing.T) {
	t.Parallel()
	near, nearer := 0, 0
	for seed := range Seed(200) {
		p := generate(t, Options{Seed: seed, Profile: "calm"})
		var at []int64
		for _, pay := range p.Payments {
			at = append(at, pay.AtMS)
		}
		slices.Sort(at)
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] <= 5_000 {
				near++
			}
			if at[i]-at[i-1] <= 50 {
				nearer++
			}
		}
	}
	if near < 200*8 || nearer < 200*3 {
		t.Errorf("in 200 plans %d pairs within 5 s and %d within 50 ms, want 8 and 3 a plan", near, nearer)
	}
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o           Options
		wrong, good string
	}{
		"unknown profile":   {Options{Profile: "wild"}, `"wild" is unknown`, "calm, mixed, hostile, swarm, med, live, stage, delay"},
		"unknown kind":      {Options{Faults: []string{"delay", "rain"}}, `"rain" is unknown`, "delay, duplicate"},
		"seed too large":    {Options{Seed: MaxSeed + 1}, "too large", "9007199254740991"},
		"negative payments": {Options{Payments: -1}, "-1 payments", "1 or more"},
	} {
		_, err := Generate(c.o)
		if err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), c.good) {
			t.Errorf("%s: error %v, want one that says %q and %q", name, err, c.wrong, c.good)
		}
	}
}

func TestTxidIsNewIDOfTheReference(t *testing.T) {
	t.Parallel()
	if got, want := Txid(42, Charge{Reference: "PED-1017", Kind: ChargeDynamic}), "2VjS4nUKnFQYtYXTskUquPHeTWLDRyHG"; got != want {
		t.Errorf("dynamic txid = %q, want %q", got, want)
	}
	if got, want := Txid(42, Charge{Reference: "CAIXA-1011", Kind: ChargeStatic}), "Cg7CwMHeQPyRKIScTsKwaHYkZ"; got != want {
		t.Errorf("static txid = %q, want %q", got, want)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, profile := range []string{"calm", "mixed", "hostile"} {
		b.Run(profile, func(b *testing.B) {
			b.ReportAllocs()
			var seed Seed
			for b.Loop() {
				if _, err := Generate(Options{Seed: seed, Profile: profile}); err != nil {
					b.Fatal(err)
				}
				seed++
			}
		})
	}
}
