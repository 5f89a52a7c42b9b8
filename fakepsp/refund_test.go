package fakepsp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

func TestRefundSettlesInTheAnswer(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{NotifyAfter: time.Second})
	version := l.psp.Version()
	l.at(time.Minute + 999*time.Microsecond)
	var r pix.Refund
	l.want(http.StatusCreated, "PUT", refundPath(1, "R1"), `{"valor":"30.00","descricao":"troca"}`, &r)
	at := labStart.Add(time.Minute)
	if r.ID != "R1" || r.Amount != 3000 || r.Status != pix.RefundReturned || r.Nature != pix.NatureOriginal ||
		r.Description != "troca" || r.Reason != "" || !r.RequestedAt.Equal(at) || !r.SettledAt.Equal(at) {
		t.Errorf("got %+v", r)
	}
	if !strings.HasPrefix(string(r.ReturnID), "D99999008202603021201") {
		t.Errorf("rtrId %s", r.ReturnID)
	}
	if l.getRefund(1, "R1") != r || l.psp.Version() <= version {
		t.Errorf("GET %+v, version %d after %d", l.getRefund(1, "R1"), l.psp.Version(), version)
	}
	l.money("70.00", "0.00", "0.00")
	want := pix.StatementLine{
		Kind: pix.KindRefundOut, EndToEndID: e2eOf(1), ID: string(r.ReturnID), Cents: 3000, SettledAt: at,
	}
	if got := l.refundLines(); len(got) != 1 || got[0] != want {
		t.Errorf("statement %+v", got)
	}
	if got := l.statement("").Lines; len(got) != 2 || got[1] != want {
		t.Errorf("GET /extrato %+v", got)
	}
}

func TestRefundTakesItsTime(t *testing.T) {
	t.Parallel()
	for fails, status := range map[bool]pix.RefundStatus{false: pix.RefundReturned, true: pix.RefundFailed} {
		l := refundLab(t, 1, RefundTerms{SettleAfter: time.Minute, NotifyAfter: time.Second, Fails: fails})
		asked := l.refund(1, "R1", "30.00")
		if asked.Status != pix.RefundProcessing || !asked.SettledAt.IsZero() {
			t.Errorf("got %+v", asked)
		}
		l.money("100.00", "30.00", "0.00")
		if l.psp.Quiet() {
			t.Error("quiet with a settlement to come")
		}
		if due, ok := l.psp.Due(); !ok || !due.Equal(labStart.Add(time.Minute)) {
			t.Errorf("due %s, %v", due, ok)
		}
		l.tick(time.Minute - 1)
		if got := l.getRefund(1, "R1"); got != asked {
			t.Errorf("before its time: %+v", got)
		}
		l.at(time.Hour) // a late look sees it as of its own instant
		got := l.getRefund(1, "R1")
		if got.Status != status || got.ReturnID != asked.ReturnID || (got.Reason != "") != fails {
			t.Errorf("got %+v", got)
		}
		if fails {
			l.money("100.00", "0.00", "0.00")
			if !got.SettledAt.IsZero() || len(l.refundLines()) != 0 {
				t.Errorf("failed, and got %+v with lines %v", got, l.refundLines())
			}
			continue
		}
		l.money("70.00", "0.00", "0.00")
		if !got.SettledAt.Equal(labStart.Add(time.Minute)) {
			t.Errorf("settled at %s", got.SettledAt)
		}
	}
}

func TestRefundIsShownWithItsPix(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{SettleAfter: time.Minute})
	l.refund(1, "R1", "30.00")
	l.at(time.Minute)
	l.refund(1, "R2", "5.00")
	want := "[R1 30.00 DEVOLVIDO R2 5.00 EM_PROCESSAMENTO]"
	text := func(list []pix.Refund) string {
		var out []string
		for _, r := range list {
			out = append(out, fmt.Sprintf("%s %s %s", r.ID, r.Amount, r.Status))
		}
		return fmt.Sprint(out)
	}
	if got := text(l.getPix(1).Refunds); got != want {
		t.Errorf("GET pix: %s", got)
	}
	c := l.getCharge(1)
	if got := text(c.Payments[0].Refunds); got != want || c.Status != pix.ChargeCompleted {
		t.Errorf("GET cob: %s of a charge that is %s", got, c.Status)
	}
	all, with, without := l.pixPage(wholeDay), l.pixPage(wholeDay+"&devolucaoPresente=true"), l.pixPage(wholeDay+"&devolucaoPresente=false")
	if got := text(all.Payments[0].Refunds); got != want || len(all.Payments) != 2 {
		t.Errorf("GET list: %s of %d", got, len(all.Payments))
	}
	if !slices.Equal(ids(with.Payments), []pix.EndToEndID{e2eOf(1)}) || !slices.Equal(ids(without.Payments), []pix.EndToEndID{e2eOf(2)}) {
		t.Errorf("with %v, without %v", ids(with.Payments), ids(without.Payments))
	}
	l.at(2 * time.Minute)
	if got := text(l.pixPage(wholeDay).Payments[0].Refunds); got != "[R1 30.00 DEVOLVIDO R2 5.00 DEVOLVIDO]" {
		t.Errorf("the list still says %s", got)
	}
	for _, row := range l.psp.Settled() {
		if len(row.Refunds) != 0 {
			t.Errorf("the fact of %s changed: %+v", row.Subject, row)
		}
	}
}

func TestRefundViolations(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	version := l.psp.Version()
	for _, tc := range []struct{ id, body, at string }{
		{"R1", `{"valor":"0.00"}`, "devolucao.valor"},
		{"R1", `{"valor":"-5.00"}`, "devolucao.valor"},
		{"R1", `{"valor":"5"}`, "devolucao.valor"},
		{"R1", `{"valor":5.00}`, "devolucao.valor"},
		{"R1", `{}`, "devolucao.valor"},
		{"R1", `x`, "devolucao"},
		{"R1", `{"valor":"100.01"}`, "devolucao.valor"},
		{"R1", `{"valor":"1.00","natureza":"MED_FRAUDE"}`, "devolucao.natureza"},
		{"R1", `{"valor":"1.00","natureza":"RETIRADA"}`, "devolucao.natureza"},
		{"R1", `{"valor":"1.00","descricao":"` + strings.Repeat("x", 141) + `"}`, "devolucao.descricao"},
		{"R-1", `{"valor":"1.00"}`, "devolucao.id"},
		{strings.Repeat("R", 36), `{"valor":"1.00"}`, "devolucao.id"},
	} {
		if at := l.problem(pix.ProblemRefundInvalid, "PUT", refundPath(1, tc.id), tc.body); !slices.Equal(at, []string{tc.at}) {
			t.Errorf("%s %s: violations at %v", tc.id, tc.body, at)
		}
	}
	l.problem(pix.ProblemNotFound, "PUT", refundPath(9, "R1"), `{"valor":"1.00"}`)
	l.problem(pix.ProblemRefundNotFound, "GET", refundPath(1, "R1"), "")
	l.problem(pix.ProblemRefundNotFound, "GET", refundPath(9, "R1"), "")
	if reply := l.call("DELETE", refundPath(1, "R1"), ""); reply.Status != http.StatusMethodNotAllowed || reply.Header.Get("Allow") != "GET, PUT" {
		t.Errorf("DELETE: got %d %v", reply.Status, reply.Header)
	}
	if l.psp.Version() != version || len(l.psp.Refunds()) != 0 {
		t.Error("a refusal changed the truth")
	}
}

func TestRefundsFitIntoTheirPix(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{SettleAfter: time.Minute, NotifyAfter: time.Hour})
	l.refund(1, "R1", "60.00")
	if at := l.refused(1, "R2", "40.01"); !slices.Equal(at, []string{"devolucao.valor"}) {
		t.Errorf("in process counts: violations at %v", at)
	}
	l.refund(1, "R2", "40.00")
	l.refused(1, "R3", "0.01")
	l.tick(time.Minute)
	l.refused(1, "R3", "0.01")
	l.money("100.00", "0.00", "0.00") // the other Pix's money
	l.refund(2, "R1", "100.00")       // an id belongs to its Pix alone
	if a, b := l.getRefund(1, "R1"), l.getRefund(2, "R1"); a.ReturnID == b.ReturnID {
		t.Error("two refunds share an rtrId")
	}
}

func TestAFailedRefundMakesRoom(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{SettleAfter: time.Minute, NotifyAfter: time.Hour, Fails: true})
	l.refund(1, "R1", "100.00")
	l.refused(1, "R2", "0.01")
	l.tick(time.Minute)
	l.refund(1, "R2", "100.00")
	if got := l.states(1); !slices.Equal(got, []string{"R1 100.00 NAO_REALIZADO", "R2 100.00 EM_PROCESSAMENTO"}) {
		t.Errorf("got %v", got)
	}
}

func TestPartsOfOddCentsAddUp(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: pix.MustAmount("349.48")})
	for id, amount := range map[string]string{"A": "116.49", "B": "116.49", "C": "116.50"} {
		l.refund(1, id, amount)
	}
	l.refused(1, "D", "0.01")
	l.money("0.00", "0.00", "0.00")
}

func TestTheRefundWindowIsAnInstant(t *testing.T) {
	t.Parallel()
	for after, ok := range map[time.Duration]bool{
		89 * day: true, 90 * day: true, 90*day + time.Millisecond: false, 91 * day: false,
	} {
		l := refundLab(t, 1, RefundTerms{})
		l.at(after)
		if ok {
			l.refund(1, "R1", "1.00")
			continue
		}
		if at := l.refused(1, "R1", "1.00"); !slices.Equal(at, []string{"pix.horario"}) {
			t.Errorf("after %s: violations at %v", after, at)
		}
	}
	t.Run("one asked for in time settles after it", func(t *testing.T) {
		l := refundLab(t, 1, RefundTerms{SettleAfter: day})
		l.at(90 * day)
		l.refund(1, "R1", "1.00")
		l.at(91 * day)
		if got := l.getRefund(1, "R1"); got.Status != pix.RefundReturned {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRepeatedRefundID(t *testing.T) {
	t.Parallel()
	const body, other = `{"valor":"30.00","descricao":"x"}`, `{"valor":"40.00","descricao":"x"}`
	for _, tc := range []struct {
		mode          string
		same, another int
	}{
		{"", 201, 400}, {RefundRepeatSame, 201, 400}, {RefundRepeatRefused, 400, 400}, {RefundRepeatConflict, 409, 409},
	} {
		t.Run("mode "+tc.mode, func(t *testing.T) {
			l := refundLabWith(t, 1, RefundTerms{SettleAfter: time.Minute}, func(c *Config) { c.RefundRepeat = tc.mode })
			var first pix.Refund
			l.want(http.StatusCreated, "PUT", refundPath(1, "R1"), body, &first)
			version := l.psp.Version()
			bodies := map[string]int{
				body: tc.same, `{"natureza":"ORIGINAL","descricao":"x","valor":"30.00"}`: tc.same,
				other: tc.another, `{"valor":"30.00"}`: tc.another, `{"valor":"30.00","descricao":"x","natureza":"RETIRADA"}`: tc.another,
			}
			for text, want := range bodies {
				reply := l.call("PUT", refundPath(1, "R1"), text)
				p, err := pix.ParseProblem(reply.Body)
				if reply.Status != want || err != nil {
					t.Errorf("%s: got %d %s, want %d", text, reply.Status, reply.Body, want)
				}
				if want == 400 && (p.Kind() != pix.ProblemRefundInvalid || len(p.Violations) != 1 || p.Violations[0].Property != "devolucao.id") {
					t.Errorf("%s: got %s", text, reply.Body)
				}
			}
			if l.psp.Version() != version {
				t.Error("a repeat changed the truth")
			}
			if tc.same != 201 {
				return
			}
			l.at(100 * day) // the rules of a new refund do not hold for a repeat
			var again pix.Refund
			l.want(http.StatusCreated, "PUT", refundPath(1, "R1"), body, &again)
			if again.Status != pix.RefundReturned || again.ReturnID != first.ReturnID {
				t.Errorf("later: got %+v after %+v", again, first)
			}
		})
	}
}

func TestRefundOfMoneyThatIsNotThere(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 2, RefundTerms{SettleAfter: time.Minute})
	l.report(disputeOf(1, "100.00", "rejected"))
	l.refund(2, "R1", "60.00")
	l.money("200.00", "60.00", "100.00")
	for n, amount := range map[int]string{1: "40.01", 2: "40.01"} {
		if at := l.refused(n, "R2", amount); !slices.Equal(at, []string{"devolucao.valor"}) {
			t.Errorf("violations at %v", at)
		}
	}
	l.refund(1, "R2", "40.00")
	l.money("200.00", "100.00", "100.00")
	l.refused(1, "R3", "0.01")
}

func TestAskRefundInTheBanksApp(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{})
	ask := RefundOrder{EndToEndID: e2eOf(1), ID: "1", Amount: 500, Terms: RefundTerms{Subject: "r7", SettleAfter: time.Minute, NotifyAfter: time.Second}}
	row, err := l.psp.AskRefund(ask)
	if err != nil || row.Subject != "r7" || row.Payment != "p1" || row.Status != pix.RefundProcessing || row.ReturnID == "" {
		t.Fatalf("got %+v, %v", row, err)
	}
	version := l.psp.Version()
	if _, err := l.psp.AskRefund(ask); !errors.Is(err, ErrExists) || l.psp.Version() != version {
		t.Errorf("again: got %v", err)
	}
	ask.ID, ask.Amount = "2", pix.MustAmount("95.01")
	var refused *NotRefundable
	if _, err := l.psp.AskRefund(ask); !errors.As(err, &refused) || len(refused.Violations) != 1 || refused.Error() == "" {
		t.Errorf("over the Pix: got %v", err)
	}
	ask.Amount = 0
	if _, err := l.psp.AskRefund(ask); !errors.As(err, &refused) {
		t.Errorf("of nothing: got %v", err)
	}
	for _, o := range []RefundOrder{{EndToEndID: e2eOf(9), ID: "1", Amount: 1}, {EndToEndID: e2eOf(1), ID: "a-b", Amount: 1}} {
		if _, err := l.psp.AskRefund(o); err == nil || errors.As(err, &refused) || errors.Is(err, ErrExists) {
			t.Errorf("%+v: got %v, want a plain error", o, err)
		}
	}
	if got := l.run(time.Hour); !slices.Equal(got, []string{"p1/refund/r7/0/1"}) {
		t.Errorf("callbacks %v", got)
	}
	if got := l.getRefund(1, "1"); got.Status != pix.RefundReturned || got.Nature != pix.NatureOriginal {
		t.Errorf("got %+v", got)
	}
	t.Run("the merchant's PUT under the same id is another refund", func(t *testing.T) {
		if at := l.refused(1, "1", "15.00"); !slices.Equal(at, []string{"devolucao.id"}) {
			t.Errorf("violations at %v", at)
		}
	})
}

func TestDefaultTerms(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.paid(1)
	l.ack(l.take())
	if got := l.refund(1, "R1", "1.00"); got.Status != pix.RefundReturned {
		t.Errorf("got %+v", got)
	}
	if due, ok := l.psp.Due(); !ok || !due.Equal(labStart.Add(time.Second)) {
		t.Errorf("due %s, %v", due, ok)
	}
	if got := l.run(time.Minute); !slices.Equal(got, []string{"p1/refund/R1/0/1"}) {
		t.Errorf("callbacks %v", got)
	}
}

func TestDerivedIDsHangOnKindAndKey(t *testing.T) {
	t.Parallel()
	one, two := derivedID("rtrId", "a/b", 11), derivedID("rtrId", "a/c", 11)
	if one == two || one != derivedID("rtrId", "a/b", 11) || len(derivedID("token", "x", 100)) != 100 {
		t.Errorf("got %s and %s", one, two)
	}
	if _, err := pix.NewReturnID("99999008", labStart, one); err != nil {
		t.Error(err)
	}
}

func TestAnRtrIDIsNeverUsedTwice(t *testing.T) {
	t.Parallel()
	l := refundLabWith(t, 2, RefundTerms{}, func(c *Config) {
		c.NewID = func(_, _ string, n int) string { return strings.Repeat("x", n) }
	})
	l.refund(1, "R1", "1.00")
	version := l.psp.Version()
	if reply := l.call("PUT", refundPath(2, "R1"), `{"valor":"1.00"}`); reply.Status != http.StatusInternalServerError {
		t.Errorf("got %d %s", reply.Status, reply.Body)
	}
	if _, err := l.psp.AskRefund(RefundOrder{EndToEndID: e2eOf(2), ID: "1", Amount: 1}); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	if l.psp.Version() != version || len(l.states(2)) != 0 {
		t.Error("a refusal changed the truth")
	}
	l.money("199.00", "0.00", "0.00")
	l.at(time.Minute) // another minute, another rtrId
	l.refund(2, "R1", "1.00")
}

func TestHealLosesNoSettlement(t *testing.T) {
	t.Parallel()
	l := refundLab(t, 1, RefundTerms{SettleAfter: time.Hour, NotifyAfter: time.Second})
	l.refund(1, "R1", "30.00")
	l.psp.Heal()
	if got := l.run(2 * time.Hour); !slices.Equal(got, []string{"p1/refund/r1/0/1"}) || !l.psp.Quiet() {
		t.Errorf("callbacks %v, quiet %v", got, l.psp.Quiet())
	}
	l.money("70.00", "0.00", "0.00")
}
