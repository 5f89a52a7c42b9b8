package scenarios

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

func TestSmoke(t *testing.T) {
	if os.Getenv("SEEDS") == "" {
		t.Skip()
	}
	from := 1
	to, _ := strconv.Atoi(os.Getenv("SEEDS"))
	if s := os.Getenv("SEED"); s != "" {
		from, _ = strconv.Atoi(s)
		to = from
	}
	prof := os.Getenv("PROFILE")
	bad := 0
	kinds := map[string]int{}
	start := time.Now()
	var steps, events, calls int64
	for s := from; s <= to; s++ {
		p, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(s), Profile: prof})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{}
		if from == to {
			f, _ := os.Create("/tmp/trace.jsonl")
			o.Trace = f
			os.WriteFile("/tmp/plan.json", p.Encode(), 0o644)
		}
		w, err := NewWorld(p, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.Run()
		if err != nil {
			t.Fatal(s, err)
		}
		steps += r.Steps
		events += r.Events
		calls += r.Calls
		if r.Verdict != Held {
			bad++
			kinds[r.FirstBroken()]++
			if bad < 10 {
				fmt.Printf("seed %d %s %v\n", s, r.Verdict, r.Pending)
				for _, i := range r.Invariants {
					if !i.Held {
						fmt.Printf("   %s %s (event %d)\n", i.ID, i.Detail, i.Event)
					}
				}
				if r.Stack != "" {
					fmt.Println(r.Stack)
				}
			}
		}
	}
	n := int64(to - from + 1)
	fmt.Printf("bad %d of %d %v, %.1f runs/s, steps %d events %d calls %d\n", bad, n, kinds, float64(n)/time.Since(start).Seconds(), steps/n, events/n, calls/n)
}
