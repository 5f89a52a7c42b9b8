package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/explore"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/shrink"
)

// exploring is one search at work.
type exploring struct {
	cli      *cli
	flags    *exploreFlags
	receiver scenarios.Receiver
	show     *ticker
	begun    time.Time

	next    atomic.Uint64 // how many seeds were handed out
	stopped atomic.Bool
	mu      sync.Mutex
	sum     *explore.Summary
}

func (e *exploring) drive(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) {
	return e.cli.drive(p, o, nil)
}

// kept runs the committed plans, each twice as often looked at as a seed: these
// have failed before.
func (e *exploring) kept() error {
	if e.flags.plans == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(e.flags.plans, "*.json"))
	if err != nil {
		return usagef("--plans %s: %v", e.flags.plans, err)
	}
	slices.Sort(files)
	look := explore.Search{Receiver: e.receiver, Drive: e.drive, Twice: 1}
	for _, name := range files {
		src, err := readPlan(name, nil)
		if err != nil {
			return err
		}
		e.show.say("committed plan %s", name)
		e.sum.AddKept(name, look.Plan(src.plan))
	}
	return nil
}

// search hands seeds out until they end, time is up, or one failed.
func (e *exploring) search() {
	var crew sync.WaitGroup
	for range e.flags.jobs.n {
		crew.Go(e.work)
	}
	crew.Wait()
}

func (e *exploring) work() {
	f := e.flags
	end := e.begun.Add(f.time)
	for {
		if e.stopped.Load() || f.time > 0 && time.Now().After(end) {
			return
		}
		seed := f.part.First(f.span) + chaos.Seed(e.next.Add(1)-1)*f.part.Step()
		if seed > f.span.To {
			return
		}
		for _, profile := range f.profiles {
			look := explore.Search{Profile: profile, Receiver: e.receiver, Drive: e.drive, Twice: f.twice, Related: f.related}
			e.take(look.Seed(seed))
		}
	}
}

// take adds a finding.
func (e *exploring) take(found explore.Finding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sum.Add(found)
	if len(found.Failures) > 0 && !e.flags.collect {
		e.stopped.Store(true)
	}
	reached, all := e.sum.Reached()
	rate := float64(e.sum.Seeds) / max(0.001, time.Since(e.begun).Seconds())
	e.show.say("%s seeds, %.0f a second, seed %d · marks %d of %d · %s", grouped(e.sum.Seeds), rate, found.Seed, reached, all,
		counted(len(e.sum.Failures), "failure", "failures"))
}

// mostShrunk bounds how many failures of one invariant are shrunk; the others
// make a group of their own.
const mostShrunk = 5

// group shrinks failures and sorts them into groups.
func (e *exploring) group() error {
	end := time.Now().Add(e.flags.shrinkTime)
	shrunk := map[string]int{}
	for _, x := range e.sum.Failures {
		g := explore.Group{Plan: x.Plan, Detail: x.Detail, Shape: "not shrunk"}
		if e.shrinks(x) && shrunk[x.Invariant] < mostShrunk && time.Now().Before(end) {
			shrunk[x.Invariant]++
			e.show.say("shrinking %s of seed %d", x.Invariant, x.Seed)
			got, err := e.cli.shrunkTo(x.Plan, e.receiver, x.Invariant, func() bool { return time.Now().After(end) }, &progress{})
			if err != nil {
				return err
			}
			g.Plan, g.Shape, g.Story, g.Detail, g.Shrunk = got.Plan, explore.ShapeOf(got.Plan), got.story, got.detail(), true
		}
		e.sum.Group(x, g)
	}
	for i := range e.sum.Groups {
		e.keepGroup(&e.sum.Groups[i])
	}
	return nil
}

// shrinks says whether a failure is one that shrinking can keep to.
func (e *exploring) shrinks(x explore.Failure) bool {
	kinds := append(scenarios.Invariants(), "PSP", "panic", shrink.Converge)
	return e.flags.shrinkTime > 0 && x.HealAt == 0 && slices.Contains(kinds, x.Invariant)
}

// keepGroup writes a group's plan and says how to run it. Where the plan cannot
// be written, what the search found is told all the same.
func (e *exploring) keepGroup(g *explore.Group) {
	first := g.Members[0]
	if g.Plan != nil {
		name := fmt.Sprintf("pixlab-explore-%s-%s-%s.json", fileWord(e.receiver.Name), fileWord(g.Invariant), first.Seed)
		if err := writeFile("plan", name, g.Plan.Encode()); err != nil {
			g.Lost = oneLine(err.Error())
		} else {
			g.File = name
		}
	}
	from := g.File
	if from == "" {
		from = first.Kept
	}
	words := "pixlab run --plan " + shellWord(from) + " --receiver " + shellWord(e.receiver.Name)
	switch {
	case g.Invariant == explore.Metamorphic || from == "":
		words = fmt.Sprintf("pixlab explore --seeds %d-%d --profile %s --related 1 --receiver %s", first.Seed, first.Seed,
			shellWord(first.Profile), shellWord(e.receiver.Name))
	case g.Invariant == explore.Determinism:
		words += " --check-determinism"
	case first.HealAt > 0:
		words += fmt.Sprintf(" --heal-at %d", first.HealAt)
	}
	g.Repeat = words + "   # pixlab " + version()
	if first.Kept == "" {
		g.Repeat += fmt.Sprintf(", seed %d, profile %s", first.Seed, first.Profile)
	}
}
