package proptest

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// A seed and a profile make one run: again it has the same report and the same
// trace to the byte, by way of the plan's file too, and beside other runs.
func TestSameSeedSameRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 6)
		plan, err := chaos.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := chaos.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		sameRun(t, nil, plan, again, throughFile(t, plan))
	})
}

// So it is with plans that no seed drew.
func TestSamePlanSameRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, samePlanSameRun(nil))
}

func samePlanSameRun(rec *scenarios.Receiver) func(*rapid.T) {
	return func(t *rapid.T) {
		plan := drawPlan().Draw(t, "plan").plan
		sameRun(t, rec, plan, plan, throughFile(t, plan))
	}
}

// drawOptions draws what a plan is generated from.
func drawOptions(t *rapid.T, most int) chaos.Options {
	var names []string
	for _, p := range chaos.Profiles() {
		names = append(names, p.Name)
	}
	// Half of the draws are of the profiles that hold every kind.
	if rapid.Bool().Draw(t, "all kinds") {
		names = names[:4]
	}
	return chaos.Options{
		Seed:     chaos.Seed(rapid.Uint64Range(0, chaos.MaxSeed).Draw(t, "seed")),
		Profile:  rapid.SampledFrom(names).Draw(t, "profile"),
		Payments: rapid.IntRange(1, most).Draw(t, "payments"),
	}
}

// throughFile is the plan as it comes back from a file, whose bytes must be
// those of what came back.
func throughFile(t *rapid.T, plan *chaos.Plan) *chaos.Plan {
	back, err := chaos.ReadPlan(bytes.NewReader(plan.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Encode(), plan.Encode()) || back.Hash() != plan.Hash() {
		t.Fatal("the plan comes back from its file as another one")
	}
	return back
}

// played is one run.
type played struct {
	report *scenarios.Report
	trace  []byte
	err    error
}

// sameRun plays the plans, all but the first at the same time.
func sameRun(t *rapid.T, rec *scenarios.Receiver, plans ...*chaos.Plan) {
	runs := make([]played, len(plans))
	runs[0] = play(plans[0], rec)
	var others sync.WaitGroup
	for i := 1; i < len(plans); i++ {
		others.Go(func() { runs[i] = play(plans[i], rec) })
	}
	others.Wait()
	first := runs[0]
	for i, r := range runs {
		if r.err != nil {
			t.Fatalf("run %d: %v", i+1, r.err)
		}
		if r.report.Hash != first.report.Hash {
			t.Fatalf("run %d: hash %s; run 1 had %s%s", i+1, r.report.Hash, first.report.Hash, parting(first.trace, r.trace))
		}
		if !bytes.Equal(r.trace, first.trace) || !reflect.DeepEqual(r.report, first.report) {
			t.Fatalf("run %d has the hash of run 1 and another trace or report", i+1)
		}
	}
}

func play(plan *chaos.Plan, rec *scenarios.Receiver) played {
	var trace bytes.Buffer
	w, err := scenarios.NewWorld(plan, scenarios.Options{Receiver: rec, Trace: &trace})
	if err != nil {
		return played{err: err}
	}
	report, err := w.Run()
	return played{report, trace.Bytes(), err}
}

// parting is the first event at which two traces differ.
func parting(a, b []byte) string {
	line, left, right, err := chaos.Diff(bytes.NewReader(a), bytes.NewReader(b))
	if err != nil {
		return ": " + err.Error()
	}
	return fmt.Sprintf("; they part at event %d:\n%s\n%s", line, left, right)
}

// A receiver that remembers something from one run to the next, as a package
// variable does, is noticed.
func TestSameRunCanFail(t *testing.T) {
	huntFlags(t)
	tr := try(t, samePlanSameRun(forgetful()))
	if !tr.failed {
		t.Fatalf("rapid found no run that differs:\n%s", tr.output())
	}
	t.Log(tr.last())
}

// forgetful fails each seventh request of its process's life.
func forgetful() *scenarios.Receiver {
	var mu sync.Mutex
	served := 0
	return &scenarios.Receiver{
		Name: "forgetful", Doc: "counts its requests across runs and fails each seventh",
		Build: func(e scenarios.Env) (scenarios.Built, error) {
			b, err := scenarios.Reference.Build(e)
			next := b.Handler
			b.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				served++
				fails := served%7 == 0
				mu.Unlock()
				if fails {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				next.ServeHTTP(w, r)
			})
			return b, err
		},
	}
}
