package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// scenarioJSON is the outcome of one scenario for machines.
type scenarioJSON struct {
	Name    string            `json:"name"`
	Held    bool              `json:"held"`
	Detail  string            `json:"detail"`
	Verdict scenarios.Verdict `json:"verdict"`
	Seed    string            `json:"seed"`
	Hash    string            `json:"hash"`
	Repeat  string            `json:"repeat"`
}

// scenarioFlags are the flags of "scenarios".
type scenarioFlags struct {
	seed       seedFlag
	list, json bool
}

func (c *cli) scenariosCommand() *cobra.Command {
	f := scenarioFlags{seed: seedFlag{seed: 1, given: true}}
	cmd := &cobra.Command{
		Use: "scenarios [NAME...]", Short: "Play the named scenarios, all of them or some",
		RunE: func(_ *cobra.Command, names []string) error {
			collectSeldom()
			chosen, err := choose("scenario", c.scenarios, func(s scenarios.Scenario) string { return s.Name }, names)
			if err != nil {
				return err
			}
			if f.list {
				return c.listScenarios(chosen, f.json)
			}
			return c.playScenarios(chosen, &f)
		},
	}
	cmd.Flags().BoolVar(&f.list, "list", false, "list them and play none")
	cmd.Flags().Var(&f.seed, "seed", "draw what a story leaves open from `N`")
	cmd.Flags().BoolVar(&f.json, "json", false, "report as JSON")
	return cmd
}

func (c *cli) listScenarios(chosen []scenarios.Scenario, asJSON bool) error {
	if asJSON {
		type listed struct {
			Name string `json:"name"`
			Doc  string `json:"doc"`
		}
		out := []listed{}
		for _, s := range chosen {
			out = append(out, listed{s.Name, s.Doc})
		}
		return write(c.out, encodeJSON(out))
	}
	p := &page{colour: coloured(c.out)}
	for _, s := range chosen {
		p.line("%s  %s", p.bold(pad(s.Name, longest(chosen, func(s scenarios.Scenario) string { return s.Name }))), s.Doc)
	}
	return write(c.out, p.Bytes())
}

func (c *cli) playScenarios(chosen []scenarios.Scenario, f *scenarioFlags) error {
	show := c.progress()
	defer show.clear()
	results, failed := []scenarioJSON{}, 0
	for _, s := range chosen {
		show.say("playing %s", s.Name)
		r, err := c.playScenario(s, f.seed.seed)
		if err != nil {
			return err
		}
		if !r.Held {
			failed++
		}
		results = append(results, r)
	}
	show.clear()
	text := encodeJSON(results)
	if !f.json {
		text = c.scenarioPage(chosen, results, failed)
	}
	if err := write(c.out, text); err != nil {
		return err
	}
	if failed > 0 {
		return outcome{exitBroke}
	}
	return nil
}

func (c *cli) playScenario(s scenarios.Scenario, seed chaos.Seed) (scenarioJSON, error) {
	plan, err := s.Plan(seed)
	if err != nil {
		return scenarioJSON{}, fmt.Errorf("draw scenario %s: %w", s.Name, err)
	}
	report, err := c.drive(plan, s.Options, nil)
	if err != nil {
		return scenarioJSON{}, fmt.Errorf("scenario %s, seed %s: %w", s.Name, seed, err)
	}
	r := scenarioJSON{
		Name: s.Name, Held: true, Verdict: report.Verdict, Seed: seed.String(), Hash: report.Hash,
		Repeat: fmt.Sprintf("pixlab scenarios %s --seed %s   # pixlab %s, %s", shellWord(s.Name), seed, version(), report.Hash),
	}
	if err := s.Judge(report); err != nil {
		r.Held, r.Detail = false, oneLine(err.Error())
		if kept, err := keepPlan(plan); err == nil {
			r.Repeat += ", plan " + kept
		} else {
			fmt.Fprintln(c.err, "pixlab: the plan is lost: "+oneLine(err.Error()))
		}
	}
	return r, nil
}

// scenarioPage is the outcome for people; a failure ends in what repeats it.
func (c *cli) scenarioPage(chosen []scenarios.Scenario, results []scenarioJSON, failed int) []byte {
	p := &page{colour: coloured(c.out)}
	for i, r := range results {
		p.line("%s %s", p.mark(r.Held), p.bold(r.Name))
		p.wrapped(2, chosen[i].Doc)
		if !r.Held {
			p.wrapped(2, "failed: "+r.Detail)
		}
	}
	p.line("")
	seed := results[0].Seed
	if failed == 0 {
		p.line("%s: %s, seed %s", p.good("held"), counted(len(results), "scenario", "scenarios"), seed)
		return p.Bytes()
	}
	p.line("%s: %d of %s, seed %s", p.bad("failed"), failed, counted(len(results), "scenario", "scenarios"), seed)
	for _, r := range results {
		if !r.Held {
			p.line("repeat: %s", r.Repeat)
		}
	}
	return p.Bytes()
}

// longest is the length of the longest name in a list.
func longest[T any](list []T, nameOf func(T) string) int {
	n := 0
	for _, x := range list {
		n = max(n, len(nameOf(x)))
	}
	return n
}
