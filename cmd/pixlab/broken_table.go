package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/explore"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/shrink"
)

// Every suspect is hunted so often, each time on seeds of its own.
const (
	tableHunts = 5
	tableSeeds = 1000
)

// tableRow is what the hunts for one suspect came to.
type tableRow struct {
	suspect  suspect
	counts   []int // seeds that each hunt took, in order; tableSeeds+1 if it failed
	smallest *chaos.Plan
}

const brokenPage = `# Receivers that are wrong on purpose

Each is the reference receiver with one piece replaced, as the field builds them; two are fake PSPs that contradict themselves.
They are the proof that the checks can fail: for every invariant there is one that is caught by that invariant's checker alone, with all others off (` + "`TestEachInvariantCatchesOneAlone`" + `).

` + "`pixlab broken --table`" + ` writes this page: it hunts each of them %d times on seeds of their own, profile %s, and counts the seeds until the invariant breaks; what was caught is shrunk, and the smallest plan is told.
A plan counts only where the reference holds on it. Those of mode live show on a real database, whatever the seed (` + "`TestEveryLiveBrokenReceiverIsCaught`" + `). Everything else here is drawn from seeds, so anybody gets the same numbers from the same version.

| name | what is wrong | caught by | mode | median seeds | smallest plan |
|---|---|---|---|---|---|
`

// brokenTable prints docs/broken.md.
func (c *cli) brokenTable(chosen []suspect, f *brokenFlags) error {
	show := c.progress()
	defer show.clear()
	var b bytes.Buffer
	fmt.Fprintf(&b, brokenPage, tableHunts, f.profile)
	for _, s := range chosen {
		if s.mode == modeLive { // any database shows it, and no seed does
			fmt.Fprintf(&b, brokenRow, s.name, escapedDoc(s), s.invariant, s.mode, "–", "–")
			continue
		}
		row, err := c.tableRow(s, f, show)
		if err != nil {
			return err
		}
		row.write(&b)
	}
	show.clear()
	return write(c.out, b.Bytes())
}

func (c *cli) tableRow(s suspect, f *brokenFlags, show *progress) (*tableRow, error) {
	row := &tableRow{suspect: s}
	for n := range tableHunts {
		h := &hunt{cli: c, suspect: s, profile: f.profile, base: n * tableSeeds, seeds: tableSeeds, jobs: f.jobs.n, show: show}
		got, err := h.run()
		if err != nil {
			return nil, err
		}
		if !got.caught {
			row.counts = append(row.counts, tableSeeds+1)
			continue
		}
		row.counts = append(row.counts, got.tried)
		show.say("%s: shrinking seed %s", s.name, grouped(got.seed))
		plan, err := c.smallestOf(s, f.profile, got.seed)
		if err != nil {
			return nil, err
		}
		if row.smallest == nil || weight(plan) < weight(row.smallest) {
			row.smallest = plan
		}
	}
	slices.Sort(row.counts)
	return row, nil
}

// smallestOf shrinks the plan of a seed that shows a suspect.
func (c *cli) smallestOf(s suspect, profile string, seed int) (*chaos.Plan, error) {
	plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: profile})
	if err != nil {
		return nil, err
	}
	k := &shrink.Shrinker{
		Invariant: s.invariant, Options: s.options,
		Drive: func(p *chaos.Plan, o scenarios.Options) (*scenarios.Report, error) { return c.drive(p, o, nil) },
	}
	if s.invariant != selfCheck {
		k.Reference = &c.receivers[0]
	}
	got, err := k.Run(plan)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", s.name, seed, err)
	}
	return got.Plan, nil
}

// weight compares plans: payments and faults count most.
func weight(p *chaos.Plan) int {
	z := shrink.SizeOf(p)
	return 100*(z.Payments+z.Faults) + 10*(z.Refunds+z.Disputes) + z.Choices
}

func (r *tableRow) write(b *bytes.Buffer) {
	median, plan := "not caught", "–"
	if n := r.counts[len(r.counts)/2]; n <= tableSeeds {
		median = grouped(n)
	}
	if r.smallest != nil {
		plan = explore.ShapeOf(r.smallest)
		if z := shrink.SizeOf(r.smallest); z.Choices > 0 {
			plan += ", " + counted(z.Choices, "switch of actor", "switches of actor")
		}
	}
	fmt.Fprintf(b, brokenRow, r.suspect.name, escapedDoc(r.suspect), r.suspect.invariant, r.suspect.mode, median, plan)
}

const brokenRow = "| `%s` | %s | %s | %s | %s | %s |\n"

func escapedDoc(s suspect) string { return strings.ReplaceAll(s.doc, "|", `\|`) }
