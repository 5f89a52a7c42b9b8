package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// busy is a reading of a stage that has a rate of callbacks a second.
func busy(rate, second int64) Reading {
	n, lag, depth, ms := rate*second, 0.25, rate, 12.5
	return Reading{
		MS: second * 1000, AckRate: float64(rate), CreditRate: float64(rate), AckP50: &ms, AckP99: &ms, Lag: &lag, Depth: &depth, Database: true,
		Load:      Load{On: true, Rate: int(rate), Copies: 30, Paid: n, PaidCents: n * 50_000, Sent: n, Acked: n, Distinct: n},
		Books:     Books{Read: true, Entries: n, Credited: n, LedgerCents: n * 50_000},
		Receivers: []Receiver{{Up: true, PID: 4_000_001, Lives: 9}, {Up: true, PID: 4_000_002, Lives: 9}},
	}
}

// TestBoardIsAsLongAsTheClockMakesIt feeds a board for an hour at ten and at two
// thousand callbacks a second: as many readings, and hardly more bytes.
func TestBoardIsAsLongAsTheClockMakesIt(t *testing.T) {
	t.Parallel()
	const hour = 3600
	size := map[int64]int{}
	for _, rate := range []int64{10, 2000} {
		b := NewBoard()
		for second := range int64(hour) {
			for range rate { // more than fit are said as well
				b.Say(Happening{MS: second, Word: "live.killed", Value: "A"})
			}
			b.Add(busy(rate, second))
		}
		some, _ := b.Since(0)
		if len(some) != mostKept || some[0].N != hour-mostKept+1 || some[mostKept-1].N != hour {
			t.Fatalf("at %d a second %d readings are kept, from %d to %d", rate, len(some), some[0].N, some[len(some)-1].N)
		}
		for _, r := range some {
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			size[rate] = max(size[rate], len(raw))
		}
	}
	if most := 1500; size[2000] > most || size[2000] > size[10]+100 {
		t.Errorf("a reading has %d bytes at ten a second and %d at two thousand, want at most %d", size[10], size[2000], most)
	}
}

// liveServer serves a board without a stage; orders end in the list.
func liveServer(t *testing.T) (*Board, *httptest.Server, *[]Act) {
	t.Helper()
	b, acts := NewBoard(), &[]Act{}
	server := httptest.NewServer((&LiveServer{Board: b, Seed: "42", CanStop: true, Do: func(_ context.Context, a Act) error {
		*acts = append(*acts, a)
		return nil
	}}).Handler())
	t.Cleanup(func() {
		if err := server.Config.Close(); err != nil { // a page that listens never hangs up by itself
			t.Error(err)
		}
		server.Close()
	})
	return b, server, acts
}

// TestReadingsResume comes back with the number of the reading it saw last, and
// hears of those after it and no other.
func TestReadingsResume(t *testing.T) {
	t.Parallel()
	b, server, _ := liveServer(t)
	for second := range int64(5) {
		b.Add(busy(100, second))
	}
	for last, first := range map[string]string{"": "id: 1", "3": "id: 4", "nonsense": "id: 1"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/readings", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Last-Event-ID", last)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for lines := bufio.NewScanner(resp.Body); got == "" && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "id: ") {
				got = lines.Text()
			}
		}
		resp.Body.Close()
		if got != first {
			t.Errorf("after %q it begins with %q, want %q", last, got, first)
		}
	}
}

// TestActsComeFromThePageAlone orders from the page's origin, from another one,
// and from none.
func TestActsComeFromThePageAlone(t *testing.T) {
	t.Parallel()
	_, server, acts := liveServer(t)
	for origin, want := range map[string]int{server.URL: http.StatusNoContent, "https://elsewhere.example": http.StatusForbidden, "": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/act", strings.NewReader(`{"do":"kill","n":1}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("from %q: %d, want %d", origin, resp.StatusCode, want)
		}
	}
	if len(*acts) != 1 || (*acts)[0] != (Act{Do: "kill", N: 1}) {
		t.Errorf("carried out: %v", *acts)
	}
}
