package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// runFlags are the flags of "run".
type runFlags struct {
	drawing
	plan     string
	receiver string
	json     bool
	trace    string
	twice    bool
	planOut  string
	html     string
	// healAt is the event at which to heal, 0 for the plan's end.
	healAt     countFlag
	inevitable bool
	mode       string
	database   string
}

const runDoc = `Run one plan and judge it: a plan drawn from a seed, or one from a file.

The report's last line is the command that repeats the run. The same plan, receiver and
version give the same hash on every machine. When an invariant breaks, or the run does not
come to rest, the plan is written to pixlab-plan-<seed>-<profile>.json.

--mode live runs it on real processes, a PSP and two receivers, and a PostgreSQL, which
is started for it. It takes real time and plans that are marked for it (--profile live,
the default there), whose decisions are the seed's; the timings are this machine's, so
that there is no hash.`

func (c *cli) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run --seed N | --plan FILE", Short: "Run one plan and judge it", Long: runDoc, Args: noArgs,
		Example: "  pixlab run --seed 42\n  pixlab plan --seed 42 --profile hostile | pixlab run --plan -\n" +
			"  pixlab run --mode live --seed 42",
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectSeldom()
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.mode == modeLive {
				return c.runLive(cmd.Context(), &f)
			}
			return c.run(&f)
		},
	}
	flags := cmd.Flags()
	f.addTo(flags)
	flags.StringVar(&f.plan, "plan", "", "run the plan in `FILE` (-: from standard input)")
	flags.StringVar(&f.receiver, "receiver", scenarios.Reference().Name, "run the receiver called `NAME`; see pixlab broken")
	flags.BoolVar(&f.json, "json", false, "report as JSON")
	flags.StringVar(&f.trace, "trace", "", "write the trace to `FILE` (-: to standard output, and the report to standard error)")
	flags.BoolVar(&f.twice, "check-determinism", false, "run twice and compare, event by event")
	flags.Var(&f.healAt, "heal-at", "end all faults, and the plan, after event `N` of the trace")
	flags.BoolVar(&f.inevitable, "inevitable", false, "if it fails, heal from earlier events and name the last one that still comes right")
	flags.StringVar(&f.planOut, "plan-out", "", "write the plan to `FILE`")
	flags.StringVar(&f.html, "html", "", "write the run as one page to `FILE`, to be opened in a browser")
	flags.StringVar(&f.mode, "mode", modeModel, "run in the model world, or live on real processes: `MODE` is model or live")
	flags.StringVar(&f.database, "database-url", "", "with --mode live, use the PostgreSQL server at `URL` (or PIXLAB_DATABASE_URL)")
	return cmd
}

// check refuses flags that contradict each other.
func (f *runFlags) check(cmd *cobra.Command) error {
	if err := f.checkMode(cmd); err != nil {
		return err
	}
	for _, name := range []string{"plan", "trace", "plan-out", "html"} {
		if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
			return usagef("--%s is empty; want --%s FILE", name, name)
		}
	}
	if f.inevitable && (f.twice || f.healAt.n > 0) {
		return usagef("--inevitable goes with neither --check-determinism nor --heal-at; want it alone")
	}
	if f.planOut == "-" {
		return usagef("--plan-out is -; want a file's name (pixlab plan prints a plan)")
	}
	if err := f.oneSource(cmd); err != nil {
		return err
	}
	for _, pair := range [][2]string{{f.trace, f.plan}, {f.trace, f.planOut}, {f.planOut, f.plan}, {f.html, f.plan}, {f.html, f.trace}, {f.html, f.planOut}} {
		if a, b := pair[0], pair[1]; a != "" && a != "-" && b != "" && b != "-" && sameFile(a, b) {
			return usagef("%s is named twice; want a file each for --plan, --plan-out, --trace and --html", a)
		}
	}
	return nil
}

// oneSource wants a plan or a seed, and not both.
func (f *runFlags) oneSource(cmd *cobra.Command) error {
	if f.plan != "" {
		for _, name := range []string{"seed", "profile", "payments", "fault"} {
			if cmd.Flag(name).Changed {
				return usagef("--%s and --plan exclude each other, since a plan holds it already; want one of them", name)
			}
		}
	}
	if f.plan == "" && !f.seed.given {
		return usagef("no seed and no plan; want --seed N or --plan FILE, so that the run can be repeated")
	}
	return nil
}

// finished is a run with all that its report tells.
type finished struct {
	*scenarios.Report
	source   *source
	receiver string
	elapsed  time.Duration
	twice    bool     // that it ran twice, to compare
	again    []string // further arguments that repeat it
	kept     string   // the file that the plan was written to because it failed
	keepErr  error
	// differs tells where a second run went another way.
	differs *difference
	// turning is the last event from which a failed run still comes right.
	turning *turningPoint
	live    bool
	skipped []string // faults that a live run could not carry out
}

func (c *cli) run(f *runFlags) error {
	receiver, err := c.receiverNamed(f.receiver)
	if err != nil {
		return err
	}
	src, err := c.sourceOf(f)
	if err != nil {
		return err
	}
	sink, err := openTrace(f.trace, c.out)
	if err != nil {
		return err
	}
	if f.planOut != "" {
		if err := src.writeTo(f.planOut); err != nil {
			sink.abandon()
			return err
		}
	}
	show, err := openPage(f.html)
	if err != nil {
		sink.abandon()
		return err
	}
	run := &finished{source: src, receiver: receiver.Name, twice: f.twice}
	if f.healAt.n > 0 {
		run.again = []string{"--heal-at", f.healAt.String()}
	}
	if err := c.carryOut(run, f, receiver, sink); err != nil {
		show.abandon()
		return c.lost(run, err)
	}
	run.keep()
	if err := c.lookBack(run, f, receiver, show); err != nil {
		return c.lost(run, err)
	}
	to := c.out
	if f.trace == "-" {
		to = c.err
	}
	if err := c.tell(run, f.json, to); err != nil {
		return err
	}
	return verdictOutcome(run.Verdict)
}

// lookBack finds the last point of return and writes the page, where they are
// asked for. A page of a failure marks the point whether it is asked for or not.
func (c *cli) lookBack(run *finished, f *runFlags, receiver scenarios.Receiver, show *newFile) error {
	var turning *turningPoint
	var err error
	if f.inevitable || show != nil && f.healAt.n == 0 {
		if turning, err = c.turningPoint(run, receiver); err != nil {
			show.abandon()
			return err
		}
	}
	if f.inevitable {
		run.turning = turning
		run.again = append(run.again, "--inevitable")
	}
	return run.show(show, f, receiver, turning)
}

func (c *cli) receiverNamed(name string) (scenarios.Receiver, error) {
	found, err := choose("receiver", c.receivers, func(r scenarios.Receiver) string { return r.Name }, []string{name})
	if err != nil {
		return scenarios.Receiver{}, err
	}
	return found[0], nil
}

func (c *cli) sourceOf(f *runFlags) (*source, error) {
	if f.plan != "" {
		return readPlan(f.plan, c.in)
	}
	return f.drawn()
}

// carryOut runs the plan, once or twice, and fills in what came of it.
func (c *cli) carryOut(run *finished, f *runFlags, receiver scenarios.Receiver, sink *traceSink) error {
	show := c.progress()
	defer show.clear()
	begin := time.Now()
	var err error
	options := scenarios.Options{Receiver: &receiver, Trace: sink.writer(), HealAt: int64(f.healAt.n)}
	if f.twice {
		err = c.runTwice(run, options, show)
	} else {
		run.Report, err = c.drive(run.source.plan, options, show.steps)
	}
	run.elapsed = time.Since(begin)
	// A trace that could not be written is the machine's fault, and told first.
	if e := sink.finish(); e != nil {
		return e
	}
	return err
}

// keep writes the plan of a run that failed.
func (r *finished) keep() {
	if r.Verdict == scenarios.Held || r.source.file != "" {
		return
	}
	if r.kept, r.keepErr = keepPlan(r.source.plan); r.keepErr == nil && r.source.piped {
		r.source.args = []string{"--plan", r.kept}
	}
}

// lost is the end of a run without a report: the plan is kept and the command
// that meets the same again is the last line, after the error's own.
func (c *cli) lost(run *finished, err error) error {
	var refused environmentError
	if errors.As(err, &refused) {
		return err
	}
	run.Report = &scenarios.Report{Verdict: scenarios.NotConverged, Hash: "no hash"}
	run.keep()
	_, line := exitCode(err)
	fmt.Fprintln(c.err, line)
	var panicked panicError
	if errors.As(err, &panicked) {
		for _, f := range frames(string(panicked.stack)) {
			fmt.Fprintln(c.err, "  "+f)
		}
	}
	if run.kept != "" {
		fmt.Fprintln(c.err, "plan written to "+run.kept)
	}
	fmt.Fprintln(c.err, "repeat: "+run.repeat())
	return outcome{exitInternal}
}

// tell writes the report.
func (c *cli) tell(run *finished, asJSON bool, to io.Writer) error {
	if !asJSON {
		p := &page{colour: coloured(to)}
		run.text(p)
		return write(to, p.Bytes())
	}
	if run.kept != "" {
		fmt.Fprintln(c.err, "pixlab: plan written to "+run.kept)
	}
	if run.keepErr != nil {
		fmt.Fprintln(c.err, "pixlab: the plan is lost: "+oneLine(run.keepErr.Error()))
	}
	return write(to, run.encode())
}

// faultTotals are the deviations planned and fired, of all kinds.
func faultTotals(counts []chaos.KindCount) (planned, fired int) {
	for _, k := range counts {
		planned += k.Planned
		fired += k.Fired
	}
	return planned, fired
}

// broken are the results of the invariants that did not hold.
func (r *finished) broken() []scenarios.InvariantResult {
	return slices.DeleteFunc(slices.Clone(r.Invariants), func(i scenarios.InvariantResult) bool { return i.Held })
}
