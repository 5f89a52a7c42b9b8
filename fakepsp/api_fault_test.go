package fakepsp

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func put(nth int, set chaos.Change) chaos.Deviation {
	return apiCall(chaos.RouteChargePut, "c1", nth, set)
}

func TestStatusBeforeTheEffect(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]pix.ProblemKind{
		500: pix.ProblemInternal, 503: pix.ProblemUnavailable, 504: pix.ProblemTimeout, 502: "about:blank", 429: "about:blank",
	} {
		l := newLab(t, put(1, chaos.Change{Status: status}))
		reply := l.call("PUT", cobPath(1), cobBody("10.00"))
		p, err := pix.ParseProblem(reply.Body)
		if reply.Status != status || err != nil || p.Kind() != kind || p.Status != status {
			t.Errorf("%d: got %d %s", status, reply.Status, reply.Body)
		}
		if got := reply.Header.Get("Retry-After"); (got != "") != (status == 429) {
			t.Errorf("%d: Retry-After %q", status, got)
		}
		l.problem(pix.ProblemChargeNotFound, "GET", cobPath(1), "")
		l.charge(1, "10.00") // the second call is clean
		if l.fired() != 1 {
			t.Errorf("fired %d", l.fired())
		}
	}
}

func TestErrorAfterTheEffect(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]chaos.Change{
		"status":        {StatusAfter: 500},
		"cut":           {Cut: true},
		"cut wins over": {Cut: true, StatusAfter: 500},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, put(1, set))
			reply := l.call("PUT", cobPath(1), cobBody("10.00"))
			if reply.Cut != set.Cut || !set.Cut && reply.Status != 500 {
				t.Errorf("got %+v", reply)
			}
			if reply.Cut && (reply.Status != 0 || reply.Body != nil) {
				t.Errorf("a cut carries %d %s", reply.Status, reply.Body)
			}
			if c := l.getCharge(1); c.Amount != 1000 {
				t.Errorf("the effect is missing: %+v", c)
			}
			if last := l.calls[0]; !last.Faulted || last.Nth != 1 || last.Subject != "c1" || last.Route != chaos.RouteChargePut {
				t.Errorf("observed %+v", last)
			}
		})
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	l := newLab(t, put(1, chaos.Change{SlowMS: 700}), window(chaos.PlacePSP, 0, 1000, chaos.Change{SlowMS: 300}))
	if reply := l.call("PUT", cobPath(1), cobBody("10.00")); reply.After != time.Second || reply.Status != http.StatusCreated {
		t.Errorf("got %d after %s", reply.Status, reply.After)
	}
	if l.fired() != 2 {
		t.Errorf("fired %d", l.fired())
	}
}

func TestCallsAreCountedPerRouteAndSubject(t *testing.T) {
	t.Parallel()
	l := newLab(t, put(2, chaos.Change{Status: 500}), apiCall(chaos.RoutePixGet, "p1", 3, chaos.Change{Status: 500}))
	l.charge(2, "10.00")
	l.charge(1, "10.00")
	l.getCharge(1)
	l.charge(3, "10.00")
	if reply := l.call("PUT", cobPath(1), cobBody("10.00")); reply.Status != 500 {
		t.Errorf("second call: got %d", reply.Status)
	}
	l.charge(1, "10.00")
	for _, want := range []int{404, 404, 500, 404} {
		if reply := l.call("GET", "/v2/pix/"+string(e2eOf(1)), ""); reply.Status != want {
			t.Errorf("got %d, want %d", reply.Status, want)
		}
	}
}

func TestDownRefusesEverything(t *testing.T) {
	t.Parallel()
	l := newLab(t, window(chaos.PlacePSP, 1000, 2000, chaos.Change{Down: true}))
	for ms, want := range map[int]int{999: 200, 1000: 503, 1999: 503, 2000: 200} {
		l.at(time.Duration(ms) * time.Millisecond)
		for _, target := range []string{"/v2/pix?" + wholeDay, "/extrato", "/v2/webhook"} {
			if reply := l.call("GET", target, ""); reply.Status != want {
				t.Errorf("%s at %d ms: got %d, want %d", target, ms, reply.Status, want)
			}
		}
	}
}

func TestWindowsOfLists(t *testing.T) {
	t.Parallel()
	l := newLab(t, window(chaos.PlaceList, 0, 1000, chaos.Change{Status: 429}),
		window(chaos.PlaceStatement, 0, 1000, chaos.Change{Down: true}))
	for target, want := range map[string]int{"/v2/pix?" + wholeDay: 429, "/extrato": 503, "/v2/webhook": 200, "/v2/cob?" + wholeDay: 200} {
		if reply := l.call("GET", target, ""); reply.Status != want {
			t.Errorf("%s: got %d, want %d", target, reply.Status, want)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	t.Run("a charge after its PUT", func(t *testing.T) {
		l := newLab(t, put(1, chaos.Change{HideMS: 5000}))
		l.charge(1, "10.00")
		if l.fired() != 0 {
			t.Error("fired before anybody looked")
		}
		l.at(5*time.Second - 1)
		l.problem(pix.ProblemChargeNotFound, "GET", cobPath(1), "")
		if l.fired() != 1 {
			t.Error("did not fire")
		}
		l.at(5 * time.Second)
		l.getCharge(1)
	})
	t.Run("nothing where nobody looks in time", func(t *testing.T) {
		l := newLab(t, put(1, chaos.Change{HideMS: 5000}))
		l.charge(1, "10.00")
		l.at(time.Minute)
		l.getCharge(1)
		if l.fired() != 0 {
			t.Error("fired")
		}
	})
	t.Run("a Pix from its first GET", func(t *testing.T) {
		l := newLab(t, apiCall(chaos.RoutePixGet, "p1", 1, chaos.Change{HideMS: 5000}))
		l.paid(1)
		l.at(time.Second)
		l.problem(pix.ProblemPaymentNotFound, "GET", "/v2/pix/"+string(e2eOf(1)), "")
		l.want(http.StatusOK, "GET", "/v2/pix/"+string(e2eOf(1)), "", nil)
		if l.fired() != 1 {
			t.Errorf("fired %d", l.fired())
		}
	})
	t.Run("not what is old enough", func(t *testing.T) {
		l := newLab(t, apiCall(chaos.RoutePixGet, "p1", 1, chaos.Change{HideMS: 5000}))
		l.paid(1)
		l.at(time.Minute)
		l.want(http.StatusOK, "GET", "/v2/pix/"+string(e2eOf(1)), "", nil)
		if l.fired() != 0 {
			t.Error("fired")
		}
	})
}

func TestLag(t *testing.T) {
	t.Parallel()
	both := []chaos.Deviation{
		window(chaos.PlaceList, 0, 60_000, chaos.Change{LagMS: 20_000}),
		window(chaos.PlaceStatement, 0, 60_000, chaos.Change{LagMS: 20_000}),
	}
	l := newLabWith(t, func(c *Config) { c.StatementLag = 10 * time.Second }, both...)
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
	l.at(5 * time.Second)
	if n := len(l.pixPage(wholeDay).Payments); n != 0 || l.fired() != 0 {
		t.Errorf("got %d pix, fired %d: a clean list would be empty as well", n, l.fired())
	}
	l.at(29 * time.Second)
	if n, m := len(l.pixPage(wholeDay).Payments), len(l.statement("").Lines); n != 0 || m != 0 || l.fired() != 2 {
		t.Errorf("got %d pix and %d lines, fired %d", n, m, l.fired())
	}
	l.at(30 * time.Second)
	if n, m := len(l.pixPage(wholeDay).Payments), len(l.statement("").Lines); n != 1 || m != 1 {
		t.Errorf("got %d pix and %d lines", n, m)
	}
}

func TestShiftMovesOneRowAcrossTheEdge(t *testing.T) {
	t.Parallel()
	walk := func(t *testing.T, n int) (seen []pix.EndToEndID, l *lab) {
		l = newLab(t, window(chaos.PlaceList, 0, 60_000, chaos.Change{Shift: true}))
		for i := 1; i <= n; i++ {
			l.pay(PayOrder{EndToEndID: e2eOf(i), Amount: 100})
		}
		return l.walk(wholeDay, 4, func(int) {}), l
	}
	t.Run("an even count loses one", func(t *testing.T) {
		seen, l := walk(t, 10)
		if len(seen) != 9 || slices.Contains(seen, e2eOf(5)) || l.fired() != 1 {
			t.Errorf("got %v, fired %d", seen, l.fired())
		}
	})
	t.Run("an odd count repeats one", func(t *testing.T) {
		seen, l := walk(t, 11)
		if len(seen) != 12 || seen[3] != e2eOf(4) || seen[4] != e2eOf(4) || l.fired() != 1 {
			t.Errorf("got %v, fired %d", seen, l.fired())
		}
	})
	t.Run("one page has no edge", func(t *testing.T) {
		seen, l := walk(t, 4)
		if len(seen) != 4 || l.fired() != 0 {
			t.Errorf("got %v, fired %d", seen, l.fired())
		}
	})
}

func TestOnlyWhatShowedIsCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t, put(1, chaos.Change{Status: 500}), window(chaos.PlacePSP, 0, 1000, chaos.Change{StatusAfter: 502, LagMS: 5}))
	if reply := l.call("PUT", cobPath(1), cobBody("10.00")); reply.Status != 500 {
		t.Errorf("got %d", reply.Status)
	}
	if l.fired() != 1 {
		t.Errorf("fired %d: the status after never had its turn", l.fired())
	}
}

func chaosChange(slowMS int64, cut bool) chaos.Change {
	return chaos.Change{SlowMS: slowMS, Cut: cut}
}
