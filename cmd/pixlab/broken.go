package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// brokenJSON is one catch for machines; first_seed is null if there is none.
type brokenJSON struct {
	Name      string `json:"name"`
	Caught    bool   `json:"caught"`
	Invariant string `json:"invariant"`
	Mode      string `json:"mode"`
	FirstSeed *int   `json:"first_seed"`
	Tried     int    `json:"seeds_tried"`
	Detail    string `json:"detail,omitempty"`  // what a live one showed
	Skipped   string `json:"skipped,omitempty"` // why nobody looked
}

// brokenFlags are the flags of "broken".
type brokenFlags struct {
	seeds, jobs countFlag
	profile     string
	json, table bool
	named       bool // by the caller
}

const brokenDoc = `Prove that the checks can fail: run receivers and fake PSPs that are wrong in one known way,
seed after seed, until the invariant that each must break is broken. The reference receiver
runs on the same seeds and must break none.

Those of mode live are wrong in a way that only a real database shows: they need a PostgreSQL,
and no seed. Where there is none they are not looked at, unless they are asked for by name.

One seed of one receiver: pixlab run --seed N --receiver NAME`

// selfCheck is what a broken PSP breaks: the fake PSP's agreement with itself.
const selfCheck = "PSP"

func (c *cli) brokenCommand() *cobra.Command {
	f := brokenFlags{seeds: countFlag{n: 500, most: 1_000_000}, jobs: countFlag{n: runtime.GOMAXPROCS(0), most: 1024}}
	cmd := &cobra.Command{
		Use: "broken [NAME...]", Short: "Show that receivers and PSPs that are wrong on purpose get caught", Long: brokenDoc,
		RunE: func(_ *cobra.Command, names []string) error {
			collectSeldom()
			if _, ok := chaos.ProfileNamed(f.profile); !ok {
				_, err := chaos.Generate(chaos.Options{Profile: f.profile})
				return usageError{err.Error()}
			}
			chosen, err := choose("broken receiver or PSP", c.suspects(), func(s suspect) string { return s.name }, names)
			if err != nil {
				return err
			}
			f.named = len(names) > 0
			if f.table {
				return c.brokenTable(chosen, &f)
			}
			return c.broken(chosen, &f)
		},
	}
	flags := cmd.Flags()
	flags.Var(&f.seeds, "seeds", "try the seeds from 1 to `N`")
	flags.StringVar(&f.profile, "profile", chaos.DefaultProfile, "draw plans of the profile called `NAME`")
	flags.Var(&f.jobs, "jobs", "run `N` worlds at a time")
	flags.BoolVar(&f.json, "json", false, "report as JSON")
	flags.BoolVar(&f.table, "table", false, "hunt each five times, shrink what is caught, and print docs/broken.md")
	return cmd
}

// suspects are all that is wrong on purpose.
func (c *cli) suspects() []suspect {
	var out []suspect
	for _, r := range c.receivers {
		if r.Invariant != "" {
			out = append(out, suspect{name: r.Name, doc: r.Doc, invariant: r.Invariant, mode: modeModel, options: scenarios.Options{Receiver: &r}})
		}
	}
	for _, p := range c.psps {
		out = append(out, suspect{name: p.Name, doc: p.Doc, invariant: selfCheck, mode: modeModel, options: p.Options})
	}
	return append(out, liveSuspects()...)
}

func (c *cli) broken(chosen []suspect, f *brokenFlags) error {
	show := c.progress()
	defer show.clear()
	hunted := func(s suspect) (catch, error) {
		h := &hunt{cli: c, suspect: s, profile: f.profile, seeds: f.seeds.n, jobs: f.jobs.n, show: show}
		return h.run()
	}
	var catches []catch
	for _, s := range chosen {
		if s.mode == modeLive {
			got, err := c.shown(s, f, show)
			if err != nil {
				return err
			}
			catches = append(catches, got)
			continue
		}
		got, err := hunted(s)
		if err != nil {
			return err
		}
		catches = append(catches, got)
	}
	reference, err := hunted(suspect{name: scenarios.Reference().Name, options: scenarios.Options{Receiver: &c.receivers[0]}})
	if err != nil {
		return err
	}
	show.clear()
	return c.tellBroken(catches, reference, f)
}

// shown is the catch of a live suspect. That the reference shows something too is
// an error of the lab's; so is it that there is no database where it was asked for
// by name.
func (c *cli) shown(s suspect, f *brokenFlags, show *progress) (catch, error) {
	got, alarm, err := c.showLive(s, show)
	switch {
	case err != nil:
		return got, err
	case got.skipped != "" && f.named:
		return got, environmentError{"run " + s.name, errors.New(got.skipped)}
	case alarm != "":
		return got, fmt.Errorf("the reference receiver does not hold beside %s: %s", s.name, alarm)
	}
	return got, nil
}

func (c *cli) tellBroken(catches []catch, reference catch, f *brokenFlags) error {
	missed := missedOf(catches)
	last := &page{colour: coloured(c.out)}
	brokenVerdict(last, catches, missed, reference, f)
	if reference.caught {
		if err := c.falseAlarm(last, reference, f); err != nil {
			return err
		}
	}
	if f.json {
		if len(missed) > 0 || reference.caught {
			c.err.Write(last.Bytes())
		}
		if err := write(c.out, encodeBroken(catches)); err != nil {
			return err
		}
	} else {
		table := &page{colour: coloured(c.out)}
		catchTable(table, catches)
		table.Write(last.Bytes())
		if err := write(c.out, table.Bytes()); err != nil {
			return err
		}
	}
	if len(missed) > 0 || reference.caught {
		return outcome{exitBroke}
	}
	return nil
}

// missedOf names what was not caught.
func missedOf(catches []catch) []string {
	var names []string
	for _, got := range catches {
		if !got.caught && got.skipped == "" {
			names = append(names, got.suspect.name)
		}
	}
	return names
}

// lookedAt counts those that were not left out.
func lookedAt(catches []catch) (n int) {
	for _, got := range catches {
		if got.skipped == "" {
			n++
		}
	}
	return n
}

func encodeBroken(catches []catch) []byte {
	results := []brokenJSON{}
	for _, got := range catches {
		r := brokenJSON{Name: got.suspect.name, Caught: got.caught, Invariant: got.suspect.invariant, Mode: got.suspect.mode, Tried: got.tried,
			Detail: got.detail, Skipped: got.skipped}
		if got.caught && got.suspect.mode == modeModel {
			r.FirstSeed = &got.seed
		}
		results = append(results, r)
	}
	return encodeJSON(results)
}

func catchTable(p *page, catches []catch) {
	wide := longest(catches, func(x catch) string { return x.suspect.name })
	p.line("%s", p.dim("  "+pad("name", wide)+"  caught  invariant  mode   first_seed  seeds_tried"))
	for _, got := range catches {
		caught, first := p.bad("no    "), "–"
		switch {
		case got.skipped != "":
			caught = p.dim("–     ")
		case got.caught:
			caught = p.good("yes   ")
		}
		if got.caught && got.suspect.mode == modeModel {
			first = grouped(got.seed)
		}
		p.line("%s %s  %s  %s  %s  %s  %s", p.mark(got.caught), p.bold(pad(got.suspect.name, wide)), caught,
			pad(got.suspect.invariant, 9), pad(got.suspect.mode, 5), padLeft(first, 10), padLeft(grouped(got.tried), 11))
		p.wrapped(4, got.suspect.doc)
		if got.skipped != "" {
			p.wrapped(4, "not looked at: "+got.skipped)
		}
	}
}

func brokenVerdict(p *page, catches []catch, missed []string, reference catch, f *brokenFlags) {
	p.line("")
	if !reference.caught {
		p.line("%s: the reference receiver on seeds 1 to %s, no alarm", p.good("held"), grouped(reference.tried))
	}
	if len(missed) == 0 {
		looked, rest := lookedAt(catches), ""
		if n := len(catches) - looked; n > 0 {
			rest = fmt.Sprintf("; %d not looked at", n)
		}
		p.line("%s: %d of %d, profile %s%s", p.good("caught"), looked, looked, f.profile, rest)
		return
	}
	p.line("%s: %d of %d by %s, profile %s", p.bad("not caught"), len(missed), len(catches), counted(f.seeds.n, "seed", "seeds"), f.profile)
	p.line("repeat: pixlab broken %s --seeds %d --profile %s   # pixlab %s", strings.Join(missed, " "), f.seeds.n, f.profile, version())
}

// falseAlarm runs the seed on which the reference does not hold once more, to
// its end, keeps its plan and tells how to see it.
func (c *cli) falseAlarm(p *page, reference catch, f *brokenFlags) error {
	d := drawing{seed: seedFlag{seed: chaos.Seed(reference.seed), given: true}, profile: f.profile}
	src, err := d.drawn()
	if err != nil {
		return err
	}
	run := &finished{source: src, receiver: reference.suspect.name}
	if run.Report, err = c.drive(src.plan, reference.suspect.options, nil); err != nil {
		return err
	}
	run.keep()
	p.line("%s: the reference receiver does not hold on seed %d", p.bad("alarm"), reference.seed)
	p.line("repeat: %s", run.repeat())
	return nil
}
