package chaos

// Task is one actor's place in the schedule. The scheduler only picks and
// records: what a task does is its owner's business.
type Task struct {
	// Name breaks ties, so it must be unique among the tasks alive.
	Name string
	// Owner is whatever the caller wants back from Next.
	Owner any

	nameHash uint64
	wake     Instant
	priority uint64
	step     uint64
	slot     int // position in its heap, -1 when in none
	ready    bool
}

// NewTask makes a task that is in no schedule yet.
func NewTask(name string, owner any) *Task {
	return &Task{Name: name, Owner: owner, nameHash: HashName(name), slot: -1}
}

// Wake is the instant before which the task does not run.
func (t *Task) Wake() Instant { return t.wake }

// Parked says whether the task is waiting in the schedule.
func (t *Task) Parked() bool { return t.slot >= 0 }

// Scheduler decides who steps next. One clock; every step adds its latency to
// it; runnable are the tasks whose wake has come; of these the one with the
// highest priority goes, ties by name. A priority is drawn when a task parks
// and kept until it steps.
type Scheduler struct {
	now      Instant
	steps    int64
	priority Mixer
	latency  Mixer
	minStep  Instant
	spread   uint64
	waiting  taskHeap // by wake, then name
	ready    taskHeap // by priority, then name

	last      *Task // who stepped last
	switches  int64
	stay      bool // a schedule is followed
	choices   []Choice
	recording bool
	recorded  []Choice
}

// The range of a step's latency: a command or a hop on a local network.
const (
	minLatency = 60 * Microsecond
	maxLatency = 900 * Microsecond
)

// NewScheduler makes the schedule of a seed's run, its clock at zero.
func NewScheduler(seed Seed) *Scheduler {
	return &Scheduler{
		priority: seed.Mixer("sched"), latency: seed.Mixer("latency"),
		minStep: minLatency, spread: uint64(maxLatency - minLatency),
		waiting: taskHeap{less: byWake}, ready: taskHeap{less: byPriority},
	}
}

// Slow makes each step take mean on average: from half of it to one and a half.
func (s *Scheduler) Slow(mean Instant) {
	s.minStep, s.spread = mean/2, uint64(mean)
}

// Now is the virtual instant.
func (s *Scheduler) Now() Instant { return s.now }

// Steps is the number of steps taken.
func (s *Scheduler) Steps() int64 { return s.steps }

// Park puts a task into the schedule until wake. subject and step name what it
// is about to do: the priority of a step on one subject depends on that alone,
// so that work on other subjects does not move it. With an empty subject the
// task's own count of steps takes their place.
func (s *Scheduler) Park(t *Task, wake Instant, subject, step string) {
	t.step++
	if subject == "" {
		t.priority = s.priority.Mix(t.nameHash, 0, t.step)
	} else {
		t.priority = s.priority.Mix(t.nameHash, HashName(subject), HashName(step))
	}
	t.wake = wake
	t.ready = false
	s.waiting.push(t)
}

// Rewake moves a parked task to an earlier or later wake; its priority stays.
// A task that is not parked is left alone.
func (s *Scheduler) Rewake(t *Task, wake Instant) {
	if t.slot < 0 {
		return
	}
	s.Remove(t)
	t.wake = wake
	t.ready = false
	s.waiting.push(t)
}

// Remove takes a task out of the schedule.
func (s *Scheduler) Remove(t *Task) {
	switch {
	case t.slot < 0:
	case t.ready:
		s.ready.remove(t)
	default:
		s.waiting.remove(t)
	}
}

// NextWake is the instant at which something can run, or [Never].
func (s *Scheduler) NextWake() Instant {
	if len(s.ready.tasks) > 0 {
		return s.now
	}
	if len(s.waiting.tasks) == 0 {
		return Never
	}
	return max(s.now, s.waiting.tasks[0].wake)
}

// Next moves the clock to the next instant at which something can run, picks
// the task to step, takes it out of the schedule and adds the step's latency.
// It is nil when nothing is parked, or nothing wakes by the limit.
func (s *Scheduler) Next(limit Instant) *Task {
	at := s.NextWake()
	if at > limit || at == Never {
		return nil
	}
	s.now = at
	for len(s.waiting.tasks) > 0 && s.waiting.tasks[0].wake <= s.now {
		t := s.waiting.tasks[0]
		s.waiting.remove(t)
		t.ready = true
		s.ready.push(t)
	}
	t := s.ready.tasks[0]
	if s.stay {
		t = s.chosen(t)
	}
	s.note(t)
	s.ready.remove(t)
	t.ready = false
	s.steps++
	s.now += s.minStep + Instant(s.latency.Mix(t.nameHash, t.step, 0)%s.spread)
	return t
}

func byWake(a, b *Task) bool {
	if a.wake != b.wake {
		return a.wake < b.wake
	}
	return a.Name < b.Name
}

func byPriority(a, b *Task) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	return a.Name < b.Name
}

// taskHeap is a binary heap that knows each task's slot.
type taskHeap struct {
	tasks []*Task
	less  func(a, b *Task) bool
}

func (h *taskHeap) push(t *Task) {
	t.slot = len(h.tasks)
	h.tasks = append(h.tasks, t)
	h.up(t.slot)
}

func (h *taskHeap) remove(t *Task) {
	i, last := t.slot, len(h.tasks)-1
	h.swap(i, last)
	h.tasks[last] = nil
	h.tasks = h.tasks[:last]
	t.slot = -1
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h *taskHeap) swap(i, j int) {
	h.tasks[i], h.tasks[j] = h.tasks[j], h.tasks[i]
	h.tasks[i].slot, h.tasks[j].slot = i, j
}

func (h *taskHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.tasks[i], h.tasks[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *taskHeap) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.tasks); c++ {
			if h.less(h.tasks[c], h.tasks[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}
