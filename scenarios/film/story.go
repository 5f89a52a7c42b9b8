package film

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// maxSteps is how many steps a story has at most: as many as fit beside the lanes.
const maxSteps = 6

// tell writes the story of wrong money, from the money's side.
func (c *camera) tell() {
	f := c.film
	if len(f.Wrongs) == 0 {
		return
	}
	w := f.Wrongs[c.telling()]
	steps := []Step{}
	for _, l := range f.Lines {
		if l.EndToEndID == w.EndToEndID && l.T <= w.T {
			steps = append(steps, Step{T: l.T, Kind: settledWord(l), Lane: "psp", Cents: l.Cents})
		}
	}
	for i, cb := range c.heard(w) {
		steps = append(steps, sendSteps(cb, i)...)
	}
	booked := 0
	for _, p := range f.Postings {
		if p.Key == "" || p.E2E != w.EndToEndID || p.T > w.T {
			continue
		}
		step := Step{T: p.T, N: p.N, Kind: bookedWord(p, booked), Lane: "ledger", Instance: p.Instance, Cents: p.Cents}
		step.Bad = p.T == w.T && p.Key == w.Key && !slices.ContainsFunc(steps, func(s Step) bool { return s.Bad })
		steps = append(steps, step)
		booked++
	}
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Bad }) {
		steps = append(steps, Step{T: w.T, Kind: c.missedWord(w), Lane: "ledger", Cents: w.Cents, Bad: true})
	}
	steps = slices.DeleteFunc(steps, func(s Step) bool { return s.T > w.T })
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.T, b.T) })
	f.Story = c.numbered(shorten(steps))
}

// telling is the index of the wrong line to tell of: the first under the
// invariant that the report says broke first, or else the first.
func (c *camera) telling() int {
	id, first := "", int64(0)
	for _, i := range c.film.Invariants {
		if !i.Held && i.N > 0 && (first == 0 || i.N < first) {
			id, first = i.ID, i.N
		}
	}
	return max(0, slices.IndexFunc(c.film.Wrongs, func(w Wrong) bool { return w.Invariant == id }))
}

// heard are the callbacks about a wrong line's Pix, in the order in which the
// receiver heard of them.
func (c *camera) heard(w Wrong) []Callback {
	var out []Callback
	for _, cb := range c.film.Callbacks {
		if cb.EndToEndID == w.EndToEndID && cb.Leave <= w.T {
			out = append(out, cb)
		}
	}
	slices.SortStableFunc(out, func(a, b Callback) int { return cmp.Compare(a.Arrive, b.Arrive) })
	return out
}

// shorten keeps the steps that tell how it came about: the wrong money itself,
// what the bank settled, the first booking, the callback that brought the wrong
// one, the first callback; then whatever stands nearest to the end.
func shorten(steps []Step) []Step {
	rank := make([]int, len(steps))
	last := map[string]int{}
	for i, s := range steps {
		last[s.Kind] = i
	}
	seen := map[string]bool{}
	for i, s := range steps {
		first := !seen[s.Kind]
		seen[s.Kind] = true
		switch {
		case s.Bad:
		case s.Kind == "settled" || s.Kind == "refund_settled" || s.Kind == "payout_settled":
			rank[i] = 1
		case s.Kind == "credited" && first:
			rank[i] = 2
		case (s.Kind == "sent_again" || s.Kind == "stored_again" || s.Kind == "believed") && last[s.Kind] == i:
			rank[i] = 3
		case s.Kind == "stored" && first:
			rank[i] = 4
		default:
			rank[i] = 5 + len(steps) - i
		}
	}
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	order = order[:min(maxSteps, len(order))]
	slices.Sort(order)
	out := make([]Step, len(order))
	for i, n := range order {
		out[i] = steps[n]
	}
	return out
}

// numbered gives every step the event that stands at its instant.
func (c *camera) numbered(steps []Step) []Step {
	for i := range steps {
		if steps[i].N == 0 {
			steps[i].N = c.eventAt(steps[i].T)
		}
	}
	return steps
}

// eventAt is the number of the last event up to an instant.
func (c *camera) eventAt(t chaos.Instant) int64 {
	i, _ := slices.BinarySearchFunc(c.events, t, func(e traceEvent, t chaos.Instant) int {
		if e.T <= t {
			return -1
		}
		return 1
	})
	return int64(i)
}

func settledWord(l Line) string {
	switch {
	case l.Kind == string(pix.KindPixOut):
		return "payout_settled"
	case l.Cents < 0:
		return "refund_settled"
	}
	return "settled"
}

// sendSteps are a callback's leaving, where that tells something, and its end.
func sendSteps(cb Callback, before int) []Step {
	leave := Step{T: cb.Leave, Kind: "sent_again", Lane: "psp"}
	end := Step{T: cb.Arrive, Instance: cb.Instance}
	switch {
	case cb.Fate == Lost:
		end.Kind, end.Lane = "lost", "psp"
		return []Step{end}
	case cb.Fate == NoAnswer:
		end.Kind, end.Lane = "no_answer", "psp"
		return []Step{end}
	case cb.Stored == 0:
		end.Kind = "refused"
	case isLie(cb.Fate):
		end.T, end.Kind = cb.Stored, "believed"
	case before > 0:
		end.T, end.Kind = cb.Stored, "stored_again"
	default:
		end.T, end.Kind = cb.Stored, "stored"
	}
	end.Lane = laneOf(cb.Instance)
	if before == 0 || isLie(cb.Fate) {
		return []Step{end}
	}
	return []Step{leave, end}
}

// isLie says whether a callback states what is not so.
func isLie(fate Fate) bool {
	return slices.Contains([]Fate{Forged, Phantom, Altered, FalseRefund}, fate)
}

func laneOf(instance int) string { return string(rune('0' + instance)) }

func bookedWord(p Posting, before int) string {
	switch {
	case strings.HasPrefix(p.Reference, "pay:"):
		return "paid_out"
	case p.Cents < 0:
		return "returned"
	case before > 0:
		return "credited_again"
	}
	return "credited"
}

func (c *camera) missedWord(w Wrong) string {
	out := func(l Line) bool { return l.Key == w.Key && l.Kind == string(pix.KindPixOut) }
	switch {
	case slices.ContainsFunc(c.film.Lines, out):
		return "payout_unknown"
	case w.Invariant == "I4":
		return "refund_forgotten"
	}
	return "never_credited"
}
