package chaos

// DefaultProfile is the profile of a run that names none.
const DefaultProfile = "mixed"

// KindRate is how often one kind strikes.
type KindRate struct {
	Kind string
	Rate Rate
}

// Profile is a mood of the world: how many payments, and how often each fault.
type Profile struct {
	Name, Doc string
	// Rates are in the order of [Kinds]; a kind that is not listed never strikes.
	Rates []KindRate
	// Swarm makes every seed draw its own third of the kinds, each at a rate
	// between mixed and hostile; Rates then holds the hostile ones.
	Swarm bool
	// Plain allows dynamic charges alone, each paid exactly and in good time, and
	// refunds within what was paid.
	Plain bool
	// Refunds and Disputes are how often a payment is asked back, and how often
	// it meets a MED case; Payouts is how often something is paid out beside it.
	Refunds, Disputes, Payouts Rate
	// Days is the horizon, SweepEveryMS the pause between two sweeps.
	Days int
	// Live marks the plans for live runs; they last [MaxLiveMS] and no day.
	Live bool
	// Stage marks the plans that are made to be watched; they last a minute.
	Stage        bool
	SweepEveryMS int64
	// Payments is how many there are when [Options] does not say.
	Payments int
}

// usualPayments is the length of a plan: about a minute's reading.
const usualPayments = 20

// moods are the profiles of more than one kind. Each fills in what it has of
// its own over a day of the usual length.
func moods() []Profile {
	kinds := Kinds()
	return []Profile{calm(), mixed(kinds), hostile(kinds), swarm(kinds), med(kinds), liveProfile(kinds), stageProfile()}
}

// usual is a day with as many payments, refunds and MED cases as most profiles have.
func usual(name, doc string) Profile {
	return Profile{
		Name: name, Doc: doc, Payments: usualPayments, Days: 1, SweepEveryMS: 15 * minuteMS,
		Refunds: Rate{1, 3}, Disputes: Rate{1, 10}, Payouts: Rate{1, 4},
	}
}

// Profiles lists all profiles: calm, mixed, hostile, swarm, med, live, stage,
// then one a kind, named as the kind.
func Profiles() []Profile {
	out := moods()
	for _, k := range Kinds() {
		out = append(out, alone(k))
	}
	return out
}

// ProfileNamed finds a profile by name.
func ProfileNamed(name string) (Profile, bool) {
	for _, p := range moods() {
		if p.Name == name {
			return p, true
		}
	}
	if k, ok := KindNamed(name); ok {
		return alone(k), true
	}
	return Profile{}, false
}

func profileNames() []string {
	return append([]string{"calm", "mixed", "hostile", "swarm", "med", "live", "stage"}, kindNames()...)
}

func calm() Profile {
	p := usual("calm", "Nothing goes wrong: every charge is dynamic and paid exactly, in time; refunds stay within what was paid.")
	p.Plain, p.Disputes = true, Rate{}
	return p
}

func mixed(kinds []Kind) Profile {
	p := usual("mixed", "A bad week in one day: every kind at a low rate, most callbacks clean.")
	p.Rates = ratesOf(kinds, func(k Kind) Rate { return k.Mixed })
	return p
}

func hostile(kinds []Kind) Profile {
	p := usual("hostile", "Every kind at a high rate: most payments meet several faults.")
	p.Rates = ratesOf(kinds, func(k Kind) Rate { return k.Hostile })
	return p
}

func swarm(kinds []Kind) Profile {
	p := usual("swarm", "Every seed draws a third of the kinds, each at a rate between mixed and hostile.")
	p.Swarm, p.Rates = true, ratesOf(kinds, func(k Kind) Rate { return k.Hostile })
	return p
}

// med has room for an analysis of seven days, and sweeps by the hour so that
// twelve days stay quick to run.
func med(kinds []Kind) Profile {
	p := mixed(kinds)
	p.Name, p.Doc = "med", "Twelve days of MED cases on every second payment, analysed for up to seven days, among refunds, payouts that drain the account, and a few faults."
	p.Disputes, p.Payouts, p.Days, p.SweepEveryMS = Rate{1, 2}, Rate{2, 3}, 12, hourMS
	return p
}

func alone(k Kind) Profile {
	p := usual(k.Name, k.Doc+" Nothing else goes wrong.")
	p.Rates = []KindRate{{k.Name, k.Alone}}
	return p
}

// longestWait is how long after its Pix a refund is asked for, or a MED case
// reported, at the latest.
func (p Profile) longestWait() int64 {
	if p.Days > 1 {
		return 40 * hourMS
	}
	return 8 * hourMS
}

// longestAnalysis is how long a MED case is analysed at most.
func (p Profile) longestAnalysis() int64 {
	if p.Days > 1 {
		return maxAnalysisMS
	}
	return 5 * hourMS
}

func ratesOf(kinds []Kind, rate func(Kind) Rate) []KindRate {
	out := make([]KindRate, len(kinds))
	for i, k := range kinds {
		out[i] = KindRate{k.Name, rate(k)}
	}
	return out
}

// drawn are the profile's rates for one seed: its own, or in a swarm the
// seed's choice, from a stream of each kind's own.
func (p Profile) drawn(seed Seed) []KindRate {
	if !p.Swarm {
		return p.Rates
	}
	var out []KindRate
	for _, k := range Kinds() {
		st := seed.Stream("swarm/" + k.Name)
		if st.Chance(Rate{1, 3}) {
			out = append(out, KindRate{k.Name, between(k.Mixed, k.Hostile, int(st.Below(5)))})
		}
	}
	return out
}

// between is the rate that lies so many quarters of the way from a to b.
func between(a, b Rate, quarters int) Rate {
	return Rate{
		N:  a.N*b.Of*(4-quarters) + b.N*a.Of*quarters,
		Of: 4 * a.Of * b.Of,
	}
}
