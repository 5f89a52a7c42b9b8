package fakepsp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func TestAcceptedCaseReturnsThePix(t *testing.T) {
	t.Parallel()
	for _, nature := range []string{pix.NatureMEDFraud, pix.NatureMEDOperational} {
		l := refundLab(t, 2, RefundTerms{})
		o := disputeOf(1, "100.00", chaos.DisputeAccepted)
		o.Nature = nature
		l.at(time.Hour)
		l.report(o)
		l.money("200.00", "0.00", "100.00")
		if got := l.getPix(1).Refunds; len(got) != 0 {
			t.Errorf("the block shows: %v", got)
		}
		l.stage("m1", DisputeReported)
		l.tick(3*day + time.Hour - 1)
		l.stage("m1", DisputeReported)
		l.tick(3*day + time.Hour)
		l.money("100.00", "0.00", "0.00")
		c := l.stage("m1", DisputeSettled)
		if c.Returned != 10000 || c.Goal != 10000 || c.Parts != 1 || c.Payment != "p1" {
			t.Errorf("case %+v", c)
		}
		got := l.getPix(1).Refunds
		if len(got) != 1 || got[0].Nature != nature || got[0].Amount != 10000 || got[0].Status != pix.RefundReturned ||
			len(got[0].ID) != 32 || !strings.HasPrefix(string(got[0].ReturnID), "D99999008202603051300") {
			t.Fatalf("got %+v", got)
		}
		if l.getRefund(1, string(got[0].ID)) != got[0] || len(l.refundLines()) != 1 {
			t.Errorf("lines %v", l.refundLines())
		}
		l.refused(1, "R1", "0.01")
		if sent := l.run(4 * day); !slices.Equal(sent, []string{"p1/med/m1/1/0/1"}) {
			t.Errorf("callbacks %v", sent)
		}
	}
}

func TestPartsComeAsMoneyComes(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	l.withdraw("70.00")
	l.report(disputeOf(1, "95.00", chaos.DisputeAccepted))
	l.money("30.00", "0.00", "30.00")
	l.run(2 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(8), Amount: 500})
	l.money("35.00", "0.00", "30.00") // nothing is decided yet
	l.run(3 * day)
	l.money("0.00", "0.00", "0.00")
	l.refused(1, "R1", "5.01") // the merchant has what the case leaves of the Pix
	l.run(10 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(9), Amount: 2000})
	l.run(20 * day)
	c := l.stage("m1", DisputeAccepted)
	if c.Goal != 9500 || c.Returned != 5500 || c.Parts != 2 {
		t.Errorf("case %+v", c)
	}
	l.pay(PayOrder{EndToEndID: e2eOf(10), Amount: 10000})
	want := []string{"MED 35.00 DEVOLVIDO", "MED 20.00 DEVOLVIDO", "MED 40.00 DEVOLVIDO"}
	if got := l.states(1); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	l.stage("m1", DisputeSettled)
	l.money("60.00", "0.00", "0.00")
	if sent := l.run(21 * day); !slices.Equal(sent, []string{"p1/med/m1/3/0/1"}) {
		t.Errorf("callbacks %v", sent)
	}
	seen := map[pix.RefundID]bool{}
	for _, r := range l.getPix(1).Refunds {
		seen[r.ID] = true
	}
	if len(seen) != 3 || len(l.refundLines()) != 3 {
		t.Errorf("ids %v, lines %v", seen, l.refundLines())
	}
}

func TestPartsEndNinetyDaysAfterThePix(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	l.withdraw("100.00")
	l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
	l.money("0.00", "0.00", "0.00")
	l.run(89 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(2), Amount: 1000})
	l.run(90 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(3), Amount: 1000})
	l.stage("m1", DisputeAccepted)
	l.run(91 * day)
	l.pay(PayOrder{EndToEndID: e2eOf(4), Amount: 1000})
	if c := l.stage("m1", DisputeLapsed); c.Returned != 2000 || c.Parts != 2 {
		t.Errorf("case %+v", c)
	}
	l.money("10.00", "0.00", "0.00")
	if got := fmt.Sprint(l.log[len(l.log)-2:]); got != "[settled  disputed m1 lapsed]" {
		t.Errorf("observer heard %s", got)
	}
}

func TestMoneyThatComesFreeIsCollected(t *testing.T) {
	t.Parallel()
	short := func(t *testing.T, terms RefundTerms) *lab {
		l := refundLab(t, 2, terms)
		l.withdraw("100.00")
		return l
	}
	t.Run("by a refund that fails", func(t *testing.T) {
		l := short(t, RefundTerms{SettleAfter: 5 * day, Fails: true})
		l.withdraw("70.00")
		l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
		l.pay(PayOrder{EndToEndID: e2eOf(9), Amount: pix.MustAmount("50.00")})
		l.refund(2, "R1", "50.00")
		l.money("80.00", "50.00", "30.00")
		l.run(4 * day)
		l.money("50.00", "50.00", "0.00")
		l.run(6 * day)
		l.money("0.00", "0.00", "0.00")
		if got := l.states(1); !slices.Equal(got, []string{"MED 30.00 DEVOLVIDO", "MED 50.00 DEVOLVIDO"}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("by a case that is rejected", func(t *testing.T) {
		l := short(t, RefundTerms{})
		other := disputeOf(2, "80.00", chaos.DisputeRejected)
		other.DecideAfter = 5 * day
		l.report(other)
		l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
		l.run(4 * day)
		l.money("80.00", "0.00", "80.00")
		l.run(6 * day)
		if got := l.states(1); !slices.Equal(got, []string{"MED 20.00 DEVOLVIDO", "MED 80.00 DEVOLVIDO"}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("and the case decided first comes first", func(t *testing.T) {
		l := short(t, RefundTerms{})
		l.withdraw("100.00")
		l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
		l.report(disputeOf(2, "100.00", chaos.DisputeAccepted))
		l.run(4 * day)
		l.pay(PayOrder{EndToEndID: e2eOf(9), Amount: pix.MustAmount("150.00")})
		if got := fmt.Sprint(l.states(1), l.states(2)); got != "[MED 100.00 DEVOLVIDO] [MED 50.00 DEVOLVIDO]" {
			t.Errorf("got %s", got)
		}
	})
}

func TestARefundFindsItsMoneyBlocked(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{SettleAfter: time.Hour})
	l.withdraw("100.00")
	l.refund(2, "R1", "60.00")
	l.refund(2, "R2", "30.00")
	l.report(disputeOf(1, "50.00", chaos.DisputeAccepted))
	l.money("100.00", "90.00", "50.00")
	l.run(2 * time.Hour)
	if got := l.states(2); !slices.Equal(got, []string{"R1 60.00 NAO_REALIZADO", "R2 30.00 DEVOLVIDO"}) {
		t.Errorf("got %v", got)
	}
	l.money("70.00", "0.00", "50.00")
}

func TestReportsThatAreRefused(t *testing.T) {
	t.Parallel()
	good := disputeOf(1, "100.00", chaos.DisputeAccepted)
	for name, change := range map[string]func(*DisputeOrder){
		"no ID":                  func(o *DisputeOrder) { o.ID = "" },
		"no such Pix":            func(o *DisputeOrder) { o.EndToEndID = e2eOf(9) },
		"a nature of merchants":  func(o *DisputeOrder) { o.Nature = pix.NatureOriginal },
		"an unknown outcome":     func(o *DisputeOrder) { o.Outcome = "lost" },
		"an amount of zero":      func(o *DisputeOrder) { o.Amount = 0 },
		"an analysis too long":   func(o *DisputeOrder) { o.DecideAfter = 7*day + 1 },
		"a decision in the past": func(o *DisputeOrder) { o.DecideAfter = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			l := refundLab(t, 1, RefundTerms{})
			o := good
			change(&o)
			var late *NotDisputable
			if err := l.psp.Report(o); err == nil || errors.As(err, &late) || errors.Is(err, ErrExists) {
				t.Errorf("got %v, want a plain error", err)
			}
			l.money("100.00", "0.00", "0.00")
		})
	}
	t.Run("an ID that exists", func(t *testing.T) {
		l := refundLab(t, 2, RefundTerms{})
		l.report(good)
		again := good
		again.EndToEndID = e2eOf(2)
		if err := l.psp.Report(again); !errors.Is(err, ErrExists) {
			t.Errorf("got %v, want ErrExists", err)
		}
		l.money("200.00", "0.00", "100.00")
	})
}

func TestTheReportWindowIsAnInstant(t *testing.T) {
	t.Parallel()
	for after, ok := range map[time.Duration]bool{
		79 * day: true, 80 * day: true, 80*day + time.Millisecond: false, 81 * day: false,
	} {
		l := refundLab(t, 1, RefundTerms{})
		l.at(after)
		o := disputeOf(1, "100.00", chaos.DisputeAccepted)
		o.DecideAfter = 7 * day
		err := l.psp.Report(o)
		var late *NotDisputable
		if ok && err != nil || !ok && (!errors.As(err, &late) || late.Error() == "") {
			t.Errorf("after %s: got %v", after, err)
		}
		l.run(after + 8*day)
		if got := len(l.states(1)) == 1; got != ok {
			t.Errorf("after %s: refunds %v", after, l.states(1))
		}
	}
}

func TestACaseThatIsNotAcceptedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for outcome, stage := range map[chaos.DisputeOutcome]DisputeStage{
		chaos.DisputeRejected: DisputeRejected, chaos.DisputeCancelled: DisputeCancelled,
	} {
		l := refundLab(t, 1, RefundTerms{})
		l.report(disputeOf(1, "100.00", outcome))
		l.refused(1, "R1", "0.01")
		if sent := l.run(4 * day); len(sent) != 0 || len(l.states(1)) != 0 || len(l.refundLines()) != 0 {
			t.Errorf("%s: callbacks %v, refunds %v", outcome, sent, l.states(1))
		}
		if c := l.stage("m1", stage); c.Blocked != 0 || !c.At.Equal(labStart.Add(3*day)) {
			t.Errorf("case %+v", c)
		}
		l.refund(1, "R1", "100.00")
		l.money("0.00", "0.00", "0.00")
	}
}

func TestCaseAfterAMerchantsPart(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{})
	l.refund(1, "R1", "30.00")
	l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
	l.money("170.00", "0.00", "70.00")
	l.run(4 * day)
	if got := l.states(1); !slices.Equal(got, []string{"R1 30.00 DEVOLVIDO", "MED 70.00 DEVOLVIDO"}) {
		t.Errorf("got %v", got)
	}
	l.money("100.00", "0.00", "0.00")
}

func TestCaseRacesAPendingRefund(t *testing.T) {
	t.Parallel()
	t.Run("the block takes its money first", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{SettleAfter: time.Hour})
		l.refund(1, "R1", "60.00")
		l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
		l.money("100.00", "60.00", "100.00")
		l.run(time.Hour)
		if got := l.getRefund(1, "R1"); got.Status != pix.RefundFailed || got.Reason != reasonBlocked {
			t.Errorf("got %+v", got)
		}
		l.refused(1, "R2", "0.01")
		l.run(4 * day)
		if got := l.states(1); !slices.Equal(got, []string{"R1 60.00 NAO_REALIZADO", "MED 100.00 DEVOLVIDO"}) {
			t.Errorf("got %v", got)
		}
		l.money("0.00", "0.00", "0.00")
	})
	t.Run("the decision takes its place", func(t *testing.T) {
		l := refundLab(t, 2, RefundTerms{SettleAfter: 5 * day})
		l.refund(1, "R1", "30.00")
		l.refund(1, "R2", "50.00")
		l.refund(1, "R3", "15.00")
		l.report(disputeOf(1, "50.00", chaos.DisputeAccepted))
		sent := l.run(3*day + time.Minute)
		want := []string{"R1 30.00 EM_PROCESSAMENTO", "R2 50.00 NAO_REALIZADO", "R3 15.00 EM_PROCESSAMENTO", "MED 50.00 DEVOLVIDO"}
		if got := l.states(1); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		if got := l.getRefund(1, "R2"); got.Reason != reasonTaken {
			t.Errorf("got %+v", got)
		}
		if !slices.Equal(sent, []string{"p1/refund/r2/0/1", "p1/med/m1/1/0/1"}) {
			t.Errorf("callbacks %v", sent)
		}
		l.refused(1, "R4", "5.01")
		l.run(6 * day)
		l.money("105.00", "0.00", "0.00")
	})
	t.Run("a refund that settles first leaves the case the rest", func(t *testing.T) {
		l := refundLab(t, 2, RefundTerms{SettleAfter: time.Hour})
		l.refund(1, "R1", "60.00")
		l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
		l.run(4 * day)
		if got := l.states(1); !slices.Equal(got, []string{"R1 60.00 DEVOLVIDO", "MED 40.00 DEVOLVIDO"}) {
			t.Errorf("got %v", got)
		}
		l.money("100.00", "0.00", "0.00")
	})
}

func TestTwoCasesOnOnePix(t *testing.T) {
	t.Parallel()
	second := func(amount string, outcome chaos.DisputeOutcome) DisputeOrder {
		o := disputeOf(1, amount, outcome)
		o.ID, o.Nature, o.DecideAfter = "m2", pix.NatureMEDOperational, 4*day
		return o
	}
	for _, tc := range []struct {
		name          string
		first, second DisputeOrder
		want          []string
	}{
		{"share the Pix", disputeOf(1, "60.00", "accepted"), second("60.00", "accepted"),
			[]string{"MED 60.00 DEVOLVIDO", "MED 40.00 DEVOLVIDO"}},
		{"the second finds nothing", disputeOf(1, "100.00", "accepted"), second("100.00", "accepted"), []string{"MED 100.00 DEVOLVIDO"}},
		{"the second gets all if the first is rejected", disputeOf(1, "100.00", "rejected"), second("100.00", "accepted"), []string{"MED 100.00 DEVOLVIDO"}},
		{"both small", disputeOf(1, "10.00", "accepted"), second("20.00", "accepted"), []string{"MED 10.00 DEVOLVIDO", "MED 20.00 DEVOLVIDO"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := refundLab(t, 2, RefundTerms{})
			l.report(tc.first)
			l.report(tc.second)
			if b := l.psp.Blocked(); b > pix.MustAmount("100.00") {
				t.Errorf("blocked %s for one Pix", b)
			}
			l.run(5 * day)
			if got := l.states(1); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			if l.psp.Blocked() != 0 {
				t.Errorf("blocked %s", l.psp.Blocked())
			}
			l.check()
		})
	}
}

func TestReturnsOfAPixWithoutTxIDAreNotTold(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 0, RefundTerms{NotifyAfter: time.Second})
	l.pay(PayOrder{Payment: "p1", EndToEndID: e2eOf(1), Amount: pix.MustAmount("100.00")})
	l.refund(1, "R1", "10.00")
	l.report(disputeOf(1, "100.00", chaos.DisputeAccepted))
	if sent := l.run(5 * day); len(sent) != 0 || !l.psp.Quiet() {
		t.Errorf("callbacks %v", sent)
	}
	if got := l.states(1); !slices.Equal(got, []string{"R1 10.00 DEVOLVIDO", "MED 90.00 DEVOLVIDO"}) {
		t.Errorf("got %v", got)
	}
}

func TestMerchantIsToldOfNoCaseButItsReturns(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	before := string(l.call("GET", "/v2/pix/"+string(e2eOf(1)), "").Body)
	l.report(disputeOf(1, "100.00", chaos.DisputeCancelled))
	l.run(5 * day)
	if after := string(l.call("GET", "/v2/pix/"+string(e2eOf(1)), "").Body); after != before {
		t.Errorf("got %s after %s", after, before)
	}
	l.want(http.StatusOK, "GET", "/v2/pix?"+wholeDay+"&devolucaoPresente=false", "", nil)
	if got := fmt.Sprint(l.log); got != "[disputed m1 reported disputed m1 cancelled]" {
		t.Errorf("observer heard %s", got)
	}
}
