package film

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/chaos"
)

// outages are the stretches in which an instance, the database, the PSP or the
// merchant's endpoint was down: the first from the trace, the others from the
// plan. All end when the world heals.
func (c *camera) outages() {
	f := c.film
	if n := len(c.events); n > 0 {
		f.Healed = c.events[n-1].T
	}
	for _, e := range c.events {
		switch e.Kind {
		case "heal":
			f.Healed = e.T
		case "redeliver":
			f.Rest = e.T
		}
	}
	down := map[int]chaos.Instant{}
	for _, e := range c.events {
		switch n := instanceOf(e.Actor); e.Kind {
		case "instance.crash":
			down[n] = e.T
		case "instance.up":
			if from, ok := down[n]; ok {
				f.Outages = append(f.Outages, Outage{Place: "instance", Instance: n, From: from, To: e.T})
				delete(down, n)
			}
		}
	}
	places := map[string]string{chaos.PlaceStore: "store", chaos.PlacePSP: "psp", chaos.PlaceEndpoint: "endpoint"}
	for _, d := range c.plan.Faults {
		if w := d.Target.Window; w != nil && d.Set.Down && places[w.Place] != "" {
			f.Outages = append(f.Outages, Outage{Place: places[w.Place], From: chaos.MS(w.FromMS), To: min(chaos.MS(w.ToMS), f.Healed)})
		}
	}
	slices.SortStableFunc(f.Outages, func(a, b Outage) int { return cmp.Compare(a.From, b.From) })
}

// tail is how much is played after the last thing that happened.
const tail = 2 * chaos.Second

// end finds the last instant worth playing.
func (c *camera) end() {
	f := c.film
	last := chaos.Instant(0)
	for _, cb := range f.Callbacks {
		last = max(last, cb.Leave, cb.Arrive, cb.Answered)
	}
	for _, p := range f.Postings {
		last = max(last, p.T)
	}
	for _, l := range f.Lines {
		last = max(last, l.T)
	}
	for _, w := range f.Wrongs {
		last = max(last, w.T)
	}
	f.End = last + max(tail, last/100)
}
