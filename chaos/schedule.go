package chaos

import (
	"cmp"
	"fmt"
	"slices"
)

// Schedule takes the place of the seeded order of steps: whoever stepped last
// goes on as long as it can, and is interrupted at the steps that Choices name.
// Where a choice is no longer possible the priorities decide, as they do
// whenever the last one to step cannot.
//
// A plan without a schedule runs in the seed's own order. [Scheduler.Recorded]
// gives the schedule of a run, and a plan that holds it runs the same.
type Schedule struct {
	Choices []Choice `json:"choices"`
}

// Choice is who steps at one step of a run, counted from 1, in place of the one
// that stepped before.
type Choice struct {
	Step int64  `json:"step"`
	Task string `json:"task"`
}

// sorted is a copy in the order of the steps.
func (s *Schedule) sorted() *Schedule {
	if s == nil {
		return nil
	}
	out := &Schedule{Choices: append([]Choice{}, s.Choices...)}
	slices.SortStableFunc(out.Choices, func(a, b Choice) int { return cmp.Compare(a.Step, b.Step) })
	return out
}

func (v *validator) schedule() error {
	if v.plan.Schedule == nil {
		return nil
	}
	seen := map[int64]bool{}
	for _, c := range v.plan.Schedule.Choices {
		who := fmt.Sprintf("schedule choice at step %d", c.Step)
		if err := atLeast(who, "step", c.Step, 1); err != nil {
			return err
		}
		if c.Task == "" {
			return fmt.Errorf("%s: task is missing; want the name of an actor, as the trace has it", who)
		}
		if seen[c.Step] {
			return fmt.Errorf("%s: the step stands twice; want each once", who)
		}
		seen[c.Step] = true
	}
	return nil
}

// Follow has the scheduler keep to a schedule, nil for the seed's own order.
func (s *Scheduler) Follow(plan *Schedule) {
	if plan == nil {
		return
	}
	s.stay, s.choices = true, plan.sorted().Choices
}

// Record has the scheduler keep the choices that it takes.
func (s *Scheduler) Record() { s.recording = true }

// Recorded is the schedule of the steps so far, for a scheduler that records.
func (s *Scheduler) Recorded() *Schedule {
	return &Schedule{Choices: append([]Choice{}, s.recorded...)}
}

// Switches is how often somebody else stepped than the step before.
func (s *Scheduler) Switches() int64 { return s.switches }

// chosen is who steps, given who has the highest priority.
func (s *Scheduler) chosen(first *Task) *Task {
	step := s.steps + 1
	for len(s.choices) > 0 && s.choices[0].Step < step {
		s.choices = s.choices[1:]
	}
	if len(s.choices) > 0 && s.choices[0].Step == step {
		for _, t := range s.ready.tasks {
			if t.Name == s.choices[0].Task {
				return t
			}
		}
		return first
	}
	if s.last != nil && s.last.ready {
		return s.last
	}
	return first
}

// note counts a step, and keeps a choice that a schedule would need.
func (s *Scheduler) note(t *Task) {
	if t == s.last {
		return
	}
	s.switches++
	if s.recording && s.last != nil && s.last.ready {
		s.recorded = append(s.recorded, Choice{Step: s.steps + 1, Task: t.Name})
	}
	s.last = t
}
