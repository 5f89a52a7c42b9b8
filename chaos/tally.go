package chaos

import (
	"cmp"
	"slices"
)

// KindCount is how often one kind was planned, and how often it fired.
type KindCount struct {
	Kind    string
	Planned int
	Fired   int
}

// Tally counts the deviations of a plan that came off. Each deviation fires
// once at most, however often its address is met. A Tally is not safe for
// concurrent use.
type Tally struct {
	faults []Deviation
	fired  []bool
}

// NewTally starts a count at zero.
func NewTally(p *Plan) *Tally {
	return &Tally{faults: p.Faults, fired: make([]bool, len(p.Faults))}
}

// Fire marks the deviations that a [Merged] came from.
func (t *Tally) Fire(from []int) {
	for _, i := range from {
		t.fired[i] = true
	}
}

// FireOne marks one deviation, an index into Plan.Faults.
func (t *Tally) FireOne(index int) { t.fired[index] = true }

// Planned is the number of deviations in the plan.
func (t *Tally) Planned() int { return len(t.faults) }

// Fired is the number of deviations that came off.
func (t *Tally) Fired() int {
	n := 0
	for _, f := range t.fired {
		if f {
			n++
		}
	}
	return n
}

// Counts lists the kinds that the plan holds, in the order of [Kinds].
func (t *Tally) Counts() []KindCount {
	byKind := map[string]*KindCount{}
	for i, d := range t.faults {
		c := byKind[d.Kind]
		if c == nil {
			c = &KindCount{Kind: d.Kind}
			byKind[d.Kind] = c
		}
		c.Planned++
		if t.fired[i] {
			c.Fired++
		}
	}
	rank := map[string]int{} // negative, so that a kind nobody knows comes last
	kinds := Kinds()
	for i, k := range kinds {
		rank[k.Name] = i - len(kinds)
	}
	out := make([]KindCount, 0, len(byKind))
	for _, c := range byKind {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b KindCount) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
