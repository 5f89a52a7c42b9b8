package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// winnerTakes is how long the PSP holds back the answer to the request that wins.
const winnerTakes = 10 * time.Second

// BenchmarkLosersOfOneKey asks for one charge under one key, 200 times at once, of
// two processes on one PostgreSQL, while the PSP takes ten seconds to answer the
// one that wins. What the others wait for their 409 is reported, as each client
// sees it: its connection is in it.
func BenchmarkLosersOfOneKey(b *testing.B) {
	const n = 200
	l := newAPILab(b)
	for i := range n { // the processes have their connections to the database open
		key := fmt.Sprintf("warm-%d", i)
		l.ask(i%2, shopToken, "/charges", key, charge(key, "10.00")).want(b, "a charge before", http.StatusCreated)
	}
	var losers []time.Duration
	for round := 0; b.Loop(); round++ {
		key := fmt.Sprintf("bench-%d", round)
		g := newGate(false)
		l.psp.hold(g)
		answers := make(chan got, n)
		began := time.Now()
		for i := range n {
			go func() { answers <- l.ask(i%2, shopToken, "/charges", key, charge(key, "10.00")) }()
		}
		for range n - 1 {
			losers = append(losers, (<-answers).want(b, "a loser", http.StatusConflict).took)
		}
		time.Sleep(time.Until(began.Add(winnerTakes)))
		close(g.open)
		(<-answers).want(b, "the winner", http.StatusCreated)
		if len(g.came) != 1 {
			b.Errorf("%d calls to the PSP, want 1", len(g.came))
		}
	}
	slices.Sort(losers)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(losers[(len(losers)*p+99)/100-1].Microseconds())/1000, fmt.Sprintf("ms-p%d", p))
	}
	b.ReportMetric(0, "ns/op")
}
