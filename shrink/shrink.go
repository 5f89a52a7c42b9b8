package shrink

import (
	"errors"
	"fmt"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// Converge stands, among the invariants, for a run that did not come to rest.
const Converge = "converge"

// Drive carries out one run.
type Drive func(*chaos.Plan, scenarios.Options) (*scenarios.Report, error)

// Shrinker makes one failing plan small.
type Shrinker struct {
	// Invariant has to break in every plan that is kept: "I1", "PSP", "panic", or
	// [Converge].
	Invariant string
	// Options say what to run; what they say of how long is overruled.
	Options scenarios.Options
	// Reference, if set, has to hold on every plan that is kept, so that what is
	// left is the receiver's fault and not the plan's.
	Reference *scenarios.Receiver
	Drive     Drive
	// Enough, if set, is asked before every run; true ends the search.
	Enough func() bool
	// Tell, if set, hears of every plan that is kept.
	Tell func(runs int, size Size)

	best  *chaos.Plan
	atMS  int64 // of the violation in best
	runs  int
	ended bool
}

// Size is how large a plan is, for people and for comparison.
type Size struct {
	Payments, Refunds, Disputes, Payouts, Faults, Choices int
}

// SizeOf measures a plan.
func SizeOf(p *chaos.Plan) Size {
	s := Size{Payments: len(p.Payments), Refunds: len(p.Refunds), Disputes: len(p.Disputes), Payouts: len(p.Payouts), Faults: len(p.Faults)}
	if p.Schedule != nil {
		s.Choices = len(p.Schedule.Choices)
	}
	return s
}

// Result is a plan that could not be made smaller, or not in time.
type Result struct {
	Plan          *chaos.Plan
	Before, After Size
	Runs          int
	// Whole says that the search came to its end.
	Whole bool
}

// ErrHolds says that the plan to shrink does not break the invariant.
var ErrHolds = errors.New("the invariant holds on this plan")

// Run shrinks a plan.
func (s *Shrinker) Run(plan *chaos.Plan) (*Result, error) {
	fails, err := s.fails(plan)
	if err != nil {
		return nil, err
	}
	if !fails {
		return nil, fmt.Errorf("%s: %w", s.Invariant, ErrHolds)
	}
	s.best = plan
	s.settle()
	return &Result{Plan: s.best, Before: SizeOf(plan), After: SizeOf(s.best), Runs: s.runs, Whole: !s.ended}, nil
}

// mostRounds bounds the rounds; the second seldom finds much.
const mostRounds = 4

// settle goes through all ways to make the plan smaller until none helps.
func (s *Shrinker) settle() {
	for range mostRounds {
		before := string(s.best.Encode())
		for _, pass := range []func(){s.tail, s.payments, s.faults, s.outages, s.returns, s.settings, s.numbers, s.amounts, s.schedule} {
			pass()
		}
		if s.ended || string(s.best.Encode()) == before {
			return
		}
	}
}

// try keeps a candidate if the same invariant breaks on it.
func (s *Shrinker) try(p *chaos.Plan) bool {
	if s.ended || s.Enough != nil && s.Enough() {
		s.ended = true
		return false
	}
	if p.Validate() != nil {
		return false
	}
	at := s.atMS
	fails, err := s.fails(p)
	if err != nil || !fails || !s.blameless(p) {
		s.atMS = at
		return false // a plan that upsets the lab itself shows something else
	}
	s.best = p
	if s.Tell != nil {
		s.Tell(s.runs, SizeOf(p))
	}
	return true
}

// fails runs a plan and says whether the invariant breaks.
func (s *Shrinker) fails(p *chaos.Plan) (bool, error) {
	o := s.Options
	o.Trace, o.Until, o.HealAt, o.Show = nil, 0, 0, false
	if s.Invariant != Converge {
		o.StopAtFirst, o.Without = true, scenarios.AllBut(s.Invariant)
	}
	s.runs++
	r, err := s.Drive(p, o)
	if err != nil {
		return false, err
	}
	return s.shows(r), nil
}

// shows says whether a report is of the failure that is looked for.
func (s *Shrinker) shows(r *scenarios.Report) bool {
	if s.Invariant == Converge {
		return r.Verdict == scenarios.NotConverged
	}
	for _, i := range r.Invariants {
		if i.ID == s.Invariant && !i.Held {
			s.atMS = i.AtMS
			return true
		}
	}
	return false
}

// blameless says whether the reference holds, where it has to.
func (s *Shrinker) blameless(p *chaos.Plan) bool {
	if s.Reference == nil {
		return true
	}
	s.runs++
	r, err := s.Drive(p, scenarios.Options{Receiver: s.Reference, StopAtFirst: true})
	return err == nil && r.Verdict == scenarios.Held
}
