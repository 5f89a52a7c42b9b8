package chaos

import "math/bits"

// Lengths of time in milliseconds, as the plan file holds them.
const (
	secondMS = int64(1_000)
	minuteMS = 60 * secondMS
	hourMS   = 60 * minuteMS
)

// The day of a plan: payments fall between half past midnight and 22:00, in a
// profile of many days on the first three of them.
const (
	firstPaymentMS = 30 * minuteMS
	lastPaymentMS  = 22 * hourMS
	paymentDays    = 3
	burstsInTwenty = 5
)

// octave draws from lo to hi so that every doubling is as likely as the next:
// a second, a minute and an hour all come up. lo is at least 1.
func (st *Stream) octave(lo, hi int64) int64 {
	if hi <= lo {
		return lo
	}
	octaves := bits.Len64(uint64(hi / lo))
	from := lo << st.Below(uint64(octaves))
	return st.Between(from, min(hi, 2*from-1))
}

// instant is when payment i is tried. Every twenty payments share five bursts,
// each as tight as milliseconds, seconds or half a minute, so that races
// happen; one payment in four stands alone.
func (d *drawer) instant(i int) int64 {
	st := d.stream(i, "at")
	first, last := d.pace.first, d.pace.last
	if d.pace.even {
		return first + int64(i)*secondMS%(last-first) + st.Between(0, secondMS-1)
	}
	if st.Chance(Rate{1, 4}) {
		return st.Between(first, last)
	}
	k := st.Below(burstsInTwenty)
	burst := d.plan.Seed.Stream("burst/" + itoa(i/20) + "/" + itoa(int(k)))
	widths := d.pace.widths
	centre := burst.Between(first, last-2*widths[len(widths)-1])
	width := widths[burst.Below(uint64(len(widths)))]
	return centre + st.Between(0, width)
}

// notify is the time from settlement to callback: mostly milliseconds.
func (d *drawer) notify(st *Stream) int64 {
	if st.Chance(Rate{1, 10}) {
		return st.Between(d.pace.late[0], d.pace.late[1])
	}
	return st.octave(d.pace.quick[0], d.pace.quick[1])
}

// drawExpiry is a charge's life in seconds, from one hour to a day.
func drawExpiry(st *Stream) int64 {
	usual := [...]int64{3_600, 3_600, 7_200, 14_400, 43_200, 86_400}
	if st.Chance(Rate{2, 3}) {
		return usual[st.Below(uint64(len(usual)))]
	}
	return st.Between(3_600, 86_400)
}

// drawAmount is a price in cents, from 1 cent to R$ 9,999.99: one in six is an
// edge (the least, the most, those that binary fractions get wrong), the others
// are what a shop asks for.
func drawAmount(st *Stream) int64 {
	edges := [...]int64{1, 2, 9, 10, 99, 100, 101, 198, 1_000, 19_800, 23_775, 34_948, 59_980, 100_000, 999_900, 999_999}
	if st.Chance(Rate{1, 6}) {
		return edges[st.Below(uint64(len(edges)))]
	}
	reais := drawReais(st)
	endings := [...]int64{0, 0, 0, 50, 90, 90, 90, 99, 99}
	if st.Chance(Rate{2, 3}) {
		return reais*100 + endings[st.Below(uint64(len(endings)))]
	}
	return reais*100 + st.Between(0, 99)
}

func drawReais(st *Stream) int64 {
	switch n := st.Below(20); {
	case n < 8:
		return st.Between(5, 49)
	case n < 15:
		return st.Between(50, 299)
	case n < 19:
		return st.Between(300, 1_999)
	}
	return st.Between(2_000, 9_999)
}
