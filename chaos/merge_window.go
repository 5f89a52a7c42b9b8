package chaos

import "slices"

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

func cutWindows(faults []Deviation, indexes []int) []MergedWindow {
	var cuts []int64
	for _, i := range indexes {
		cuts = append(cuts, faults[i].Target.Window.FromMS, faults[i].Target.Window.ToMS)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []MergedWindow
	for k := 0; k+1 < len(cuts); k++ {
		piece := MergedWindow{From: MS(cuts[k]), To: MS(cuts[k+1])}
		for _, i := range indexes {
			if w := faults[i].Target.Window; w.FromMS <= cuts[k] && cuts[k] < w.ToMS {
				piece.Merged = piece.and(faults[i].Set, i)
			}
		}
		if piece.Any() {
			out = append(out, piece)
		}
	}
	return out
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
