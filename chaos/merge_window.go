package chaos

import (
	"cmp"
	"slices"
)

// MergedWindow is a stretch of time, its end not included, through which the
// same things go wrong at one place.
type MergedWindow struct {
	From, To Instant
	Merged
}

// mergeWindows cuts the windows of each place where one begins or ends, so that
// every piece has one Merged and no two pieces overlap. It also gives the
// instants of all cuts, at all places.
func mergeWindows(faults []Deviation) (map[string][]MergedWindow, []Instant) {
	byPlace := map[string][]int{}
	var edges []Instant
	for i, d := range faults {
		if w := d.Target.Window; w != nil {
			byPlace[w.Place] = append(byPlace[w.Place], i)
			edges = append(edges, MS(w.FromMS), MS(w.ToMS))
		}
	}
	slices.Sort(edges)
	pieces := make(map[string][]MergedWindow, len(byPlace))
	for place, indexes := range byPlace {
		pieces[place] = cutWindows(faults, indexes)
	}
	return pieces, slices.Compact(edges)
}

// windowEdge is where a window begins or ends.
type windowEdge struct {
	at     int64
	window int // its index among the faults
	begins bool
}

// cutWindows walks the edges in order of time and keeps what is open between
// them, so that each piece costs what it holds and not what the plan holds.
func cutWindows(faults []Deviation, indexes []int) []MergedWindow {
	edges := make([]windowEdge, 0, 2*len(indexes))
	for _, i := range indexes {
		w := faults[i].Target.Window
		edges = append(edges, windowEdge{w.FromMS, i, w.FromMS < w.ToMS}, windowEdge{w.ToMS, i, false})
	}
	slices.SortFunc(edges, func(a, b windowEdge) int { return cmp.Compare(a.at, b.at) })
	var out []MergedWindow
	var open []int // ascending
	for k, e := range edges {
		switch at, found := slices.BinarySearch(open, e.window); {
		case e.begins:
			open = slices.Insert(open, at, e.window)
		case found:
			open = slices.Delete(open, at, at+1)
		}
		if k+1 < len(edges) && e.at < edges[k+1].at && len(open) > 0 {
			out = append(out, MergedWindow{MS(e.at), MS(edges[k+1].at), mergeAll(faults, open)})
		}
	}
	return out
}

// mergeAll is what several deviations come to together.
func mergeAll(faults []Deviation, indexes []int) Merged {
	var c Change
	for _, i := range indexes {
		c = c.Join(faults[i].Set)
	}
	return Merged{Change: c, From: slices.Clone(indexes)}
}

// Windows are the stretches in which something goes wrong at the place, in
// order of time and without overlap.
func (f *Faults) Windows(place string) []MergedWindow {
	if f.Healed() {
		return nil
	}
	return f.windows[place]
}

// At is what goes wrong at the place now.
func (f *Faults) At(place string, now Instant) Merged {
	if f.Healed() {
		return Merged{}
	}
	list := f.windows[place]
	k, _ := slices.BinarySearchFunc(list, now, func(w MergedWindow, now Instant) int {
		if w.To <= now {
			return -1
		}
		return 1
	})
	if k < len(list) && list[k].From <= now {
		return list[k].Merged
	}
	return Merged{}
}

// NextEdge is the next instant after now at which a window begins or ends at
// any place, or [Never].
func (f *Faults) NextEdge(now Instant) Instant {
	if f.Healed() {
		return Never
	}
	k, _ := slices.BinarySearch(f.edges, now+1)
	if k == len(f.edges) {
		return Never
	}
	return f.edges[k]
}
