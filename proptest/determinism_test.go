package proptest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// A seed and a profile make one run: drawn again, taken through the plan's file
// and played beside it, it has the same hash and the same report.
func TestSameSeedSameRun(t *testing.T) {
	t.Parallel()
	s := stockOf(t)
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 4)
		plan, err := chaos.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := chaos.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		sameRun(t, nil, s, plan, throughFile(t, again))
	})
}

// So it is with plans that no seed drew.
func TestSamePlanSameRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, samePlanSameRun(nil, stockOf(t)))
}

func samePlanSameRun(rec *scenarios.Receiver, s stock) func(*rapid.T) {
	return func(t *rapid.T) {
		plan := drawPlan().Draw(t, "plan").plan
		sameRun(t, rec, s, plan, throughFile(t, plan))
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

// sameRun plays two plans that are one, at the same time.
func sameRun(t *rapid.T, rec *scenarios.Receiver, s stock, a, b *chaos.Plan) {
	var first, second *scenarios.Report
	var err, errBeside error
	var beside sync.WaitGroup
	beside.Go(func() { second, errBeside = play(b, rec, s, nil) })
	first, err = play(a, rec, s, nil)
	beside.Wait()
	switch {
	case err != nil || errBeside != nil:
		t.Fatalf("the lab failed: %v, %v", err, errBeside)
	case first.Hash != second.Hash:
		t.Fatalf("hash %s, then %s%s", first.Hash, second.Hash, parting(a, rec, s))
	case !reflect.DeepEqual(first, second):
		t.Fatalf("one hash and two reports:\n%+v\n%+v", first, second)
	}
}

// play runs a plan on a store of the stock.
func play(plan *chaos.Plan, rec *scenarios.Receiver, s stock, trace io.Writer) (*scenarios.Report, error) {
	var last releases
	w, err := scenarios.NewWorld(plan, scenarios.Options{Receiver: rec, Trace: trace, Store: last.opening(s)})
	if err != nil {
		return nil, errors.Join(err, last.release())
	}
	report, err := w.Run()
	if wrong := last.release(); wrong != nil {
		return nil, errors.Join(err, wrong)
	}
	return report, err
}

// parting plays a plan twice more and says where the traces part.
func parting(plan *chaos.Plan, rec *scenarios.Receiver, s stock) string {
	var a, b bytes.Buffer
	_, err := play(plan, rec, s, &a)
	_, errAgain := play(plan, rec, s, &b)
	line, left, right, errDiff := chaos.Diff(&a, &b)
	if err = errors.Join(err, errAgain, errDiff); err != nil {
		return ": " + err.Error()
	}
	return fmt.Sprintf("; played twice more they part at event %d:\n%s\n%s", line, left, right)
}

// A receiver that remembers something from one run to the next, as a package
// variable does, is noticed.
func TestSameRunCanFail(t *testing.T) {
	huntFlags(t)
	tr := try(t, samePlanSameRun(forgetful(), stockOf(t)))
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
			b, err := scenarios.Reference().Build(e)
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
