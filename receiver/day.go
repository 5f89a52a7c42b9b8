package receiver

import (
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
