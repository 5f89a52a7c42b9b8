package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/shrink"
)

// shrinkFlags are the flags of "shrink".
type shrinkFlags struct {
	drawing
	plan, receiver, invariant, out string
	time                           time.Duration
	keep, json                     bool
}

// keptPlans is where committed failing plans stand, from the root of the sources.
const keptPlans = "scenarios/testdata/plans"

const shrinkDoc = `Make a failing plan small: take away payments, faults, delays and switches of actor as long
as the same invariant breaks. What is left is run twice, told from the money's side, and
written to a file. The plan comes from a file, or from a seed.

With --keep it is written to ` + keptPlans + `, where a test runs every plan.`

func (c *cli) shrinkCommand() *cobra.Command {
	var f shrinkFlags
	cmd := &cobra.Command{
		Use: "shrink --plan FILE | --seed N", Short: "Make a failing plan small", Long: shrinkDoc, Args: noArgs,
		Example: "  pixlab shrink --seed 5 --receiver check-then-insert\n  pixlab shrink --plan pixlab-plan-7-hostile.json --keep",
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectSeldom()
			if err := f.check(cmd); err != nil {
				return err
			}
			return c.shrink(&f)
		},
	}
	flags := cmd.Flags()
	f.addTo(flags)
	flags.StringVar(&f.plan, "plan", "", "shrink the plan in `FILE` (-: from standard input)")
	flags.StringVar(&f.receiver, "receiver", scenarios.Reference().Name, "run the receiver called `NAME`; see pixlab broken")
	flags.StringVar(&f.invariant, "invariant", "", "keep to the invariant with this `ID`, in place of the first that breaks")
	flags.DurationVar(&f.time, "time", time.Minute, "look for so `LONG` at most")
	flags.StringVar(&f.out, "out", "", "write the plan to `FILE`")
	flags.BoolVar(&f.keep, "keep", false, "write the plan to "+keptPlans)
	flags.BoolVar(&f.json, "json", false, "report as JSON")
	return cmd
}

func (f *shrinkFlags) check(cmd *cobra.Command) error {
	run := runFlags{drawing: f.drawing, plan: f.plan}
	for _, name := range []string{"plan", "out", "invariant"} {
		if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
			return usagef("--%s is empty; want --%s %s", name, name, map[bool]string{true: "ID", false: "FILE"}[name == "invariant"])
		}
	}
	if f.time <= 0 {
		return usagef("--time is %s; want a length of time such as 60s", f.time)
	}
	if f.keep && f.out != "" {
		return usagef("--keep and --out exclude each other; want one of them")
	}
	return run.oneSource(cmd)
}

// shrunk is a plan made small, with all that is told of it.
type shrunk struct {
	*shrink.Result
	invariant, receiver string
	report              *scenarios.Report
	story               []string
	file                string
}

func (c *cli) shrink(f *shrinkFlags) error {
	receiver, err := c.receiverNamed(f.receiver)
	if err != nil {
		return err
	}
	src, err := c.sourceOf(&runFlags{drawing: f.drawing, plan: f.plan})
	if err != nil {
		return err
	}
	show := c.progress()
	defer show.clear()
	invariant, err := c.brokenBy(src.plan, receiver, f.invariant)
	if err != nil {
		return err
	}
	end := time.Now().Add(f.time)
	got, err := c.shrunkTo(src.plan, receiver, invariant, func() bool { return time.Now().After(end) }, show)
	if err != nil {
		return err
	}
	show.clear()
	if err := c.keepShrunk(got, f); err != nil {
		return err
	}
	if f.json {
		return errors.Join(write(c.out, got.encode()), outcome{exitBroke})
	}
	p := &page{colour: coloured(c.out)}
	got.text(p)
	if err := write(c.out, p.Bytes()); err != nil {
		return err
	}
	return outcome{exitBroke}
}

// brokenBy is the invariant that a plan breaks: the wanted one, or the first.
func (c *cli) brokenBy(plan *chaos.Plan, receiver scenarios.Receiver, wanted string) (string, error) {
	report, err := c.drive(plan, scenarios.Options{Receiver: &receiver}, nil)
	if err != nil {
		return "", err
	}
	first := report.FirstBroken()
	if first == "" && report.Verdict == scenarios.NotConverged {
		first = shrink.Converge
	}
	switch {
	case first == "":
		return "", usagef("the plan holds with receiver %s, so there is nothing to shrink; want one that fails", receiver.Name)
	case wanted == "" || wanted == first || broke(report, wanted):
		return orText(wanted, first), nil
	case wanted == shrink.Converge && report.Verdict == scenarios.NotConverged:
		return wanted, nil
	}
	return "", usagef("%s holds on this plan; what breaks first is %s", wanted, first)
}

func orText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// shrunkTo makes a plan small, runs it twice, and tells it.
func (c *cli) shrunkTo(plan *chaos.Plan, receiver scenarios.Receiver, invariant string, enough func() bool, show *progress) (*shrunk, error) {
	drive := func(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) { return c.drive(p, o, nil) }
	s := &shrink.Shrinker{
		Invariant: invariant, Options: scenarios.Options{Receiver: &receiver}, Drive: drive, Enough: enough,
		Tell: func(runs int, z shrink.Size) {
			show.say("shrinking: %s runs, %s, %s", grouped(runs), counted(z.Payments, "payment", "payments"), counted(z.Faults, "fault", "faults"))
		},
	}
	if receiver.Invariant != "" {
		s.Reference = &c.receivers[0]
	}
	result, err := s.Run(plan)
	if err != nil {
		return nil, err
	}
	got := &shrunk{Result: result, invariant: invariant, receiver: receiver.Name}
	if got.report, err = c.confirm(result.Plan, receiver, invariant); err != nil {
		return nil, err
	}
	got.story, err = s.Story(result.Plan)
	return got, err
}

// confirm runs a shrunk plan twice and wants the same failure both times.
func (c *cli) confirm(plan *chaos.Plan, receiver scenarios.Receiver, invariant string) (*scenarios.Report, error) {
	var reports [2]*scenarios.Report
	for i := range reports {
		var err error
		if reports[i], err = c.drive(plan, scenarios.Options{Receiver: &receiver}, nil); err != nil {
			return nil, err
		}
	}
	same := reports[0].Hash == reports[1].Hash
	fails := broke(reports[0], invariant) || invariant == shrink.Converge && reports[0].Verdict == scenarios.NotConverged
	if !same || !fails {
		return nil, fmt.Errorf("the shrunk plan does not repeat: %s breaks is %t, equal hashes is %t", invariant, fails, same)
	}
	return reports[0], nil
}

// keepShrunk writes the plan where it was asked for, else beside where one is.
func (c *cli) keepShrunk(got *shrunk, f *shrinkFlags) error {
	name := f.out
	if name == "" {
		name = fmt.Sprintf("pixlab-shrunk-%s-%s-%s.json", fileWord(got.receiver), fileWord(got.invariant), got.Plan.Seed)
	}
	if f.keep {
		if info, err := os.Stat(keptPlans); err != nil || !info.IsDir() {
			return usagef("--keep: there is no folder %s here; want to stand at the root of the sources", keptPlans)
		}
		name = filepath.Join(keptPlans, fmt.Sprintf("%s-seed-%s.json", fileWord(got.invariant), got.Plan.Seed))
	}
	got.file = name
	return writeFile("--out", name, got.Plan.Encode())
}
