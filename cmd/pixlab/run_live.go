package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/live"
)

// checkMode refuses what does not go with the mode, and gives a live run its
// own default profile.
func (f *runFlags) checkMode(cmd *cobra.Command) error {
	switch f.mode {
	case modeModel:
		if f.database != "" {
			return usagef("--database-url stands without --mode live; a model run keeps its store in memory")
		}
		return nil
	case modeLive:
	default:
		return usagef("--mode is %q; want model or live", f.mode)
	}
	if f.twice || f.trace != "" || f.html != "" || f.inevitable || f.healAt.n > 0 {
		return usagef("--check-determinism, --trace, --html, --heal-at and --inevitable are the model's; a live run has the machine's timings and no trace")
	}
	if f.receiver != scenarios.Reference().Name {
		return usagef("--receiver is %q; a live run has the %s receiver alone", f.receiver, scenarios.Reference().Name)
	}
	if !cmd.Flag("profile").Changed {
		f.profile = modeLive
	}
	return nil
}

// runLive runs one plan on real processes.
func (c *cli) runLive(ctx context.Context, f *runFlags) error {
	src, err := c.sourceOf(f)
	if err != nil {
		return err
	}
	if err := live.Check(src.plan); err != nil {
		return usageError{err.Error()}
	}
	if f.planOut != "" {
		if err := src.writeTo(f.planOut); err != nil {
			return err
		}
	}
	binary, err := os.Executable()
	if err != nil {
		return environmentError{"find this program", err}
	}
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	show := c.progress()
	began := time.Now()
	result, err := live.Run(ctx, live.Options{Plan: src.plan, Binary: binary, DatabaseURL: f.database, Tell: func(what string) { show.say("%s", what) }})
	show.clear()
	if err != nil {
		return environmentError{"live run", interrupted(ctx, err)}
	}
	run := &finished{
		Report: result.Report, source: src, receiver: scenarios.Reference().Name, live: true, skipped: result.Skipped,
		elapsed: time.Since(began),
	}
	run.keep()
	if err := c.tell(run, f.json, c.out); err != nil {
		return err
	}
	return verdictOutcome(run.Verdict)
}

// interrupted is the signal in place of what it made fail.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted; everything that it had started is gone")
	}
	return err
}

// hashOrNone is the trace's hash, or why there is none.
func (r *finished) hashOrNone() string {
	if r.live {
		return "no hash: decisions are the seed's, timings this machine's"
	}
	return r.Hash
}

// bound is how long the run had to come to rest.
func (r *finished) bound() time.Duration {
	if r.live {
		return live.SettleBound
	}
	return scenarios.HealBound.Duration()
}

// finding is what broke, and where in the trace.
func (r *finished) finding(i scenarios.InvariantResult) string {
	if r.live {
		return i.Detail
	}
	return fmt.Sprintf("%s (event %s)", i.Detail, grouped(i.Event))
}

// work tells how long it took, and how much was done.
func (r *finished) work(p *page) {
	if !r.live {
		p.field("time", "%s simulated in %s", virtual(r.SimulatedMS), elapsed(r.elapsed))
		p.field("work", "%s steps, %s events, %s HTTP calls", grouped(r.Steps), grouped(r.Events), grouped(r.Calls))
		return
	}
	p.field("time", "%s from the plan's start, %s in all: live, decisions are the seed's, timings this machine's",
		elapsed(time.Duration(r.SimulatedMS)*time.Millisecond), elapsed(r.elapsed))
	p.field("work", "%s requests to the receivers, %s callbacks acknowledged", grouped(r.Calls), grouped(int64(r.Acknowledged)))
	for _, what := range r.skipped {
		p.field("skipped", "%s", what)
	}
}
