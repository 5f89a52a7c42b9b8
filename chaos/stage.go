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
		first: 3_000, last: 50_000, even: true,
		quick: [2]int64{60, 160}, late: [2]int64{200, 600},
		ahead: [2]int64{1_800, 3_500}, codeAhead: [2]int64{1_800, 3_500}, earliest: 100,
		soon: [2]int64{2_500, 6_000}, later: [2]int64{2_500, 6_000},
		settle: [2]int64{100, 400}, tell: [2]int64{20, 100},
	}
}

// The lengths of time of a stage plan's faults, each from and to.
const (
	leastStageDelayMS, mostStageDelayMS     = 1_200, 4_000
	leastStageCopyMS, mostStageCopyMS       = 400, 2_000
	leastStageRestartMS, mostStageRestartMS = 1_500, 3_500
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
// stream of its deviation's own.
func fitStage(p *Plan, proposed []Deviation) []Deviation {
	out := make([]Deviation, 0, len(proposed))
	for _, d := range proposed {
		st, set := p.Seed.Stream("stage/"+d.Kind+"/"+d.Target.String()), &d.Set
		end, _ := p.hurried()
		fit := func(ms *int64, least, most int64) {
			if *ms > most || *ms > 1 && *ms < least {
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
		if set.AtMS > end {
			set.AtMS = st.Between(2*secondMS, end)
		}
		out = append(out, d)
	}
	return out
}
