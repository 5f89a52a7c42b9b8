package chaos

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainWindows asks each window at each cut.
func plainWindows(faults []Deviation) []MergedWindow {
	var cuts []int64
	for _, d := range faults {
		cuts = append(cuts, d.Target.Window.FromMS, d.Target.Window.ToMS)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []MergedWindow
	for k := 0; k+1 < len(cuts); k++ {
		piece := MergedWindow{From: MS(cuts[k]), To: MS(cuts[k+1])}
		for i, d := range faults {
			if w := d.Target.Window; w.FromMS <= cuts[k] && cuts[k] < w.ToMS {
				piece.Merged = piece.and(d.Set, i)
			}
		}
		if piece.Any() {
			out = append(out, piece)
		}
	}
	return out
}

// TestWindowsAreCutAsThePlainWayCutsThem compares the walk along the edges with
// a look at every window for every piece.
func TestWindowsAreCutAsThePlainWayCutsThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		faults := make([]Deviation, rapid.IntRange(0, 12).Draw(t, "windows"))
		for i := range faults {
			from := rapid.Int64Range(0, 12).Draw(t, "from")
			to := rapid.Int64Range(from+1, 14).Draw(t, "to")
			faults[i].Target.Window = &Window{Place: PlaceStore, FromMS: from, ToMS: to}
			faults[i].Set = drawChange(t, "set")
		}
		got, _ := mergeWindows(faults)
		if want := plainWindows(faults); !reflect.DeepEqual(got[PlaceStore], want) {
			t.Fatalf("got %+v, want %+v", got[PlaceStore], want)
		}
	})
}
