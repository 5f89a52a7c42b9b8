package scenarios_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// TestHealedFromAnyEventItHolds heals runs at events all over them: what is true
// by then comes right, and nothing of the rest of the plan is done.
func TestHealedFromAnyEventItHolds(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= 6; seed++ {
		whole := runSeed(t, seed, "hostile", scenarios.Options{})
		for part := int64(1); part <= 5; part++ {
			at := whole.Events * part / 6
			r := runSeed(t, seed, "hostile", scenarios.Options{HealAt: at})
			mustHold(t, seed, "hostile", r)
			if part == 1 && r.Settled >= whole.Settled {
				t.Errorf("seed %d: healed at event %d %d Pix settled, as many as in the whole run", seed, at, r.Settled)
			}
		}
	}
}

// TestUntilEndsARunOnTheWay compares a run that ends early with the whole one:
// it is its beginning.
func TestUntilEndsARunOnTheWay(t *testing.T) {
	t.Parallel()
	var whole, part bytes.Buffer
	runSeed(t, 3, "mixed", scenarios.Options{Trace: &whole})
	r := runSeed(t, 3, "mixed", scenarios.Options{Trace: &part, Until: 300, Show: true})
	if !strings.HasPrefix(whole.String(), part.String()) || r.Events < 300 || r.Events > 310 {
		t.Errorf("%d events, of which the trace is the beginning is %t", r.Events, strings.HasPrefix(whole.String(), part.String()))
	}
	if r.State == nil || r.State.Event != r.Events || len(r.State.Pix) == 0 {
		t.Errorf("the state is %+v, want that of event %d", r.State, r.Events)
	}
}

// TestRecordedScheduleIsTheSameRun takes the order that a run had into its plan.
func TestRecordedScheduleIsTheSameRun(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= 5; seed++ {
		first := runSeed(t, seed, "hostile", scenarios.Options{Record: true})
		plan, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(seed), Profile: "hostile"})
		if err != nil {
			t.Fatal(err)
		}
		plan.Schedule = first.Schedule
		w, err := scenarios.NewWorld(plan, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := w.Run()
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != first.Hash || again.Switches != first.Switches || len(first.Schedule.Choices) == 0 {
			t.Errorf("seed %d: hash %s, want %s; %d choices", seed, again.Hash, first.Hash, len(first.Schedule.Choices))
		}
	}
}

// TestMarksAreListed finds every mark that is declared in the list of its
// package, each once.
func TestMarksAreListed(t *testing.T) {
	t.Parallel()
	var of []string
	for _, m := range receiver.Marks() {
		of = append(of, string(m))
	}
	listed(t, "../receiver/mark.go", of)
	of = nil
	for _, m := range fakepsp.Marks() {
		of = append(of, string(m))
	}
	listed(t, "../fakepsp/mark.go", of)
	all := scenarios.Marks()
	for i, m := range all {
		if slices.Contains(all[:i], m) {
			t.Errorf("mark %q stands twice", m)
		}
	}
	for _, m := range scenarios.RareMarks() {
		if !slices.Contains(all, m) {
			t.Errorf("the rare mark %q is none of the marks", m)
		}
	}
}

// listed compares the texts of a file's Mark constants with a list.
func listed(t *testing.T, name string, list []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
			value, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			if found++; !slices.Contains(list, value) {
				t.Errorf("%s declares %s and its list lacks it", name, spec.Names[0].Name)
			}
		}
		return true
	})
	if found != len(list) || found == 0 {
		t.Errorf("%s declares %d marks and lists %d", name, found, len(list))
	}
}
