package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// benchFlags are the flags of "bench".
type benchFlags struct {
	profile                 string
	seconds, jobs, payments countFlag
	large                   []int
}

const benchDoc = `Measure whole runs: plan drawn, world built, run, healed, judged. Seeds count up from 1. The
last line is of the same plans with nothing in them that goes back or out.

With --large, measure one long calm run of each size instead, once with credits alone and
once with everything, each in a process of its own, its trace written to nowhere: time and
memory have to grow no faster than the payments do.
Such a process gives Go's runtime a memory limit of 360 MB, near which it collects more often.`

func (c *cli) benchCommand() *cobra.Command {
	f := benchFlags{
		seconds: countFlag{n: 5, most: 3600}, jobs: countFlag{n: 2, most: 1024}, payments: countFlag{most: mostPayments},
	}
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure runs a second, or the cost of large runs", Long: benchDoc, Args: benchArgs,
		RunE: func(*cobra.Command, []string) error {
			collectSeldom()
			if _, err := chaos.Generate(chaos.Options{Profile: f.profile, Payments: 1}); err != nil {
				return usageError{err.Error()}
			}
			if len(f.large) > 0 {
				return c.benchLarge(f.large)
			}
			return c.bench(&f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", chaos.DefaultProfile, "draw plans of the profile called `NAME`")
	flags.Var(&f.seconds, "seconds", "measure for `N` seconds on one core, and again on more")
	flags.Var(&f.jobs, "jobs", "the second measurement runs on `N` cores")
	flags.Var(&f.payments, "payments", "`N` Pix a run in place of the profile's number")
	flags.Var((*sizesFlag)(&f.large), "large", "one run of each of the sizes `N,N`")
	flags.Lookup("large").NoOptDefVal = "10000,50000"
	return cmd
}

// benchArgs takes no arguments, and knows what one beside --large was meant for.
func benchArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flag("large").Changed && new(sizesFlag).Set(args[0]) == nil {
		return usagef("%q stands apart from --large; want --large=%s", args[0], args[0])
	}
	return noArgs(cmd, args)
}

// pace is what one measurement came to.
type pace struct {
	cores                int
	credits              bool // alone
	span                 time.Duration
	runs                 []time.Duration
	steps, events, calls int64
	broken               int64
}

func (c *cli) bench(f *benchFlags) error {
	show := c.progress()
	defer show.clear()
	cores := []int{1}
	if f.jobs.n > 1 {
		cores = append(cores, f.jobs.n)
	}
	var paces []*pace
	broken := int64(0)
	for i, n := range append(cores, cores[len(cores)-1]) {
		show.say("measuring on %s for %d s", counted(n, "core", "cores"), f.seconds.n)
		got, err := c.measurePace(f, &pace{cores: n, credits: i == len(cores)})
		if err != nil {
			return err
		}
		paces, broken = append(paces, got), broken+got.broken
	}
	show.clear()
	if err := write(c.out, c.benchPage(f, paces)); err != nil {
		return err
	}
	if broken > 0 {
		return outcome{exitBroke}
	}
	return nil
}

// measurePace runs seed after seed on so many cores until the time is up.
func (c *cli) measurePace(f *benchFlags, got *pace) (*pace, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(got.cores))
	var next atomic.Int64
	var mu sync.Mutex
	var failure error
	begin := time.Now()
	end := begin.Add(time.Duration(f.seconds.n) * time.Second)
	work := func() {
		for time.Now().Before(end) {
			seed := chaos.Seed(next.Add(1))
			start := time.Now()
			report, err := c.benchRun(f, seed, got.credits)
			took := time.Since(start)
			mu.Lock()
			if err != nil {
				failure = fmt.Errorf("seed %s: %w", seed, err)
				mu.Unlock()
				return
			}
			got.add(report, took)
			mu.Unlock()
		}
	}
	var crew sync.WaitGroup
	for range got.cores {
		crew.Go(work)
	}
	crew.Wait()
	got.span = time.Since(begin)
	return got, failure
}

func (c *cli) benchRun(f *benchFlags, seed chaos.Seed, credits bool) (*scenarios.Report, error) {
	plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: f.profile, Payments: f.payments.n})
	if err != nil {
		return nil, err
	}
	if credits {
		creditsAlone(plan)
	}
	return c.drive(plan, scenarios.Options{Receiver: &c.receivers[0]}, nil)
}

func (p *pace) add(r *scenarios.Report, took time.Duration) {
	p.runs = append(p.runs, took)
	p.steps, p.events, p.calls = p.steps+r.Steps, p.events+r.Events, p.calls+r.Calls
	if r.Verdict != scenarios.Held {
		p.broken++
	}
}

// rate is whole runs a second.
func (p *pace) rate() float64 { return float64(len(p.runs)) / p.span.Seconds() }

// quantile is the time that so many hundredths of the runs did not exceed.
func (p *pace) quantile(hundredths int) time.Duration {
	sorted := slices.Sorted(slices.Values(p.runs))
	return sorted[min(len(sorted)-1, len(sorted)*hundredths/100)]
}

func (c *cli) benchPage(f *benchFlags, paces []*pace) []byte {
	p := &page{colour: coloured(c.out)}
	payments := f.payments.n
	if profile, ok := chaos.ProfileNamed(f.profile); ok && payments == 0 {
		payments = profile.Payments
	}
	p.line("profile %s, %s a run, %d s each; %s %s/%s, %s", f.profile, counted(payments, "payment", "payments"), f.seconds.n,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, counted(runtime.NumCPU(), "CPU", "CPUs"))
	p.line("")
	p.line("%s", p.dim("cores   runs/s      runs       p50       p99      steps   events   calls   (each a run)"))
	for _, got := range paces {
		n := int64(len(got.runs))
		title := ""
		if got.credits {
			title = "   credits alone"
		}
		p.line("%5d %s %9s %9s %9s  %9s %8s %7s%s", got.cores, p.bold(fmt.Sprintf("%8.1f", got.rate())), grouped(n),
			elapsed(got.quantile(50)), elapsed(got.quantile(99)), grouped(got.steps/n), grouped(got.events/n), grouped(got.calls/n), title)
	}
	p.line("")
	broken := int64(0)
	for _, got := range paces {
		broken += got.broken
		if got.cores > runtime.NumCPU() {
			p.line("%d cores were asked for and the machine has %d", got.cores, runtime.NumCPU())
		}
	}
	if len(paces) > 2 {
		p.line("%d cores do %.2f times the work of one", paces[1].cores, paces[1].rate()/paces[0].rate())
	}
	if broken > 0 {
		p.line("%s: %s; pixlab broken names the seed", p.bad("not held"), counted(int(broken), "run", "runs"))
	}
	return p.Bytes()
}
