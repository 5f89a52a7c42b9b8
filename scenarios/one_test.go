package scenarios

import (
	"fmt"
	"github.com/pixlab/pixlab/chaos"
	"os"
	"strconv"
	"testing"
)

func TestOne(t *testing.T) {
	s, _ := strconv.Atoi(os.Getenv("SEED"))
	p, err := chaos.Generate(chaos.Options{Seed: chaos.Seed(s), Profile: os.Getenv("PROFILE")})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := os.Create("/tmp/trace.jsonl")
	w, err := NewWorld(p, Options{Trace: f})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range r.Invariants {
		if !i.Held {
			fmt.Printf("   %s %s (event %d)\n", i.ID, i.Detail, i.Event)
		}
	}
	os.WriteFile("/tmp/plan.json", p.Encode(), 0o644)
}
