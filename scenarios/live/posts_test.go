package live

import (
	"net/http"
	"sync"
	"testing"

	"github.com/pixlab/pixlab/pix"
)

// TestThousandCopiesAtOnceCreditOnce sends one callback a thousand times at the
// same moment, half of them to each of two processes whose workers book
// meanwhile: each is answered 200, none sees the others in its way, and the Pix
// is credited once. PIXLAB_POST_ROUNDS says how often, each time with another Pix.
func TestThousandCopiesAtOnceCreditOnce(t *testing.T) {
	t.Parallel()
	h := usual()
	h.more = []string{"--max-conns", "1024"}
	l := newLab(t, h, nobody{}, false)
	rounds := count(t, "PIXLAB_POST_ROUNDS", 2)
	for _, p := range l.pay(rounds, later) {
		for status, n := range l.volley(pix.EncodeCallback([]pix.Payment{p}), 1000) {
			if status != http.StatusOK {
				t.Errorf("Pix %s: %d copies were answered with %d", p.EndToEndID, n, status)
			}
		}
		l.until("it is credited", func() bool { return creditsOf(l.rows(), p.EndToEndID) > 0 })
	}
	l.judged()
	for _, e := range l.rows().Events {
		if got := creditsOf(l.rows(), e.After.EndToEndID()); got != 1 {
			t.Errorf("Pix %s was credited %d times", e.After.EndToEndID(), got)
		}
	}
	t.Logf("%d rounds of 1,000 copies, each answered 200", rounds)
}

// TestFiftyCopiesAtTwoProcesses is the same of fifty copies, over connections
// that stay open, as a PSP that repeats itself has them.
func TestFiftyCopiesAtTwoProcesses(t *testing.T) {
	t.Parallel()
	l := newLab(t, usual(), nobody{}, false)
	p := l.pay(1, later)[0]
	if got := l.volley(pix.EncodeCallback([]pix.Payment{p}), 50); got[http.StatusOK] != 50 {
		t.Errorf("answers %v, want 50 times 200", got)
	}
	l.judged()
	if got := creditsOf(l.rows(), p.EndToEndID); got != 1 {
		t.Errorf("credited %d times", got)
	}
}

// volley posts a body n times at once, by turns to each receiver, and counts the
// answers by status.
func (l *lab) volley(body []byte, n int) map[int]int {
	l.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: n > 100}}
	defer client.CloseIdleConnections()
	to := l.receivers()
	statuses, gun := make([]int, n), make(chan struct{})
	var shots sync.WaitGroup
	for i := range n {
		shots.Go(func() {
			<-gun
			statuses[i], _ = l.callback(client, to[i%len(to)].Public, body)
		})
	}
	close(gun)
	shots.Wait()
	out := map[int]int{}
	for _, s := range statuses {
		out[s]++
	}
	return out
}
