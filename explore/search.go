package explore

import (
	"bytes"
	"fmt"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/shrink"
)

// The kinds of failure beside a broken invariant, which is named by its id.
const (
	// Converge: the run did not come to rest.
	Converge = shrink.Converge
	// Determinism: two runs of one plan are not the same run.
	Determinism = "determinism"
	// Metamorphic: two related runs disagree.
	Metamorphic = "metamorphic"
	// Lab: the lab itself failed.
	Lab = "lab"
)

// Search is how each seed is looked at.
type Search struct {
	Profile  string
	Receiver scenarios.Receiver
	Drive    shrink.Drive
	// Twice and Related are one in how many seeds runs twice, and in relation
	// to another plan; zero is none.
	Twice, Related int
}

// Failure is one thing that went wrong with one plan.
type Failure struct {
	Seed    chaos.Seed
	Profile string
	// Kept is the file of the plan, if it is a committed one.
	Kept string
	// Invariant is what broke: an invariant's id, or one of the kinds above.
	Invariant string
	Detail    string
	Plan      *chaos.Plan
	Hash      string
	// HealAt is the event at which the run that failed was healed, 0 for none.
	HealAt int64
}

// Finding is what looking at one seed came to.
type Finding struct {
	Seed chaos.Seed
	// Profile is the one that its plan was drawn by.
	Profile  string
	Runs     int // whole runs that it took
	Twice    bool
	Related  Relation // "" for none
	Marks    []string
	Failures []Failure
	Settled  int
	Events   int64
}

// chosen says whether a seed is one of so many, for one purpose.
func chosen(seed chaos.Seed, what string, oneIn int) bool {
	return oneIn > 0 && seed.Mixer("explore/"+what).Mix(0, 0, 0)%uint64(oneIn) == 0
}

// Seed looks at one seed.
func (s *Search) Seed(seed chaos.Seed) Finding {
	plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: s.Profile})
	if err != nil {
		f := Finding{Seed: seed, Profile: s.Profile}
		f.fail(Failure{Seed: seed, Profile: s.Profile, Invariant: Lab, Detail: err.Error()})
		return f
	}
	return s.Plan(plan)
}

// Plan looks at one plan.
func (s *Search) Plan(plan *chaos.Plan) Finding {
	f := Finding{Seed: plan.Seed, Profile: plan.Profile}
	f.Twice = chosen(plan.Seed, "twice", s.Twice)
	report := s.first(&f, plan)
	if report == nil || len(f.Failures) > 0 {
		return f
	}
	if chosen(plan.Seed, "related", s.Related) {
		how := Relations()[plan.Seed.Mixer("explore/relation").Mix(0, 0, 0)%uint64(len(Relations()))]
		f.Related = how
		s.relate(&f, how, plan, report.Events)
	}
	return f
}

func (f *Finding) fail(x Failure) { f.Failures = append(f.Failures, x) }

// run carries out one plan; an error of the lab is a failure of the seed.
func (s *Search) run(f *Finding, plan *chaos.Plan, o scenarios.Options) *scenarios.Report {
	o.Receiver = &s.Receiver
	f.Runs++
	r, err := s.Drive(plan, o)
	if err != nil {
		f.fail(Failure{Seed: plan.Seed, Profile: plan.Profile, Invariant: Lab, Detail: err.Error(), Plan: plan})
		return nil
	}
	return r
}

// first runs the plan, twice where the seed is one of those.
func (s *Search) first(f *Finding, plan *chaos.Plan) *scenarios.Report {
	if !f.Twice {
		r := s.run(f, plan, scenarios.Options{})
		s.judge(f, plan, r, 0)
		return r
	}
	var traces [2]bytes.Buffer
	var reports [2]*scenarios.Report
	for i := range reports {
		if reports[i] = s.run(f, plan, scenarios.Options{Trace: &traces[i]}); reports[i] == nil {
			return nil
		}
	}
	r := reports[0]
	s.judge(f, plan, r, 0)
	if r.Hash == reports[1].Hash && r.Verdict == reports[1].Verdict {
		return r
	}
	f.fail(Failure{
		Seed: plan.Seed, Profile: plan.Profile, Invariant: Determinism, Plan: plan, Hash: r.Hash,
		Detail: parted(&traces[0], &traces[1]),
	})
	return r
}

// parted names the first event in which two traces differ.
func parted(a, b *bytes.Buffer) string {
	line, left, right, err := chaos.Diff(a, b)
	switch {
	case err != nil:
		return err.Error()
	case line == 0:
		return "two runs have the same trace and other verdicts"
	}
	return fmt.Sprintf("two runs differ first at event %d: %s and %s", line, orEnd(left), orEnd(right))
}

func orEnd(line string) string {
	if line == "" {
		return "the end of the run"
	}
	return line
}

// judge turns a report into failures.
func (s *Search) judge(f *Finding, plan *chaos.Plan, r *scenarios.Report, healAt int64) {
	if r == nil {
		return
	}
	f.Settled, f.Events = f.Settled+r.Settled, f.Events+r.Events
	if healAt == 0 {
		f.Marks = r.Marks
	}
	x := Failure{Seed: plan.Seed, Profile: plan.Profile, Plan: plan, Hash: r.Hash, HealAt: healAt}
	if x.Invariant = r.FirstBroken(); x.Invariant != "" {
		for _, i := range r.Invariants {
			if i.ID == x.Invariant {
				x.Detail = i.Detail
			}
		}
		f.fail(x)
		return
	}
	if r.Verdict == scenarios.NotConverged {
		x.Invariant = Converge
		for i, what := range r.Pending {
			if i > 0 {
				x.Detail += "; "
			}
			x.Detail += what
		}
		f.fail(x)
	}
}

// relate runs a plan in relation to another one.
func (s *Search) relate(f *Finding, how Relation, plan *chaos.Plan, events int64) {
	if how == HealEarly {
		at := 1 + int64(plan.Seed.Mixer("explore/heal").Mix(0, 0, 0)%uint64(max(1, events)))
		s.judge(f, plan, s.run(f, plan, scenarios.Options{HealAt: at}), at)
		return
	}
	base := Undisputed(plan)
	other := related(how, base)
	var states [2]*scenarios.State
	for i, p := range []*chaos.Plan{base, other} {
		if err := p.Validate(); err != nil {
			f.fail(Failure{Seed: plan.Seed, Profile: plan.Profile, Invariant: Lab, Detail: "related plan: " + err.Error(), Plan: plan})
			return
		}
		r := s.run(f, p, scenarios.Options{Show: true})
		s.judge(f, p, r, 0)
		if r == nil || len(f.Failures) > 0 {
			return
		}
		states[i] = r.State
	}
	if d := differs(states[0], states[1]); d != "" {
		f.fail(Failure{
			Seed: plan.Seed, Profile: plan.Profile, Invariant: Metamorphic, Detail: string(how) + ": " + d, Plan: other,
		})
	}
}
