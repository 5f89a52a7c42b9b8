package film

import (
	"cmp"
	"slices"

	"github.com/pixlab/pixlab/chaos"
)

// maxSteps is how many steps a story has at most: as many as fit beside the lanes.
const maxSteps = 6

// tell writes the story of the first wrong money, from the money's side.
func (c *camera) tell() {
	f := c.film
	if len(f.Wrongs) == 0 {
		return
	}
	w := f.Wrongs[0]
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
		step.Bad = p.T == w.T && p.Key == w.Key
		steps = append(steps, step)
		booked++
	}
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Bad }) {
		steps = append(steps, Step{T: w.T, Kind: missedWord(w), Lane: "ledger", Cents: w.Cents, Bad: true})
	}
	steps = slices.DeleteFunc(steps, func(s Step) bool { return s.T > w.T })
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.T, b.T) })
	f.Story = c.numbered(shorten(steps))
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

// shorten keeps the first steps and the last.
func shorten(steps []Step) []Step {
	if len(steps) <= maxSteps {
		return steps
	}
	return append(steps[:maxSteps-1:maxSteps-1], steps[len(steps)-1])
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
	if l.Cents < 0 {
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
	case cb.Fate == Forged || cb.Fate == Phantom:
		end.T, end.Kind = cb.Stored, "believed"
	case before > 0:
		end.T, end.Kind = cb.Stored, "stored_again"
	default:
		end.T, end.Kind = cb.Stored, "stored"
	}
	end.Lane = laneOf(cb.Instance)
	if before == 0 || cb.Fate == Forged || cb.Fate == Phantom {
		return []Step{end}
	}
	return []Step{leave, end}
}

func laneOf(instance int) string { return string(rune('0' + instance)) }

func bookedWord(p Posting, before int) string {
	switch {
	case p.Cents < 0:
		return "returned"
	case before > 0:
		return "credited_again"
	}
	return "credited"
}

func missedWord(w Wrong) string {
	if w.Invariant == "I4" {
		return "refund_forgotten"
	}
	return "never_credited"
}
