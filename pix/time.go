package pix

import (
	"errors"
	"fmt"
	"time"
)

// TimeLayout is how this package writes a moment: RFC 3339 in UTC with three
// digits of milliseconds, the form of the standard's own examples.
const TimeLayout = "2006-01-02T15:04:05.000Z"

var (
	errTimeText  = errors.New("want an RFC 3339 date-time with its zone")
	errTimeRange = errors.New("year outside 1970 to 9999")
)

// FormatTime writes t in TimeLayout. What is finer than a millisecond is cut.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// ParseTime reads an RFC 3339 date-time with any offset and any fraction. A
// time without a zone is an error: guessing one moves money to another day.
// The result is in UTC, cut to the millisecond, so that what was read is
// written and read again as the same moment. Years outside 1970 to 9999 are
// errors.
func ParseTime(s string) (time.Time, error) {
	t, err := scanTime([]byte(s))
	if err != nil {
		return time.Time{}, fmt.Errorf("time %s: %w", excerpt(s), err)
	}
	return t, nil
}

// scanTime is ParseTime without the quoted text. The form is checked here
// because package time, reading RFC 3339, also takes one-digit hours, decimal
// commas and offsets of any size.
func scanTime(b []byte) (time.Time, error) {
	var t time.Time
	if !rfc3339(b) || t.UnmarshalText(b) != nil {
		return time.Time{}, errTimeText
	}
	t = t.UTC().Truncate(time.Millisecond)
	if y := t.Year(); y < 1970 || y > 9999 {
		return time.Time{}, errTimeRange
	}
	return t, nil
}

// rfc3339 is true of text formed as RFC 3339's date-time. That the numbers are
// a date is left to package time, but for those of the offset.
func rfc3339(b []byte) bool {
	const seconds = "0000-00-00T00:00:00"
	if len(b) <= len(seconds) || !formed(b[:len(seconds)], seconds) {
		return false
	}
	zone := b[len(seconds):]
	if zone[0] == '.' {
		n := 1
		for n < len(zone) && zone[n] >= '0' && zone[n] <= '9' {
			n++
		}
		if n == 1 {
			return false
		}
		zone = zone[n:]
	}
	switch {
	case len(zone) == 1:
		return zone[0] == 'Z'
	case formed(zone, "+00:00"), formed(zone, "-00:00"):
		return string(zone[1:3]) < "24" && string(zone[4:6]) < "60"
	}
	return false
}

// formed is true if b is like form, where 0 stands for any digit.
func formed(b []byte, form string) bool {
	if len(b) != len(form) {
		return false
	}
	for i, c := range b {
		if form[i] == '0' && c >= '0' && c <= '9' {
			continue
		}
		if c != form[i] {
			return false
		}
	}
	return true
}
