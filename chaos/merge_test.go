package chaos

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func testPlan(faults ...Deviation) *Plan {
	p := &Plan{Format: Format, Generator: Generator, Seed: 1, Profile: "test", HorizonMS: DayMS, Faults: faults}
	p.Start = drawStart(1)
	p.Settings = drawSettings(1, calm())
	for i := range 6 {
		n := itoa(i)
		p.Charges = append(p.Charges, Charge{ID: "c" + n, Reference: "PED-" + n, Kind: ChargeDynamic,
			AmountCents: 1000, CreateAtMS: 1000, ExpiresInS: 3600})
		p.Payments = append(p.Payments, Payment{ID: "p" + n, Charge: "c" + n, EndToEndID: "E" + n,
			AmountCents: 1000, AtMS: 60_000, NotifyAfterMS: 10})
	}
	return p
}

func credit(subject string, copy, attempt int) CallbackAddress {
	return CallbackAddress{Subject: subject, Notice: NoticeCredit, Copy: copy, Attempt: attempt}
}

func inWindow(kind, place string, from, to int64, set Change) Deviation {
	return Deviation{Kind: kind, Target: Target{Window: &Window{place, from, to}}, Set: set}
}

func onAny(command, subject, edge string, nth int, set Change) Deviation {
	return Deviation{Kind: "crash", Set: set, Target: Target{Command: &CommandAddress{AnyInstance, command, subject, edge, nth}}}
}

func TestCallbackLookup(t *testing.T) {
	t.Parallel()
	f := testPlan(
		onCallback("p1", 0, 1, Change{DelayMS: 5}),
		onCallback("p1", 0, 2, Change{Drop: true}),
		onCallback("p1", 0, 1, Change{DelayMS: 7, AckLost: true}),
	).Merge()
	want := Merged{Change{DelayMS: 12, AckLost: true}, []int{0, 2}}
	if got := f.Callback(credit("p1", 0, 1)); !reflect.DeepEqual(got, want) {
		t.Errorf("attempt 1 = %+v, want %+v", got, want)
	}
	for _, clean := range []CallbackAddress{credit("p1", 0, 3), credit("p1", 1, 1), credit("p2", 0, 1), {Subject: "p1", Notice: NoticeForged, Attempt: 1}} {
		if got := f.Callback(clean); got.Any() || !reflect.DeepEqual(got, Merged{}) {
			t.Errorf("%+v = %+v, want nothing", clean, got)
		}
	}
}

func TestCopiesAndNotices(t *testing.T) {
	t.Parallel()
	f := testPlan(
		onCallback("p1", 103, 1, Change{CopyAfterMS: 9}),
		onCallback("p1", 2, 1, Change{CopyAfterMS: 1}),
		onCallback("p1", 2, 2, Change{AckLost: true}),
		onCallback("p1", 4, 1, Change{DelayMS: 9}), // no copy 4 was ever asked for
		onNotice("p1", NoticePhantom, Change{AtMS: 5}),
		onNotice("p1", NoticeForged, Change{AtMS: 5}),
	).Merge()
	if got, want := f.Copies("p1", NoticeCredit), []int{2, 103}; !slices.Equal(got, want) {
		t.Errorf("copies = %v, want %v", got, want)
	}
	if got := f.Copies("p1", NoticeForged); got != nil {
		t.Errorf("copies of the forged notice = %v, want none", got)
	}
	if got, want := f.Notices("p1"), []string{NoticeForged, NoticePhantom}; !slices.Equal(got, want) {
		t.Errorf("notices = %v, want %v", got, want)
	}
	if got := f.Notices("p2"); got != nil {
		t.Errorf("notices of p2 = %v, want none", got)
	}
}

func TestAPIAndPaymentLookup(t *testing.T) {
	t.Parallel()
	f := testPlan(
		onAPI(RouteChargePut, "c1", 2, Change{Status: 500}),
		onAPI(RouteChargePut, "c1", 2, Change{Status: 429, SlowMS: 3}),
		onPayment("p3", Change{PayCents: 5, Lax: true}),
	).Merge()
	if got, want := f.API(APIAddress{RouteChargePut, "c1", 2}), (Merged{Change{Status: 500, SlowMS: 3}, []int{0, 1}}); !reflect.DeepEqual(got, want) {
		t.Errorf("second PUT = %+v, want %+v", got, want)
	}
	if got := f.API(APIAddress{RouteChargePut, "c1", 1}); got.Any() {
		t.Errorf("first PUT = %+v, want nothing", got)
	}
	if got, want := f.Payment("p3"), (Merged{Change{PayCents: 5, Lax: true}, []int{2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("p3 = %+v, want %+v", got, want)
	}
}

func TestCommandLookup(t *testing.T) {
	t.Parallel()
	own := Deviation{Kind: "commit_lost", Set: Change{LoseCommit: true},
		Target: Target{Command: &CommandAddress{"2", CommandApplyEvents, "p1", EdgeAfter, 1}}}
	f := testPlan(onAny(CommandApplyEvents, "p1", EdgeAfter, 3, Change{Crash: true, RestartMS: 9}), own).Merge()
	for name, c := range map[string]struct {
		instance, edge   string
		here, everywhere int
		want             []int
	}{
		"any counts all instances":     {"1", EdgeAfter, 9, 3, []int{0}},
		"own counts its instance":      {"2", EdgeAfter, 1, 9, []int{1}},
		"both meet":                    {"2", EdgeAfter, 1, 3, []int{0, 1}},
		"own is not another's":         {"1", EdgeAfter, 1, 9, nil},
		"the other edge is clean":      {"2", EdgeBefore, 1, 3, nil},
		"own does not count them all":  {"2", EdgeAfter, 9, 1, nil},
		"any does not count instances": {"1", EdgeAfter, 3, 9, nil},
	} {
		if got := f.Command(c.instance, CommandApplyEvents, "p1", c.edge, c.here, c.everywhere); !slices.Equal(got.From, c.want) {
			t.Errorf("%s: from %v, want %v", name, got.From, c.want)
		}
	}
	if !f.HasCommandFaults() || !f.CommandSubject(CommandApplyEvents) || f.CommandSubject(CommandAppendInbox) {
		t.Error("the fast paths do not tell struck commands from clean ones")
	}
	if got := f.Command("2", CommandApplyEvents, "p2", EdgeAfter, 1, 3); got.Any() {
		t.Errorf("p2 = %+v, want nothing", got)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	f := testPlan(
		onCallback("p1", 0, 1, Change{With: []string{"p3"}}),
		onCallback("p1", 0, 1, Change{With: []string{"p2"}}),
		onCallback("p3", 0, 1, Change{With: []string{"p5"}}), // p3 rides itself, so p5 goes to p1
	).Merge()
	for _, rider := range []string{"p2", "p3", "p5"} {
		if leader, ok := f.Grouped(rider); !ok || leader != "p1" {
			t.Errorf("%s rides with %q (%v), want p1", rider, leader, ok)
		}
	}
	for _, alone := range []string{"p1", "p4"} {
		if leader, ok := f.Grouped(alone); ok {
			t.Errorf("%s rides with %s, want it alone", alone, leader)
		}
	}
	got := f.Callback(credit("p1", 0, 1))
	if want := []string{"p2", "p3", "p5"}; !slices.Equal(got.Change.With, want) || !slices.Equal(got.From, []int{0, 1, 2}) {
		t.Errorf("p1 carries %v from %v, want %v from 0, 1, 2", got.Change.With, got.From, want)
	}
}

// TestWindowsAgainstNaiveScan compares At, Windows and NextEdge with a scan
// over all deviations.
func TestWindowsAgainstNaiveScan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var faults []Deviation
		for i := range rapid.IntRange(0, 8).Draw(t, "windows") {
			from := rapid.Int64Range(0, 20).Draw(t, "from")
			to := from + rapid.Int64Range(1, 10).Draw(t, "length")
			place := rapid.SampledFrom([]string{PlaceStore, PlacePSP}).Draw(t, "place")
			faults = append(faults, inWindow("k", place, from, to, Change{LagMS: int64(i), SkewMS: 1}))
		}
		f := testPlan(faults...).Merge()
		for ms := int64(0); ms < 32; ms++ {
			next := Never
			for _, place := range []string{PlaceStore, PlacePSP} {
				var want Merged
				for i, d := range faults {
					w := d.Target.Window
					if w.Place == place && w.FromMS <= ms && ms < w.ToMS {
						want = want.and(d.Set, i)
					}
					for _, edge := range []int64{w.FromMS, w.ToMS} {
						if edge > ms {
							next = min(next, MS(edge))
						}
					}
				}
				if got := f.At(place, MS(ms)); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s at %d = %+v, want %+v", place, ms, got, want)
				}
				var within Merged
				for _, w := range f.Windows(place) {
					if w.From <= MS(ms) && MS(ms) < w.To {
						within = w.Merged
					}
				}
				if !reflect.DeepEqual(within, want) {
					t.Fatalf("windows of %s hold %+v at %d, want %+v", place, within, ms, want)
				}
			}
			if got := f.NextEdge(MS(ms)); got != next {
				t.Fatalf("next edge after %d = %d, want %d", ms, got, next)
			}
		}
	})
}

func TestHealEmptiesEveryLookup(t *testing.T) {
	t.Parallel()
	f := testPlan(
		onCallback("p1", 1, 1, Change{CopyAfterMS: 5, With: nil}),
		onCallback("p1", 0, 1, Change{With: []string{"p2"}}),
		onNotice("p1", NoticeForged, Change{AtMS: 5}),
		onAPI(RoutePixGet, "p1", 1, Change{Cut: true}),
		onAny(CommandApplyEvents, "p1", EdgeAfter, 1, Change{Crash: true}),
		onPayment("p1", Change{Lax: true}),
		inWindow("store_down", PlaceStore, 0, 10, Change{Down: true}),
	).Merge()
	f.Heal()
	_, grouped := f.Grouped("p2")
	if !f.Healed() || grouped || f.HasCommandFaults() || f.CommandSubject(CommandApplyEvents) ||
		f.Callback(credit("p1", 0, 1)).Any() || f.Copies("p1", NoticeCredit) != nil || f.Notices("p1") != nil ||
		f.API(APIAddress{RoutePixGet, "p1", 1}).Any() || f.Command("1", CommandApplyEvents, "p1", EdgeAfter, 1, 1).Any() ||
		f.Payment("p1").Any() || f.At(PlaceStore, 5).Any() || f.Windows(PlaceStore) != nil || f.NextEdge(0) != Never {
		t.Error("a fault outlived Heal")
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	p := testPlan(
		Deviation{Kind: "drop"}, Deviation{Kind: "delay"}, Deviation{Kind: "drop"}, Deviation{Kind: "zebra"},
	)
	tally := NewTally(p)
	tally.Fire([]int{0, 1})
	tally.Fire([]int{0})
	tally.FireOne(1)
	want := []KindCount{{"delay", 1, 1}, {"drop", 2, 1}, {"zebra", 1, 0}}
	if got := tally.Counts(); !slices.Equal(got, want) {
		t.Errorf("counts = %v, want %v", got, want)
	}
	if tally.Planned() != 4 || tally.Fired() != 2 {
		t.Errorf("planned %d, fired %d; want 4, 2", tally.Planned(), tally.Fired())
	}
}

func BenchmarkMergeHostile(b *testing.B) {
	b.ReportAllocs()
	p, err := Generate(Options{Seed: 1, Profile: "hostile"})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Merge()
	}
}

func BenchmarkCallbackLookup(b *testing.B) {
	b.ReportAllocs()
	p, err := Generate(Options{Seed: 1, Profile: "hostile"})
	if err != nil {
		b.Fatal(err)
	}
	f := p.Merge()
	for b.Loop() {
		f.Callback(credit("p7", 0, 1))
	}
}

// What strikes once a window does so whichever of two that overlap is named first.
func TestFirstKnowsNoOrder(t *testing.T) {
	t.Parallel()
	window := func(from, to int64) Deviation {
		return inWindow("worker_paused", "instance/1/worker", from, to, Change{PauseMS: 10})
	}
	for _, faults := range [][]Deviation{{window(5, 10), window(0, 8)}, {window(0, 8), window(5, 10)}} {
		f, struck := testPlan(faults...).Merge(), map[int]bool{}
		var got []bool
		for _, at := range []int64{1, 2, 6, 7, 9} {
			got = append(got, f.At("instance/1/worker", MS(at)).First(struck))
		}
		if want := []bool{true, false, true, false, false}; !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", faults, got, want)
		}
	}
}
