package chaos

// pace is how a plan spreads over its horizon: lengths of time in milliseconds,
// each pair from and to.
type pace struct {
	// Payments fall between first and last; a burst of several is as wide as one
	// of widths.
	first, last int64
	widths      [5]int64
	// quick is the usual time from settlement to callback, late one time in ten.
	quick, late [2]int64
	// ahead is how long before its payment a charge is made, codeAhead a static
	// code; none is made before earliest.
	ahead, codeAhead [2]int64
	earliest         int64
	// adopt is how long after it was made elsewhere a charge is adopted.
	adopt    [2]int64
	adoptEnd int64
	// soon is when a refund is asked for one time in ten, later the usual one.
	soon, later [2]int64
	// settle is how long a refund is in process, tell how long after its end it is
	// told of.
	settle, tell [2]int64
	// even makes one payment a second, over and over, in place of bursts.
	even bool
}

// pace is that of a day, of several days, or of a live run.
func (p Profile) pace() pace {
	if p.Stage {
		return stagePace()
	}
	if p.Live {
		return pace{
			first: 1_500, last: 8_000, widths: [5]int64{8, 40, 200, 600, 1_400},
			quick: [2]int64{5, 300}, late: [2]int64{500, 1_500},
			ahead: [2]int64{300, 3_000}, codeAhead: [2]int64{300, 3_000}, earliest: 200,
			adopt: [2]int64{200, 4_000}, adoptEnd: 11_000,
			soon: [2]int64{100, 600}, later: [2]int64{500, 2_500},
			settle: [2]int64{100, 1_500}, tell: [2]int64{0, 300},
		}
	}
	last := lastPaymentMS + int64(min(p.Days, paymentDays)-1)*DayMS
	end := int64(p.Days) * DayMS
	return pace{
		first: firstPaymentMS, last: last, widths: [5]int64{8, 40, 1_500, 8_000, 30_000},
		quick: [2]int64{5, 800}, late: [2]int64{secondMS, 10 * secondMS},
		ahead: [2]int64{5_000, 2 * hourMS}, codeAhead: [2]int64{minuteMS, 2 * hourMS}, earliest: secondMS,
		adopt: [2]int64{minuteMS, 6 * hourMS}, adoptEnd: end - minuteMS,
		soon: [2]int64{300, 20 * secondMS}, later: [2]int64{5 * minuteMS, p.longestWait()},
		settle: [2]int64{200, longestSettleMS}, tell: [2]int64{0, 2 * secondMS},
	}
}

// horizon is the length of the profile's plans.
func (p Profile) horizon() int64 {
	switch {
	case p.Live:
		return MaxLiveMS
	case p.Stage:
		return stageMS
	}
	return int64(p.Days) * DayMS
}

// latestRefund is the last instant at which a refund may be asked for.
func (p Profile) latestRefund() int64 {
	switch {
	case p.Live:
		return liveFaultsEndMS
	case p.Stage:
		return stageMS - 8*secondMS
	}
	return p.horizon() - returnsEndMS - longestSettleMS - 2*secondMS
}
