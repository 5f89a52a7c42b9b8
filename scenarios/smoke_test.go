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
	from, to := 42, 42
	if s := os.Getenv("SEEDS"); s != "" {
		to, _ = strconv.Atoi(s)
		from = 1
	}
	prof := os.Getenv("PROFILE")
	if prof == "" {
		prof = "calm"
	}
	bad := 0
	start := time.Now()
	var steps, events, calls int64
	for s := from; s <= to; s++ {
		p, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(s), Profile: prof})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{}
		if os.Getenv("TRACE") != "" {
			f, _ := os.Create("/tmp/trace.jsonl")
			o.Trace = f
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
			if bad < 12 {
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
		if from == to {
			fmt.Printf("%+v\n", r)
		}
	}
	n := int64(to - from + 1)
	fmt.Printf("bad %d of %d, %.1f runs/s, steps %d events %d calls %d\n", bad, n, float64(n)/time.Since(start).Seconds(), steps/n, events/n, calls/n)
}
