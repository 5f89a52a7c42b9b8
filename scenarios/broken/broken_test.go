package broken_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

func TestX(t *testing.T) {
	begin := time.Now()
	for _, prof := range []string{"mixed"} {
		for _, r := range broken.Receivers() {
			got := map[string]int{}
			first := 0
			s := 1
			for ; s <= 60 && first == 0 && time.Since(begin) < 400*time.Second; s++ {
				p, _ := chaos.Generate(chaos.Options{Seed: chaos.Seed(s), Profile: prof})
				w, err := scenarios.NewWorld(p, scenarios.Options{Receiver: &r})
				if err != nil {
					t.Fatal(err)
				}
				rep, err := w.Run()
				if err != nil {
					t.Fatal(r.Name, s, err)
				}
				got[rep.FirstBroken()]++
				for _, i := range rep.Invariants {
					if i.ID == r.Invariant && !i.Held {
						if first == 0 {
							first = s
							fmt.Println(i.Detail)
						}
					}
				}
				if rep.Stack != "" {
					t.Fatal(rep.Stack)
				}
			}
			fmt.Println(prof, r.Name, r.Invariant, "first", first, got)
		}
	}
}
