package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/explore"
	"github.com/pixlab/pixlab/scenarios"
)

// exploreJSON is the outcome of a search for machines.
type exploreJSON struct {
	Verdict  string               `json:"verdict"`
	Profiles []string             `json:"profiles"`
	Receiver string               `json:"receiver"`
	Version  string               `json:"version"`
	Shard    string               `json:"shard"`
	Visited  []visitJSON          `json:"visited"`
	Seeds    int                  `json:"seeds"`
	Kept     int                  `json:"kept_plans"`
	Runs     int                  `json:"runs"`
	Twice    int                  `json:"twice"`
	Related  map[string]int       `json:"related"`
	Marks    map[string]int       `json:"marks"`
	Missed   []string             `json:"marks_missed"`
	Groups   []groupJSON          `json:"groups"`
	Failures []exploreFailureJSON `json:"failures"`
	Elapsed  int64                `json:"elapsed_ms"`
}

type visitJSON struct {
	Profile string `json:"profile"`
	First   string `json:"first"`
	Last    string `json:"last"`
	Step    string `json:"step"`
	Count   int    `json:"count"`
}

type groupJSON struct {
	Invariant string   `json:"invariant"`
	Shape     string   `json:"shape"`
	Shrunk    bool     `json:"shrunk"`
	Detail    string   `json:"detail"`
	Story     []string `json:"story"`
	Plan      string   `json:"plan"`
	Failures  int      `json:"failures"`
	Repeat    string   `json:"repeat"`
}

type exploreFailureJSON struct {
	Seed      string `json:"seed"`
	Profile   string `json:"profile"`
	Kept      string `json:"kept_plan,omitempty"`
	Invariant string `json:"invariant"`
	Detail    string `json:"detail"`
	Hash      string `json:"hash"`
}

func (e *exploring) encode() []byte {
	s := e.sum
	out := exploreJSON{
		Verdict: "held", Profiles: s.Profiles, Receiver: s.Receiver, Version: version(), Shard: s.Shard.String(),
		Visited: []visitJSON{}, Seeds: s.Seeds, Kept: s.Kept, Runs: s.Runs, Twice: s.Twice, Related: map[string]int{},
		Marks: s.Marks, Missed: append([]string{}, s.Missed()...), Groups: []groupJSON{}, Failures: []exploreFailureJSON{},
		Elapsed: s.Elapsed.Milliseconds(),
	}
	if s.Failed() {
		out.Verdict = "failed"
	}
	for _, v := range s.Visited {
		out.Visited = append(out.Visited, visitJSON{v.Profile, v.First.String(), v.Last.String(), v.Step.String(), v.Count})
	}
	for how, n := range s.Related {
		out.Related[string(how)] = n
	}
	for _, g := range s.Groups {
		out.Groups = append(out.Groups, groupJSON{
			g.Invariant, g.Shape, g.Shrunk, g.Detail, append([]string{}, g.Story...), g.File, len(g.Members), g.Repeat,
		})
	}
	for _, x := range s.Failures {
		out.Failures = append(out.Failures, exploreFailureJSON{x.Seed.String(), x.Profile, x.Kept, x.Invariant, x.Detail, x.Hash})
	}
	return encodeJSON(out)
}

// writeFiles writes what CI reads.
func (e *exploring) writeFiles() error {
	if name := e.flags.junit; name != "" {
		var b bytes.Buffer
		if err := e.sum.WriteJUnit(&b); err != nil {
			return err
		}
		if err := writeFile("--junit", name, b.Bytes()); err != nil {
			return err
		}
	}
	if name := e.flags.summary; name != "" {
		return writeFile("--summary", name, e.sum.Markdown())
	}
	return nil
}

func (e *exploring) tell() error {
	if e.flags.json {
		for _, g := range e.sum.Groups {
			if g.Lost != "" {
				fmt.Fprintln(e.cli.err, "pixlab: the plan is lost: "+g.Lost)
			}
		}
		return write(e.cli.out, e.encode())
	}
	p := &page{colour: coloured(e.cli.out)}
	e.text(p)
	return write(e.cli.out, p.Bytes())
}

func (e *exploring) text(p *page) {
	s := e.sum
	p.field("explore", "%s", p.bold(strings.Join(s.Profiles, ", ")+" · receiver "+s.Receiver+" · shard "+s.Shard.String()))
	for _, v := range s.Visited {
		p.field("visited", "%s", v)
	}
	p.field("looked at", "%s and %s in %s, %s", counted(s.Seeds, "seed", "seeds"), counted(s.Kept, "committed plan", "committed plans"),
		counted(s.Runs, "run", "runs"), elapsed(s.Elapsed))
	var related []string
	for _, how := range explore.Relations() {
		related = append(related, strings.ReplaceAll(string(how), "_", " ")+" "+grouped(s.Related[how]))
	}
	p.field("of these", "%s twice; related: %s", grouped(s.Twice), strings.Join(related, ", "))
	reached, all := s.Reached()
	p.field("marks", "%d of %d", reached, all)
	missed := s.Missed()
	for _, m := range missed {
		p.line("  %s %s", p.mark(false), m)
	}
	for i := range s.Groups {
		groupText(p, &s.Groups[i])
	}
	p.line("")
	switch {
	case len(s.Failures) > 0:
		p.line("%s: %s", p.bad("failed"), counted(len(s.Failures), "failure", "failures")+" in "+counted(len(s.Groups), "group", "groups"))
	case len(missed) > 0:
		p.line("%s: %s not reached", p.bad("failed"), counted(len(missed), "mark was", "marks were"))
	default:
		p.line("%s: all %s on every seed", p.good("held"), counted(len(scenarios.Invariants()), "invariant", "invariants"))
	}
	for _, g := range s.Groups {
		p.line("repeat: %s", g.Repeat)
	}
}

func groupText(p *page, g *explore.Group) {
	p.line("")
	p.line("%s %s  %s", p.mark(false), p.bold(g.Invariant), counted(len(g.Members), "failure", "failures")+", "+g.Shape)
	p.wrapped(2, g.Detail)
	p.line("")
	storyText(p, g.Story)
	if g.File != "" {
		p.line("plan written to %s", g.File)
	}
	if g.Lost != "" {
		p.line("the plan is lost: %s", g.Lost)
	}
}
