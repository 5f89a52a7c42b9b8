package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxLiveMS is the longest that a plan marked for live runs goes on: they take
// real time, and somebody waits.
const MaxLiveMS = 20 * secondMS

// LiveRetry is the retry table of plans marked for live runs. It ends within a
// minute, and is drawn for no other plan.
func LiveRetry() RetryTable {
	const ms, sec = time.Millisecond, time.Second
	return RetryTable{
		Name: "live", Source: "ours: short enough to wait for", Timeout: 2 * sec,
		Delays: []time.Duration{200 * ms, 500 * ms, sec, 2 * sec, 4 * sec, 8 * sec},
	}
}

// liveProfile has every kind that makes sense in a few seconds of real time. A
// wrong clock and a storm want minutes and days; what is paid after its expiry
// or removal wants a charge that lives for seconds, which no PSP makes.
func liveProfile(kinds []Kind) Profile {
	left := []string{"clock_skew", "storm", "expired_paid", "removed_paid"}
	p := usual("live", "Marked for live runs: all within 20 seconds, with the faults that make sense in real time.")
	p.Live, p.Days, p.SweepEveryMS, p.Payments, p.Disputes = true, 0, secondMS/2, 12, Rate{}
	p.Payouts = Rate{} // they take hours
	for _, r := range ratesOf(kinds, func(k Kind) Rate { return between(k.Mixed, k.Hostile, 3) }) {
		switch {
		case slices.Contains(left, r.Kind), strings.HasPrefix(r.Kind, "payout_"):
		case r.Kind == "store_down":
			p.Rates = append(p.Rates, KindRate{r.Kind, Rate{1, 12}}) // one a plan
		default:
			p.Rates = append(p.Rates, r)
		}
	}
	return p
}

// liveSettings are the habits of both sides in a live run.
func liveSettings(s Settings, st *Stream) Settings {
	table := LiveRetry()
	s.Retry, s.CallbackTimeoutMS, s.StatementLagMS = table.Name, table.Timeout.Milliseconds(), st.Between(0, 400)
	return s
}

// The lengths of time of a live plan's faults, each from and to.
const (
	leastLiveWindowMS, mostLiveWindowMS   = 500, 2_500
	leastLiveRestartMS, mostLiveRestartMS = 100, 1_500
	leastLivePauseMS, mostLivePauseMS     = 3_100, 5_000 // past a live worker's lease of 3 s
	leastLiveSlowMS, mostLiveSlowMS       = 200, 2_500   // around a live call's time-out of 1 s
	leastLiveDelayMS, mostLiveDelayMS     = 200, 1_500   // up to four may meet on one callback
	leastLiveCopyMS, mostLiveCopyMS       = 50, 3_000
	leastLiveLagMS, mostLiveLagMS         = 300, 1_500
	liveFaultsEndMS                       = 13_000
)

// fitLive draws anew the times that a kind proposed for a day and that a live
// plan has no room for, each from a stream of its deviation's own. A callback
// that would have to wait too long for the one ahead of it is left where it is.
func fitLive(p *Plan, proposed []Deviation) []Deviation {
	out := make([]Deviation, 0, len(proposed))
	for _, d := range proposed {
		st, set := p.Seed.Stream("live/"+d.Kind+"/"+d.Target.String()), &d.Set
		if set.Behind != "" && set.DelayMS > mostLiveDelayMS {
			continue
		}
		fit := func(ms *int64, least, most int64) {
			if *ms > most {
				*ms = st.octave(least, most)
			}
		}
		fit(&set.DelayMS, leastLiveDelayMS, mostLiveDelayMS)
		fit(&set.CopyAfterMS, leastLiveCopyMS, mostLiveCopyMS)
		fit(&set.RestartMS, leastLiveRestartMS, mostLiveRestartMS)
		fit(&set.PauseMS, leastLivePauseMS, mostLivePauseMS)
		fit(&set.SlowMS, leastLiveSlowMS, mostLiveSlowMS)
		fit(&set.HideMS, leastLiveLagMS, mostLiveLagMS)
		fit(&set.LagMS, leastLiveLagMS, mostLiveLagMS)
		fit(&set.AtMS, liveFaultsEndMS/2, liveFaultsEndMS)
		out = append(out, d)
	}
	return out
}

// live refuses a plan that is marked for live runs and cannot be one.
func (v *validator) live() error {
	p := v.plan
	if !p.Live {
		return nil
	}
	for _, d := range p.Faults {
		if d.Set.SkewMS != 0 {
			return fmt.Errorf("live: %s moves a clock, which a live run cannot; want no such fault, or no mark", d.Target)
		}
	}
	last := p.LastActionMS()
	switch {
	case len(p.Operator) > 0:
		return fmt.Errorf("live: the plan has an operator, whom a live run has not; want no acts, or no mark")
	case p.HorizonMS > MaxLiveMS:
		return fmt.Errorf("live: horizon_ms is %d; want at most %d, or no mark", p.HorizonMS, MaxLiveMS)
	case last > MaxLiveMS:
		return fmt.Errorf("live: the last action comes after %d ms; want all within %d, or no mark", last, MaxLiveMS)
	case p.Settings.Retry != LiveRetry().Name:
		return fmt.Errorf("live: settings.retry is %q; want %q, or no mark", p.Settings.Retry, LiveRetry().Name)
	case p.Settings.StatementLagMS > 2*secondMS:
		return fmt.Errorf("live: settings.statement_lag_ms is %d; want at most %d, or no mark", p.Settings.StatementLagMS, 2*secondMS)
	}
	return nil
}
