package chaos

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive is the scheduler as its comment tells it, on a plain list.
type naive struct {
	now   Instant
	tasks []*naiveTask
	seed  Seed
}

type naiveTask struct {
	name     string
	wake     Instant
	priority uint64
	step     uint64
}

func (n *naive) find(name string) int {
	return slices.IndexFunc(n.tasks, func(t *naiveTask) bool { return t.name == name })
}

func (n *naive) park(t *naiveTask, wake Instant, subject, step string) {
	t.step++
	t.wake = wake
	m := n.seed.Mixer("sched")
	if subject == "" {
		t.priority = m.Mix(HashName(t.name), 0, t.step)
	} else {
		t.priority = m.Mix(HashName(t.name), HashName(subject), HashName(step))
	}
	n.tasks = append(n.tasks, t)
}

func (n *naive) nextWake() Instant {
	if len(n.tasks) == 0 {
		return Never
	}
	least := slices.MinFunc(n.tasks, func(a, b *naiveTask) int { return int(a.wake - b.wake) })
	return max(n.now, least.wake)
}

func (n *naive) next(limit Instant) *naiveTask {
	at := n.nextWake()
	if at == Never || at > limit {
		return nil
	}
	n.now = at
	best := -1
	for i, t := range n.tasks {
		if t.wake > n.now {
			continue
		}
		if best < 0 || t.priority > n.tasks[best].priority ||
			t.priority == n.tasks[best].priority && t.name < n.tasks[best].name {
			best = i
		}
	}
	t := n.tasks[best]
	n.tasks = slices.Delete(n.tasks, best, best+1)
	n.now += minLatency + Instant(n.seed.Mixer("latency").Mix(HashName(t.name), t.step, 0)%uint64(maxLatency-minLatency))
	return t
}

// pair is one task in both schedulers.
type pair struct {
	real  *Task
	naive *naiveTask
}

func TestSchedulerAgainstNaiveList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := Seed(rapid.Uint64Range(0, 1000).Draw(t, "seed"))
		real, model := NewScheduler(seed), &naive{seed: seed}
		pairs := map[string]pair{}
		for i := range 8 {
			name := "actor/" + itoa(i)
			pairs[name] = pair{NewTask(name, i), &naiveTask{name: name}}
		}
		pick := func(t *rapid.T) pair {
			return pairs["actor/"+itoa(rapid.IntRange(0, 7).Draw(t, "task"))]
		}
		wake := func(t *rapid.T) Instant {
			// A step takes under a millisecond, so that many wakes lie in the past and many tie.
			return Instant(rapid.IntRange(0, 20).Draw(t, "wake")) * 500
		}
		t.Repeat(map[string]func(*rapid.T){
			"park": func(t *rapid.T) {
				p := pick(t)
				if p.real.Parked() {
					t.Skip("parked already")
				}
				at := wake(t)
				subject := rapid.SampledFrom([]string{"", "p1", "p2"}).Draw(t, "subject")
				real.Park(p.real, at, subject, "step")
				model.park(p.naive, at, subject, "step")
			},
			"rewake": func(t *rapid.T) {
				p, at := pick(t), wake(t)
				real.Rewake(p.real, at)
				if model.find(p.naive.name) >= 0 {
					p.naive.wake = at
				}
			},
			"remove": func(t *rapid.T) {
				p := pick(t)
				real.Remove(p.real)
				if i := model.find(p.naive.name); i >= 0 {
					model.tasks = slices.Delete(model.tasks, i, i+1)
				}
			},
			"next": func(t *rapid.T) {
				limit := Never
				if rapid.Bool().Draw(t, "limited") {
					limit = wake(t)
				}
				got, want := real.Next(limit), model.next(limit)
				switch {
				case got == nil && want == nil:
				case got == nil || want == nil || got.Name != want.name:
					t.Fatalf("next = %v, want %v", got, want)
				}
			},
			"": func(t *rapid.T) {
				if real.Now() != model.now || real.NextWake() != model.nextWake() {
					t.Fatalf("now %d, next %d; want %d, %d", real.Now(), real.NextWake(), model.now, model.nextWake())
				}
				for name, p := range pairs {
					if got, want := p.real.Parked(), model.find(name) >= 0; got != want {
						t.Fatalf("%s parked: %v, want %v", name, got, want)
					}
				}
			},
		})
	})
}

// drain steps until nothing is parked and lists the names in order.
func drain(s *Scheduler) []string {
	var names []string
	for task := s.Next(Never); task != nil; task = s.Next(Never) {
		names = append(names, task.Name)
	}
	return names
}

func TestTiesOfPriorityGoByName(t *testing.T) {
	t.Parallel()
	s := NewScheduler(1)
	for _, name := range []string{"c", "a", "b"} {
		task := NewTask(name, nil)
		s.Park(task, 0, "", "")
		task.priority = 7 // two hashes that meet
	}
	if got, want := drain(s), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("order = %v, want %v", got, want)
	}
}

// Many tasks, so that what is taken out of the middle of the heap must find its
// place both upwards and downwards.
func TestRemovedFromTheMiddle(t *testing.T) {
	t.Parallel()
	for seed := range Seed(50) {
		s, st := NewScheduler(seed), seed.Stream("test")
		var tasks []*Task
		for i := range 200 {
			task := NewTask("actor/"+itoa(i), nil)
			s.Park(task, Second*Instant(st.Between(1, 1000)), "", "")
			tasks = append(tasks, task)
		}
		left := 200
		for _, task := range tasks {
			switch st.Below(3) {
			case 0:
				s.Remove(task)
				left--
			case 1:
				s.Rewake(task, Second*Instant(st.Between(1, 1000)))
			}
		}
		last := Instant(0)
		for task := s.Next(Never); task != nil; task = s.Next(Never) {
			if task.Wake() < last {
				t.Fatalf("seed %d: %s woke at %v after a step of %v", seed, task.Name, task.Wake().Duration(), last.Duration())
			}
			last = task.Wake()
			left--
		}
		if left != 0 {
			t.Errorf("seed %d: %d tasks stepped too few", seed, left)
		}
	}
}

func TestLimitIsIncluded(t *testing.T) {
	t.Parallel()
	s, task := NewScheduler(1), NewTask("one", nil)
	s.Park(task, 5*Second, "", "")
	if got := s.Next(5*Second - 1); got != nil {
		t.Errorf("%s stepped before its wake", got.Name)
	}
	if s.Next(5*Second) != task {
		t.Error("the task did not step at the limit itself")
	}
}

// The priority of a step on one subject is its own: work on other subjects
// does not move it.
func TestOrderOfSubjectsIsLocal(t *testing.T) {
	t.Parallel()
	order := func(names ...string) []string {
		s := NewScheduler(42)
		for _, name := range names {
			s.Park(NewTask(name, nil), 0, "p-"+name, "apply")
		}
		return drain(s)
	}
	all := order("w1", "w2", "w3", "w4", "w5")
	if got := order("w5", "w3", "w1", "w4", "w2"); !slices.Equal(got, all) {
		t.Errorf("order of parking moved the order: %v, want %v", got, all)
	}
	without := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return n == "w3" })
	if got := order("w1", "w2", "w4", "w5"); !slices.Equal(got, without) {
		t.Errorf("without w3: %v, want %v", got, without)
	}
}

func TestEveryStepMovesTheClock(t *testing.T) {
	t.Parallel()
	s := NewScheduler(3)
	task := NewTask("one", nil)
	for range 1000 {
		before := s.Now()
		s.Park(task, 0, "", "")
		if s.Next(Never) != task {
			t.Fatal("the only task did not step")
		}
		if took := s.Now() - before; took < minLatency || took >= maxLatency {
			t.Fatalf("a step took %v, want %v to %v", took.Duration(), minLatency.Duration(), maxLatency.Duration())
		}
	}
	if s.Steps() != 1000 {
		t.Errorf("steps = %d, want 1000", s.Steps())
	}
}

func BenchmarkSchedulerStep(b *testing.B) {
	b.ReportAllocs()
	s := NewScheduler(1)
	for i := range 40 {
		s.Park(NewTask("actor/"+itoa(i), nil), 0, "", "")
	}
	for b.Loop() {
		t := s.Next(Never)
		s.Park(t, s.Now(), "p17", "ApplyEvents")
	}
}
