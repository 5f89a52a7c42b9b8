package proptest

import (
	"fmt"
	"pgregory.net/rapid"
	"sort"
	"strings"
	"testing"
)

func TestZZStats(t *testing.T) {
	for name, c := range climates() {
		counts := map[string]int{}
		var lens []int
		ex := map[string]int{}
		rapid.Check(t, func(t *rapid.T) {
			m := newOrdersMachine(t, habits{}, c)
			m.prologue()
			steps := 0
			t.Repeat(map[string]func(*rapid.T){"": func(*rapid.T) { m.check() }, "next": func(t *rapid.T) { steps++; m.next(t) }})
			lens = append(lens, len(m.trail.words))
			counts["steps"] += steps
			counts["pix"] += len(m.psp.Settled())
			if len(m.trail.words) == 0 {
				counts["empty"]++
			}
			ex[strings.Join(m.trail.words, " ")]++
			m.end()
			for _, rows := range m.view.refunds {
				for _, x := range rows {
					counts["refund "+string(x.Origin)+" "+string(x.State)]++
					if x.Excess {
						counts["excess"]++
					}
					if x.Rekeys > 0 {
						counts["rekeyed"]++
					}
				}
			}
			for _, r := range m.psp.Refunds() {
				counts["psp "+r.Nature+" "+string(r.Status)]++
			}
			for _, cs := range m.view.cases {
				for _, r := range cs.Reasons {
					counts["case "+r]++
				}
			}
		})
		sort.Ints(lens)
		n := len(lens)
		fmt.Println(name, n, "words", lens[n/10], lens[n/4], lens[n/2], lens[3*n/4], lens[n-1], "distinct", len(ex))
		var ks []string
		for k := range counts {
			ks = append(ks, k)
		}
		sort.Strings(ks)
		for _, k := range ks {
			fmt.Println("  ", k, counts[k])
		}
		var top []string
		for k := range ex {
			top = append(top, k)
		}
		sort.Slice(top, func(i, j int) bool { return ex[top[i]] > ex[top[j]] })
		for _, k := range top[:5] {
			fmt.Println("  x", ex[k], k)
		}
	}
}
