package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/explore"
	"github.com/pixlab/pixlab/scenarios"
)

// exploreFlags are the flags of "explore".
type exploreFlags struct {
	seeds, base, shard, receiver, plans, junit, summary string
	profiles                                            []string
	time, shrinkTime                                    time.Duration
	jobs                                                countFlag
	twice, related                                      int
	collect, json                                       bool

	span explore.Range
	part explore.Shard
}

const exploreDoc = `Look at seed after seed, for as long as you say, until one fails. Committed failing plans run
first. One seed in fifty runs twice, and one in ten also in relation to another plan: other
order, one outage more, or healed early.

Machines that are given different shards (--shard 1/8 … 8/8) share no seed and leave none out.
Failures are shrunk, told, and grouped by invariant and by the shape of the smallest plan.
A long search of profile hostile also fails if it never comes to a place that matters.`

func (c *cli) exploreCommand() *cobra.Command {
	f := exploreFlags{jobs: countFlag{n: runtime.GOMAXPROCS(0), most: 1024}}
	cmd := &cobra.Command{
		Use: "explore", Short: "Search seeds for failures", Long: exploreDoc, Args: noArgs,
		Example: "  pixlab explore --time 60s --jobs 2 --profile hostile\n" +
			"  pixlab explore --seeds 1-20000 --shard 2/4 --collect --junit explore.xml --summary explore.md",
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectSeldom()
			if err := f.check(cmd); err != nil {
				return err
			}
			return c.explore(&f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "look at the seeds of `A-B`, or from 1 to B (1-1000, or without end where --time is given)")
	flags.StringVar(&f.base, "base", "", "count seeds from one made of `TEXT`, such as a commit or a date, in place of 0")
	flags.DurationVar(&f.time, "time", 0, "begin no more seeds after so `LONG`")
	flags.Var(&f.jobs, "jobs", "run `N` worlds at a time")
	flags.StringVar(&f.shard, "shard", "", "look only at part `i/n` of the seeds")
	flags.StringArrayVar(&f.profiles, "profile", []string{chaos.DefaultProfile}, "draw plans of the profile called `NAME`; may be repeated")
	flags.StringVar(&f.receiver, "receiver", scenarios.Reference().Name, "run the receiver called `NAME`; see pixlab broken")
	flags.StringVar(&f.plans, "plans", "", "run the plans of `FOLDER` first ("+keptPlans+", if it is there)")
	flags.BoolVar(&f.collect, "collect", false, "go on after a failure, and collect")
	flags.IntVar(&f.twice, "twice", 50, "run one in `N` seeds twice and compare; 0 for none")
	flags.IntVar(&f.related, "related", 10, "run one in `N` seeds in relation to another plan; 0 for none")
	flags.DurationVar(&f.shrinkTime, "shrink-time", 30*time.Second, "shrink failures for so `LONG` at most; 0s for not at all")
	flags.BoolVar(&f.json, "json", false, "report as JSON")
	flags.StringVar(&f.junit, "junit", "", "write JUnit XML to `FILE`")
	flags.StringVar(&f.summary, "summary", "", "write a summary in Markdown to `FILE`")
	return cmd
}

// check reads what the flags say and refuses what makes no sense.
func (f *exploreFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"seeds", "base", "shard", "plans", "junit", "summary"} {
		if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
			return usagef("--%s is empty; want a value, or no --%s", name, name)
		}
	}
	switch {
	case cmd.Flag("time").Changed && f.time <= 0:
		return usagef("--time is %s; want a length of time such as 60s", f.time)
	case f.shrinkTime < 0:
		return usagef("--shrink-time is %s; want a length of time such as 30s, or 0s", f.shrinkTime)
	case f.twice < 0 || f.related < 0:
		return usagef("--twice and --related are one in how many; want 0 or more")
	}
	if f.junit != "" && f.summary != "" && sameFile(f.junit, f.summary) {
		return usagef("%s is named twice; want a file each for --junit and --summary", f.junit)
	}
	for _, name := range f.profiles {
		if _, ok := chaos.ProfileNamed(name); !ok {
			_, err := chaos.Generate(chaos.Options{Profile: name})
			return usageError{err.Error()}
		}
	}
	if err := f.readSpan(); err != nil {
		return err
	}
	return f.readPlans()
}

// readSpan reads which seeds are meant.
func (f *exploreFlags) readSpan() error {
	var err error
	switch {
	case f.seeds != "":
		if f.span, err = explore.ParseRange(f.seeds); err != nil {
			return usagef("--seeds is %q; %v", f.seeds, err)
		}
	case f.time > 0:
		f.span = explore.Range{From: 1, To: chaos.MaxSeed}
	default:
		f.span = explore.Range{From: 1, To: 1000}
	}
	if f.base != "" {
		f.span = f.span.Shifted(explore.Base(f.base))
	}
	if f.shard != "" {
		if f.part, err = explore.ParseShard(f.shard); err != nil {
			return usagef("--shard is %q; %v", f.shard, err)
		}
		if f.part.First(f.span) > f.span.To {
			return usagef("--shard %s: there is no seed for it in %d-%d, so that nothing would be looked at; want %s at most",
				f.part, f.span.From, f.span.To, counted(int(f.span.To-f.span.From)+1, "shard", "shards"))
		}
	}
	return nil
}

// readPlans settles where committed plans stand, "" for nowhere.
func (f *exploreFlags) readPlans() error {
	name := f.plans
	if name == "" {
		name = keptPlans
	}
	info, err := os.Stat(name)
	there := err == nil && info.IsDir()
	switch {
	case there:
		f.plans = name
	case f.plans != "":
		return usagef("--plans %s: there is no such folder; want one with plans (*.json)", f.plans)
	}
	return nil
}

func (c *cli) explore(f *exploreFlags) error {
	receiver, err := c.receiverNamed(f.receiver)
	if err != nil {
		return err
	}
	show := newTicker(c.err)
	defer show.clear()
	e := &exploring{cli: c, flags: f, receiver: receiver, show: show, begun: time.Now(), sum: explore.NewSummary()}
	e.sum.Profiles, e.sum.Receiver, e.sum.Range, e.sum.Shard = f.profiles, receiver.Name, f.span, f.part
	if err := e.kept(); err != nil {
		return err
	}
	if f.collect || len(e.sum.Failures) == 0 {
		e.search()
	}
	if e.sum.Seeds+e.sum.Kept == 0 {
		return usagef("--time %s ended before the first seed, so that nothing was looked at; want longer", f.time)
	}
	e.sum.Elapsed = time.Since(e.begun)
	e.sum.Close()
	if err := e.group(); err != nil {
		return err
	}
	show.clear()
	notWritten := e.writeFiles()
	if err := e.tell(); err != nil {
		return err
	}
	if err := exploreOutcome(e.sum); err != nil {
		if _, line := exitCode(notWritten); line != "" {
			fmt.Fprintln(c.err, line)
		}
		return err
	}
	return notWritten
}

// exploreOutcome is the exit code of a search: the worst that it met.
func exploreOutcome(s *explore.Summary) error {
	code := exitHeld
	if len(s.Missed()) > 0 {
		code = exitBroke
	}
	rank := map[int]int{exitHeld: 0, exitNotConverged: 1, exitBroke: 2, exitNotDeterministic: 3, exitInternal: 4}
	for _, x := range s.Failures {
		this := exitBroke
		switch x.Invariant {
		case explore.Converge:
			this = exitNotConverged
		case explore.Determinism:
			this = exitNotDeterministic
		case explore.Lab:
			this = exitInternal
		}
		if rank[this] > rank[code] {
			code = this
		}
	}
	if code == exitHeld {
		return nil
	}
	return outcome{code}
}
