package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// MarksFrom is the number of seeds from which on a search of a profile that
// holds every kind of fault is expected to have reached every mark. The rarest
// that is asked for comes up in about seven seeds of a thousand of "hostile".
const MarksFrom = 2000

// Summary is what a search came to. It does not hang on the order in which its
// findings come.
type Summary struct {
	Profiles []string
	Receiver string
	Range    Range
	Shard    Shard
	// Kept counts the committed plans that ran first.
	Kept int
	// Seeds counts the seeds looked at, a seed of two profiles twice.
	Seeds   int
	Runs    int
	Twice   int
	Related map[Relation]int
	Marks   map[string]int // seeds that reached each
	Visited []Visit
	// Failures are in the order of the plans' names and the seeds.
	Failures []Failure
	Groups   []Group
	Settled  int
	Events   int64
	Elapsed  time.Duration
}

// Visit is the seeds of one profile that were looked at: from the first to the
// last, one in Step.
type Visit struct {
	Profile     string
	First, Last chaos.Seed
	Step        chaos.Seed
	Count       int
}

// Whole says that no seed between the first and the last was left out.
func (v Visit) Whole() bool { return v.Count > 0 && (v.Last-v.First)/v.Step+1 == chaos.Seed(v.Count) }

// String is the visit in words.
func (v Visit) String() string {
	text := fmt.Sprintf("%s: seeds %d to %d", v.Profile, v.First, v.Last)
	if v.Step > 1 {
		text += fmt.Sprintf(", one in %d", v.Step)
	}
	if !v.Whole() {
		text += fmt.Sprintf(", with gaps: %d of them", v.Count)
	}
	return text
}

// Group is the failures of one invariant whose smallest plans have one shape.
type Group struct {
	Invariant string
	// Shape is the smallest plan in words; Shrunk says that it was shrunk.
	Shape  string
	Shrunk bool
	// Plan is the smallest of the group's plans, File where it was written, Lost
	// why it could not be.
	Plan   *chaos.Plan
	File   string
	Lost   string
	Story  []string
	Detail string
	Repeat string
	// Members are the failures.
	Members []Failure
}

// NewSummary begins a summary.
func NewSummary() *Summary {
	return &Summary{Related: map[Relation]int{}, Marks: map[string]int{}}
}

// AddKept takes the finding of a committed plan.
func (s *Summary) AddKept(file string, f Finding) {
	s.Kept++
	s.Runs += f.Runs
	for i := range f.Failures {
		f.Failures[i].Kept = file
	}
	s.Failures = append(s.Failures, f.Failures...)
}

// Add takes the finding of a seed.
func (s *Summary) Add(f Finding) {
	s.Seeds++
	s.Runs += f.Runs
	s.Settled += f.Settled
	s.Events += f.Events
	if f.Twice {
		s.Twice++
	}
	if f.Related != "" {
		s.Related[f.Related]++
	}
	for _, m := range f.Marks {
		s.Marks[m]++
	}
	s.visit(f)
	s.Failures = append(s.Failures, f.Failures...)
}

func (s *Summary) visit(f Finding) {
	for i := range s.Visited {
		if v := &s.Visited[i]; v.Profile == f.Profile {
			v.First, v.Last = min(v.First, f.Seed), max(v.Last, f.Seed)
			v.Count++
			return
		}
	}
	s.Visited = append(s.Visited, Visit{Profile: f.Profile, First: f.Seed, Last: f.Seed, Step: s.Shard.Step(), Count: 1})
}

// Close puts everything in order once the last finding is in.
func (s *Summary) Close() {
	slices.SortFunc(s.Visited, func(a, b Visit) int { return cmp.Compare(a.Profile, b.Profile) })
	slices.SortStableFunc(s.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Kept, a.Kept), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Profile, b.Profile), cmp.Compare(a.Invariant, b.Invariant))
	})
}

// Missed are the marks that the search should have reached and did not. Only a
// search of the reference that is long enough, on profiles that hold every
// kind, is asked.
func (s *Summary) Missed() []string {
	seeds := 0
	for _, v := range s.Visited {
		if v.Profile == "hostile" {
			seeds += v.Count
		}
	}
	if seeds < MarksFrom || s.Receiver != scenarios.Reference().Name {
		return nil
	}
	var out []string
	rare := scenarios.RareMarks()
	for _, m := range scenarios.Marks() {
		if s.Marks[m] == 0 && !slices.Contains(rare, m) {
			out = append(out, m)
		}
	}
	return out
}

// Reached is how many of the marks that a sweep is asked for were reached.
func (s *Summary) Reached() (reached, all int) {
	rare := scenarios.RareMarks()
	for _, m := range scenarios.Marks() {
		if slices.Contains(rare, m) {
			continue
		}
		all++
		if s.Marks[m] > 0 {
			reached++
		}
	}
	return reached, all
}

// Failed says whether anything went wrong.
func (s *Summary) Failed() bool { return len(s.Failures) > 0 || len(s.Missed()) > 0 }

// Group sorts a failure into its group, by the smallest plan that is known of it.
func (s *Summary) Group(f Failure, smallest Group) {
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Invariant == f.Invariant && g.Shape == smallest.Shape {
			g.Members = append(g.Members, f)
			return
		}
	}
	smallest.Invariant, smallest.Members = f.Invariant, []Failure{f}
	s.Groups = append(s.Groups, smallest)
}

// ShapeOf says in words what a plan consists of: what failures are grouped by.
func ShapeOf(p *chaos.Plan) string {
	if p == nil {
		return "no plan"
	}
	parts := []string{number(len(p.Payments), "payment")}
	if n := len(p.Refunds); n > 0 {
		parts = append(parts, number(n, "refund"))
	}
	if n := len(p.Disputes); n > 0 {
		parts = append(parts, number(n, "MED case"))
	}
	kinds := map[string]int{}
	for _, d := range p.Faults {
		kinds[d.Kind]++
	}
	for _, k := range chaos.Kinds() {
		if n := kinds[k.Name]; n == 1 {
			parts = append(parts, k.Name)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d × %s", n, k.Name))
		}
	}
	return strings.Join(parts, ", ")
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
