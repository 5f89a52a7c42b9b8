package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// DayMS is 24 virtual hours, the horizon of a generated plan of every profile
// but those whose [Profile.Days] say otherwise.
const DayMS = 24 * 60 * 60 * 1000

// MaxLagMS is the longest that a settled Pix stays out of GET /pix and of the
// account statement, faults included: a receiver whose sweeps overlap by as
// much, and whose grace for a missing line is longer, has no excuse.
const MaxLagMS = 32 * 60 * 1000

// Options say which plan to draw.
type Options struct {
	Seed    Seed
	Profile string // empty is [DefaultProfile]
	// Payments is how many Pix there are; zero takes the profile's number.
	Payments int
	// Faults, when it is not empty, lists the only kinds that are drawn, each at
	// its rate for standing alone.
	Faults []string
}

// Generate draws a plan. The same options give the same plan, on every machine.
func Generate(o Options) (*Plan, error) {
	if o.Profile == "" {
		o.Profile = DefaultProfile
	}
	profile, ok := ProfileNamed(o.Profile)
	if !ok {
		return nil, fmt.Errorf("profile %q is unknown; known are %s", o.Profile, strings.Join(profileNames(), ", "))
	}
	if o.Seed > MaxSeed {
		return nil, fmt.Errorf("seed %d is too large; want a whole number from 0 to %d", o.Seed, uint64(MaxSeed))
	}
	if o.Payments < 0 {
		return nil, fmt.Errorf("%d payments; want 1 or more, or 0 for the profile's %d", o.Payments, profile.Payments)
	}
	if o.Payments > 0 {
		profile.Payments = o.Payments
	}
	rates, err := chooseRates(profile, o)
	if err != nil {
		return nil, err
	}
	p := base(o.Seed, profile)
	p.Faults = propose(p, rates)
	return p, nil
}

// chooseRates is how often each kind strikes in this plan, in the order of Kinds.
func chooseRates(profile Profile, o Options) ([]KindRate, error) {
	if len(o.Faults) == 0 {
		return profile.drawn(o.Seed), nil
	}
	for _, name := range o.Faults {
		if _, ok := KindNamed(name); !ok {
			return nil, fmt.Errorf("fault kind %q is unknown; known are %s", name, strings.Join(kindNames(), ", "))
		}
	}
	var rates []KindRate
	for _, k := range Kinds() {
		if slices.Contains(o.Faults, k.Name) {
			rates = append(rates, KindRate{k.Name, k.Alone})
		}
	}
	return rates, nil
}

// base draws everything but the faults.
func base(seed Seed, profile Profile) *Plan {
	p := &Plan{
		Format: Format, Generator: Generator, Seed: seed, Profile: profile.Name,
		Start: profile.start(seed), HorizonMS: profile.horizon(), Live: profile.Live, Settings: drawSettings(seed, profile),
		Charges: make([]Charge, 0, profile.Payments), Payments: make([]Payment, 0, profile.Payments),
		Faults: []Deviation{},
	}
	d := drawer{plan: p, profile: profile, pace: profile.pace(), ids: make(map[string]bool, profile.Payments), scratch: blankStream()}
	for i := range profile.Payments {
		d.payment(i)
	}
	return p
}

// start is when the profile's plans begin: one to be watched in the afternoon.
func (p Profile) start(seed Seed) time.Time {
	if p.Stage {
		return drawStart(seed).Add(14*time.Hour + 32*time.Minute)
	}
	return drawStart(seed)
}

// drawStart is a midnight in São Paulo (03:00Z, no daylight saving) in 2026.
func drawStart(seed Seed) time.Time {
	day := seed.Stream("plan/start").Below(365)
	return time.Date(2026, 1, 1+int(day), 3, 0, 0, 0, time.UTC)
}

func drawSettings(seed Seed, profile Profile) Settings {
	tables := RetryTables()
	table := tables[seed.Stream("settings/retry").Below(uint64(len(tables)))]
	lag, repeats := int64(120_000), []string{"same", "same", "400", "409"}
	if profile.Plain {
		lag, repeats = 30_000, repeats[:1]
	}
	s := Settings{
		Instances:         2,
		Workers:           int(seed.Stream("settings/workers").Between(1, 2)),
		Retry:             table.Name,
		CallbackTimeoutMS: table.Timeout.Milliseconds(),
		SweepEveryMS:      profile.SweepEveryMS,
		StatementLagMS:    seed.Stream("settings/statement_lag").Between(0, lag),
		RefundRepeat:      repeats[seed.Stream("settings/refund_repeat").Below(uint64(len(repeats)))],
		PageSize:          []int{3, 10, 100}[seed.Stream("settings/page_size").Below(3)],
	}
	payoutSettings(seed, profile, &s)
	switch {
	case profile.Live:
		return liveSettings(s, seed.Stream("settings/statement_lag"))
	case profile.Stage:
		return stageSettings(s)
	}
	return s
}

// propose collects what every kind wants of the base plan.
func propose(p *Plan, rates []KindRate) []Deviation {
	wanted, n := make([][]Deviation, 0, len(rates)), 0
	seen, kinds := viewOf(p), Kinds()
	for _, r := range rates {
		k := kinds[slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == r.Kind })]
		found := k.Propose(Proposer{Plan: p, Seed: p.Seed, Kind: k.Name, Rate: r.Rate, view: seen})
		for i := range found {
			found[i].Kind = k.Name
		}
		wanted, n = append(wanted, found), n+len(found)
	}
	out := make([]Deviation, 0, n)
	for _, found := range wanted {
		out = append(out, found...)
	}
	if p.Live {
		out = fitLive(p, out)
	} else if _, ok := p.hurried(); ok {
		out = fitStage(p, out)
	}
	return sortDeviations(out)
}

// Consumer is who calls the receiver's API for the merchant of a plan. What ids
// are made of begins with it.
const Consumer = "merchant"

// Txid is the txid that a charge gets at the PSP: [Seed.ID] of consumer and
// reference, 32 characters for a dynamic charge and 25, the most a static code may carry,
// for a static one.
func Txid(seed Seed, c Charge) string {
	n := 32
	if c.Kind == ChargeStatic {
		n = 25
	}
	return seed.ID("txid", Consumer+"/"+c.Reference, n)
}
