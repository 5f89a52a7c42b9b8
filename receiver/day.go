package receiver

import (
	"fmt"
	"sync"
	"time"
)

// dayZone is where a day begins and ends for the books.
const dayZone = "America/Sao_Paulo"

// booksZone is loaded when the first day is asked for. The time zones come from the
// machine or, where a program imports time/tzdata, from the program itself.
var booksZone = sync.OnceValue(func() *time.Location {
	loc, err := time.LoadLocation(dayZone)
	if err != nil {
		panic("receiver: no time zones on this machine; import time/tzdata in the program: " + err.Error())
	}
	return loc
})

// Day is the day of the books that holds t: from its first instant, up to and
// without the first of the next day. It is a day of America/Sao_Paulo, so it
// has 24 hours, or 23 or 25 where daylight saving begins or ends; the days of
// all times tile the line of time without gap or overlap. Both bounds are in
// UTC, as they go into questions to the PSP.
//
// Day panics where no time-zone database is to be had: a guess would move money
// to another day.
func Day(t time.Time) (from, to time.Time) {
	y, m, d := t.In(booksZone()).Date()
	return dayStart(y, m, d), dayStart(y, m, d+1)
}

// DayName is the name of the day that holds t, such as 2026-03-02.
func DayName(t time.Time) string { return t.In(booksZone()).Format(time.DateOnly) }

// ParseDay is the day of that name: from its first instant, up to and without the
// first of the next day.
func ParseDay(name string) (from, to time.Time, err error) {
	t, err := time.ParseInLocation(time.DateOnly, name, booksZone())
	if err != nil {
		return from, to, fmt.Errorf("day %q: want year, month and day, such as 2026-03-02", name)
	}
	from, to = Day(t.Add(12 * time.Hour)) // noon: there may be no midnight
	return from, to, nil
}

// dayStart is the first instant of a local day. Where the clock jumps over
// midnight there is no 00:00, and [time.Date] may answer with an instant of the
// day before: then the day begins at the jump.
func dayStart(y int, m time.Month, d int) time.Time {
	start := time.Date(y, m, d, 0, 0, 0, 0, booksZone())
	noon := time.Date(y, m, d, 12, 0, 0, 0, booksZone())
	if start.Day() != noon.Day() {
		_, start = start.ZoneBounds()
	}
	return start.UTC()
}
