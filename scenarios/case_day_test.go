package scenarios_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the days of 2018 must not depend on the machine

	"github.com/pixlab/pixlab/receiver"
)

// From the field: a day was taken to begin at a midnight, which in Sao Paulo
// does not exist on one night of the year, and comes after an hour that was
// there twice on another. The windows of daily reports missed an hour, or had
// it twice.
func TestDaysOfSaoPauloTileTheLineOfTime(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name, first string // any instant of the first day
		hours       []int
	}{
		{"the clock jumps over midnight", "2018-11-02T12:00:00-03:00", []int{24, 24, 23, 24}},
		{"23:00 to 24:00 comes twice", "2018-02-16T12:00:00-02:00", []int{24, 25, 24}},
		{"a week without a change", "2026-03-02T12:00:00-03:00", []int{24, 24, 24, 24, 24, 24, 24}},
		{"the end of a leap year's February", "2024-02-28T12:00:00-03:00", []int{24, 24, 24}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from, _ := receiver.Day(at(c.first))
			for i, hours := range c.hours {
				start, end := receiver.Day(from)
				if !start.Equal(from) {
					t.Fatalf("day %d begins at %s, the one before ended at %s", i, start, from)
				}
				if got := end.Sub(start); got != time.Duration(hours)*time.Hour {
					t.Errorf("day %d, from %s, has %s, want %d h", i, start, got, hours)
				}
				tiles(t, start, end)
				from = end
			}
		})
	}
}

// tiles wants every instant of a day to be in that day.
func tiles(t *testing.T, start, end time.Time) {
	t.Helper()
	last := end.Add(-time.Nanosecond)
	for at := start; !at.After(last); at = at.Add(10 * time.Minute) {
		if from, to := receiver.Day(at); !from.Equal(start) || !to.Equal(end) {
			t.Fatalf("%s is in the day from %s to %s, want %s to %s", at, from, to, start, end)
		}
	}
	if from, to := receiver.Day(last); !from.Equal(start) || !to.Equal(end) {
		t.Errorf("the last instant is in the day from %s to %s, want %s to %s", from, to, start, end)
	}
}

// The bounds of the nights in question, spelled out.
func TestDayBoundsOfTheNightsWhenTheClockChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, from, to string }{
		{"2018-11-03T23:59:59.999-03:00", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"},
		{"2018-11-04T01:00:00-02:00", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"2018-02-17T23:30:00-02:00", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"},
		{"2018-02-17T23:30:00-03:00", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"},
		{"2018-02-18T00:00:00-03:00", "2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z"},
		{"2026-03-02T02:59:59Z", "2026-03-01T03:00:00Z", "2026-03-02T03:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		from, to := receiver.Day(at)
		if got, want := from.Format(time.RFC3339)+" "+to.Format(time.RFC3339), c.from+" "+c.to; got != want {
			t.Errorf("the day of %s: got %s, want %s", c.at, got, want)
		}
	}
}
