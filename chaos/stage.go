package chaos

// stageMS is the length of a plan made to be watched.
const stageMS = minuteMS

// stageProfile is a minute that one can follow: a Pix a second, steps and wires
// slow enough to see, sweeps every ten seconds, and the faults that tell a story.
func stageProfile() Profile {
	return Profile{
		Name: "stage", Doc: "A minute to be watched: a Pix a second, slow wires, sweeps every ten seconds, the faults that tell a story.",
		Stage: true, Plain: true, SweepEveryMS: 10 * secondMS, Payments: 48, Refunds: Rate{1, 6},
		Rates: []KindRate{
			{"delay", Rate{1, 9}}, {"duplicate", Rate{1, 6}}, {"reorder", Rate{1, 16}}, {"drop", Rate{1, 11}},
			{"ack_lost", Rate{1, 16}}, {"forged", Rate{1, 10}}, {"crash", Rate{1, 40}},
		},
	}
}

// stageSettings are the habits of both sides in a plan made to be watched.
func stageSettings(s Settings) Settings {
	table := LiveRetry()
	s.Workers, s.Retry, s.CallbackTimeoutMS, s.StatementLagMS = 1, table.Name, table.Timeout.Milliseconds(), 0
	s.StepMS, s.WireMS, s.PageSize, s.RefundRepeat = 10, 220, 100, "same"
	return s
}

// stagePace spreads the payments evenly over the minute.
func stagePace() pace {
	return pace{
		first: 3_000, last: 46_000, even: true,
		quick: [2]int64{60, 160}, late: [2]int64{200, 600},
		ahead: [2]int64{1_800, 3_500}, codeAhead: [2]int64{1_800, 3_500}, earliest: 100,
		soon: [2]int64{10_500, 13_000}, later: [2]int64{10_500, 13_000}, // past the next sweep, which confirms the Pix
		settle: [2]int64{100, 400}, tell: [2]int64{20, 100},
	}
}

// The lengths of time of a stage plan's faults, each from and to.
const (
	leastStageDelayMS, mostStageDelayMS     = 1_200, 4_000
	leastStageCopyMS, mostStageCopyMS       = 400, 2_000
	leastStageRestartMS, mostStageRestartMS = 1_500, 3_500
	leastStageLieMS, mostStageLieMS         = 500, 3_000
)

// hurried says whether a plan is one of seconds, and where its faults end.
func (p *Plan) hurried() (faultsEndMS int64, ok bool) {
	switch {
	case p.Live:
		return liveFaultsEndMS, true
	case p.HorizonMS <= stageMS:
		return p.HorizonMS - 8*secondMS, true
	}
	return 0, false
}

// fitStage draws anew the times that a kind proposed for a day, each from a
// stream of its deviation's own. One further copy of a callback is enough to
// see what a copy does; a lie is told beside the truth that it is about.
func fitStage(p *Plan, proposed []Deviation) []Deviation {
	out := make([]Deviation, 0, len(proposed))
	dues := map[string]int64{}
	for _, pay := range p.Payments {
		dues[pay.ID] = pay.AtMS + pay.NotifyAfterMS
	}
	for _, d := range proposed {
		a := d.Target.Callback
		if a != nil && a.Copy > 1 {
			continue
		}
		st, set := p.Seed.Stream("stage/"+d.Kind+"/"+d.Target.String()), &d.Set
		end, _ := p.hurried()
		fit := func(ms *int64, least, most int64) {
			if *ms > most || *ms > 0 && *ms < least {
				*ms = st.octave(least, most)
			}
		}
		if set.Behind == "" {
			fit(&set.DelayMS, leastStageDelayMS, mostStageDelayMS)
		} else if set.DelayMS > 2*mostStageDelayMS {
			continue
		}
		fit(&set.CopyAfterMS, leastStageCopyMS, mostStageCopyMS)
		fit(&set.RestartMS, leastStageRestartMS, mostStageRestartMS)
		if a != nil && set.AtMS > 0 {
			set.AtMS = min(dues[a.Subject]+st.octave(leastStageLieMS, mostStageLieMS), end)
		}
		out = append(out, d)
	}
	return out
}
