package chaos

import (
	"strconv"
	"time"
)

// Instant is a point of virtual time: microseconds from the plan's Start.
type Instant int64

// Units of virtual time.
const (
	Microsecond Instant = 1
	Millisecond         = 1000 * Microsecond
	Second              = 1000 * Millisecond
	Minute              = 60 * Second
	Hour                = 60 * Minute
)

// Never is later than every instant.
const Never Instant = 1<<63 - 1

// MS is the instant ms milliseconds after the start.
func MS(ms int64) Instant { return Instant(ms) * Millisecond }

// Span converts a duration; what is under a microsecond is cut.
func Span(d time.Duration) Instant { return Instant(d / time.Microsecond) }

// Duration is the instant as a length of time from the start.
func (i Instant) Duration() time.Duration { return time.Duration(i) * time.Microsecond }

func itoa(n int) string { return strconv.Itoa(n) }
