package fakepsp

import (
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const body30 = `{"valor":"30.00"}`

func putRefundFault(nth int, set chaos.Change) chaos.Deviation {
	return apiCall(chaos.RouteRefundPut, "r1", nth, set)
}

func getRefundFault(nth int, set chaos.Change) chaos.Deviation {
	return apiCall(chaos.RouteRefundGet, "r1", nth, set)
}

func TestRefundRefusedBeforeTheEffect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{409, 429, 500, 503} {
		l := refundLab(t, 1, RefundTerms{}, putRefundFault(1, chaos.Change{Status: status}))
		reply := l.call("PUT", refundPath(1, "R1"), body30)
		if reply.Status != status || len(l.psp.Refunds()) != 0 {
			t.Errorf("%d: got %d with refunds %v", status, reply.Status, l.psp.Refunds())
		}
		if got := reply.Header.Get("Retry-After"); (got != "") != (status == 429) {
			t.Errorf("%d: Retry-After %q", status, got)
		}
		l.problem(pix.ProblemRefundNotFound, "GET", refundPath(1, "R1"), "")
		l.refund(1, "R1", "30.00")
		if l.fired() != 1 {
			t.Errorf("fired %d", l.fired())
		}
	}
}

func TestRefundWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for _, set := range []chaos.Change{{StatusAfter: 502}, {Cut: true}} {
		l := refundLab(t, 1, RefundTerms{SettleAfter: time.Minute}, putRefundFault(1, set))
		reply := l.call("PUT", refundPath(1, "R1"), body30)
		if reply.Cut != set.Cut || reply.Status != set.StatusAfter {
			t.Errorf("got %+v", reply)
		}
		first := l.getRefund(1, "R1")
		if again := l.refund(1, "R1", "30.00"); again != first {
			t.Errorf("the repeat says %+v, GET says %+v", again, first)
		}
		l.money("100.00", "30.00", "0.00")
		last := l.calls[len(l.calls)-3]
		if !last.Faulted || last.Route != chaos.RouteRefundPut || last.Subject != "r1" || last.Nth != 1 || l.fired() != 1 {
			t.Errorf("observed %+v, fired %d", last, l.fired())
		}
	}
}

func TestRefundIsSlow(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{}, putRefundFault(1, chaos.Change{SlowMS: 700}), getRefundFault(2, chaos.Change{SlowMS: 300}))
	if reply := l.call("PUT", refundPath(1, "R1"), body30); reply.After != 700*time.Millisecond || reply.Status != http.StatusCreated {
		t.Errorf("got %+v", reply)
	}
	for _, want := range []time.Duration{0, 300 * time.Millisecond, 0} {
		if reply := l.call("GET", refundPath(1, "R1"), ""); reply.After != want {
			t.Errorf("GET after %s, want %s", reply.After, want)
		}
	}
	if l.fired() != 2 {
		t.Errorf("fired %d", l.fired())
	}
}

func TestRefundIsHidden(t *testing.T) {
	t.Parallel()
	t.Run("after its PUT", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, putRefundFault(1, chaos.Change{HideMS: 5000}))
		l.refund(1, "R1", "30.00")
		if l.fired() != 0 {
			t.Error("fired before anybody looked")
		}
		l.at(5*time.Second - 1)
		l.problem(pix.ProblemRefundNotFound, "GET", refundPath(1, "R1"), "")
		if l.fired() != 1 {
			t.Error("did not fire")
		}
		l.at(5 * time.Second)
		l.getRefund(1, "R1")
	})
	t.Run("from its first GET", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, getRefundFault(1, chaos.Change{HideMS: 5000}))
		l.refund(1, "R1", "30.00")
		l.problem(pix.ProblemRefundNotFound, "GET", refundPath(1, "R1"), "")
		l.getRefund(1, "R1")
		if l.fired() != 1 {
			t.Errorf("fired %d", l.fired())
		}
	})
	t.Run("not after heal", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{}, putRefundFault(1, chaos.Change{HideMS: 5000}))
		l.refund(1, "R1", "30.00")
		l.psp.Heal()
		l.getRefund(1, "R1")
	})
}

func TestRefundsAreCountedBySubject(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{}, putRefundFault(2, chaos.Change{Status: 500}))
	l.refund(1, "R1", "30.00")
	l.refund(1, "R2", "30.00")
	if reply := l.call("PUT", refundPath(1, "R1"), body30); reply.Status != 500 {
		t.Errorf("second call: got %d", reply.Status)
	}
	t.Run("a refund of the bank's is known by what the order said", func(t *testing.T) {
		l := newLab(t, getRefundFault(1, chaos.Change{Status: 500}))
		l.paid(1)
		if _, err := l.psp.AskRefund(RefundOrder{EndToEndID: e2eOf(1), ID: "BANK", Amount: 1, Terms: RefundTerms{Subject: "r1"}}); err != nil {
			t.Fatal(err)
		}
		if reply := l.call("GET", refundPath(1, "BANK"), ""); reply.Status != 500 {
			t.Errorf("got %d", reply.Status)
		}
	})
	t.Run("without terms the id itself may name it", func(t *testing.T) {
		l := newLabWith(t, func(c *Config) {
			c.Subject = func(id string) string {
				if id == "ONE" {
					return "r1"
				}
				return ""
			}
		}, putRefundFault(1, chaos.Change{Status: 500}))
		l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
		if reply := l.call("PUT", refundPath(1, "ONE"), `{"valor":"1.00"}`); reply.Status != 500 {
			t.Errorf("got %d", reply.Status)
		}
	})
}

func TestWindowsStrikeRefundsToo(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{}, window(chaos.PlacePSP, 1000, 2000, chaos.Change{Down: true}))
	l.at(time.Second)
	if reply := l.call("PUT", refundPath(1, "R1"), body30); reply.Status != 503 {
		t.Errorf("got %d", reply.Status)
	}
	l.at(2 * time.Second)
	l.refund(1, "R1", "30.00")
}

func TestStatementOfRefundsLags(t *testing.T) {
	t.Parallel()
	l := refundLabWith(t, 1, RefundTerms{}, func(c *Config) { c.StatementLag = 10 * time.Second })
	l.at(time.Minute)
	l.refund(1, "R1", "30.00")
	for after, want := range map[time.Duration]int{0: 1, 9 * time.Second: 1, 10 * time.Second: 2} {
		l.at(time.Minute + after)
		if got := l.statement("").Lines; len(got) != want {
			t.Errorf("after %s: %d lines, want %d", after, len(got), want)
		}
	}
}
