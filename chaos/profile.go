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
	// Plain allows dynamic charges alone, each paid exactly and in good time.
	Plain bool
	// Payments is how many there are when [Options] does not say.
	Payments int
}

// usualPayments is the length of a plan: about a minute's reading.
const usualPayments = 20

// Profiles lists all profiles: calm, mixed, hostile, swarm, then one a kind,
// named as the kind.
func Profiles() []Profile {
	kinds := Kinds()
	out := []Profile{calm(), mixed(kinds), hostile(kinds), swarm(kinds)}
	for _, k := range kinds {
		out = append(out, alone(k))
	}
	return out
}

// ProfileNamed finds a profile by name.
func ProfileNamed(name string) (Profile, bool) {
	switch name {
	case "calm":
		return calm(), true
	case "mixed":
		return mixed(Kinds()), true
	case "hostile":
		return hostile(Kinds()), true
	case "swarm":
		return swarm(Kinds()), true
	}
	if k, ok := KindNamed(name); ok {
		return alone(k), true
	}
	return Profile{}, false
}

func profileNames() []string {
	return append([]string{"calm", "mixed", "hostile", "swarm"}, kindNames()...)
}

func calm() Profile {
	return Profile{
		Name: "calm", Plain: true, Payments: usualPayments,
		Doc: "Nothing goes wrong: every charge is dynamic and paid exactly, in time.",
	}
}

func mixed(kinds []Kind) Profile {
	return Profile{
		Name: "mixed", Payments: usualPayments,
		Doc:   "A bad week in one day: every kind at a low rate, most callbacks clean.",
		Rates: ratesOf(kinds, func(k Kind) Rate { return k.Mixed }),
	}
}

func hostile(kinds []Kind) Profile {
	return Profile{
		Name: "hostile", Payments: usualPayments,
		Doc:   "Every kind at a high rate: most payments meet several faults.",
		Rates: ratesOf(kinds, func(k Kind) Rate { return k.Hostile }),
	}
}

func swarm(kinds []Kind) Profile {
	return Profile{
		Name: "swarm", Swarm: true, Payments: usualPayments,
		Doc:   "Every seed draws a third of the kinds, each at a rate between mixed and hostile.",
		Rates: ratesOf(kinds, func(k Kind) Rate { return k.Hostile }),
	}
}

func alone(k Kind) Profile {
	return Profile{
		Name: k.Name, Doc: k.Doc + " Nothing else goes wrong.", Payments: usualPayments,
		Rates: []KindRate{{k.Name, k.Alone}},
	}
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
