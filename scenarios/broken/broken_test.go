package broken_test

import (
	"fmt"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

func TestX(t *testing.T) {
	for _, prof := range []string{"mixed", "hostile"} {
		for _, r := range broken.Receivers() {
			got := map[string]int{}
			first, want := 0, 0
			for s := 1; s <= 100; s++ {
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
						want++
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
			fmt.Println(prof, r.Name, r.Invariant, "first", first, "of100", want, got)
		}
		for _, q := range broken.PSPs() {
			n := 0
			for s := 1; s <= 50; s++ {
				p, _ := chaos.Generate(chaos.Options{Seed: chaos.Seed(s), Profile: prof})
				w, err := scenarios.NewWorld(p, q.Options)
				if err != nil {
					t.Fatal(err)
				}
				rep, err := w.Run()
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range rep.Invariants {
					if i.ID == "PSP" && !i.Held {
						n++
					}
				}
			}
			fmt.Println(prof, q.Name, n, "of 50")
		}
	}
}
