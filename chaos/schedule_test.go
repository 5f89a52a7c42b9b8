package chaos

import (
	"fmt"
	"strings"
	"testing"
)

// crowd parks tasks that come back at once so often, and tells who stepped.
func crowd(s *Scheduler, tasks, turns int) []string {
	left := map[string]int{}
	for i := range tasks {
		t := NewTask(fmt.Sprintf("t%d", i), nil)
		left[t.Name] = turns
		s.Park(t, 0, "", "go")
	}
	var order []string
	for t := s.Next(Never - 1); t != nil; t = s.Next(Never - 1) {
		order = append(order, t.Name)
		if left[t.Name]--; left[t.Name] > 0 {
			s.Park(t, s.Now(), "", "go")
		}
	}
	return order
}

func TestRecordedScheduleRepeatsTheOrder(t *testing.T) {
	t.Parallel()
	for seed := range Seed(20) {
		first := NewScheduler(seed)
		first.Record()
		want := crowd(first, 5, 8)
		again := NewScheduler(seed)
		again.Follow(first.Recorded())
		if got := crowd(again, 5, 8); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("seed %d: the recorded schedule gives\n%v, want\n%v", seed, got, want)
		}
		if again.Switches() != first.Switches() || first.Switches() < 5 {
			t.Errorf("seed %d: %d switches, then %d", seed, first.Switches(), again.Switches())
		}
	}
}

// TestEmptyScheduleStays has each task go on until it is done.
func TestEmptyScheduleStays(t *testing.T) {
	t.Parallel()
	s := NewScheduler(7)
	s.Follow(&Schedule{})
	order := crowd(s, 4, 6)
	if s.Switches() != 4 || len(order) != 24 {
		t.Errorf("%d switches in %d steps, want 4 in 24: %v", s.Switches(), len(order), order)
	}
}

// TestImpossibleChoiceGivesWay has a choice that names nobody change nothing but
// that step, where the priorities decide.
func TestImpossibleChoiceGivesWay(t *testing.T) {
	t.Parallel()
	s := NewScheduler(7)
	s.Follow(&Schedule{Choices: []Choice{{Step: 9, Task: "nobody"}, {Step: 3, Task: "t2"}}})
	order := crowd(s, 4, 6)
	if len(order) != 24 {
		t.Fatalf("%d steps, want 24", len(order))
	}
	if order[2] != "t2" {
		t.Errorf("step 3 is %s, want t2: choices count whatever their order in the file", order[2])
	}
}

func TestPlanRefusesABadSchedule(t *testing.T) {
	t.Parallel()
	for says, s := range map[string]*Schedule{
		"step is 0":       {Choices: []Choice{{Step: 0, Task: "a"}}},
		"task is missing": {Choices: []Choice{{Step: 1}}},
		"stands twice":    {Choices: []Choice{{Step: 1, Task: "a"}, {Step: 1, Task: "b"}}},
	} {
		p := generate(t, Options{Seed: 1, Profile: "calm"})
		p.Schedule = s
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}
