package scenarios_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// repeats is a PSP with a habit for ids that are used again.
func repeats(habit string) func(*fakepsp.Config) {
	return func(c *fakepsp.Config) { c.RefundRepeat = habit }
}

// repeated is what such a PSP answers to the same PUT again.
func repeated(habit string) string {
	return map[string]string{
		fakepsp.RefundRepeatSame: "PUT 201", fakepsp.RefundRepeatRefused: "PUT 400", fakepsp.RefundRepeatConflict: "PUT 409",
	}[habit]
}

func habits() []string {
	return []string{fakepsp.RefundRepeatSame, fakepsp.RefundRepeatRefused, fakepsp.RefundRepeatConflict}
}

// From the field: the answer of a refund was lost, the repeat was refused as
// "id in use", the refund was taken for failed and made again under a new id.
func TestLostAnswerOfARefundLeadsToOneRefund(t *testing.T) {
	for _, habit := range habits() {
		t.Run(habit+", and the query knows it", func(t *testing.T) {
			l := newLab(t, labOptions{psp: repeats(habit)})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, lost)
			l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
			l.rest()
			l.calls(tp, refundID("DEV-1", 0), "PUT 0", "GET 200")
			l.onceThirty(tp, p)
		})
		t.Run(habit+", and the query is behind", func(t *testing.T) {
			l := newLab(t, labOptions{psp: repeats(habit)})
			tp := l.record()
			p := l.sold("PED-1", "100.00")
			tp.on(http.MethodPut, lost)
			tp.on(http.MethodGet, instead(http.StatusNotFound))
			l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
			l.rest()
			want := []string{"PUT 0", "GET 404", repeated(habit)}
			if habit != fakepsp.RefundRepeatSame {
				want = append(want, "GET 200") // a refused repeat proves nothing
			}
			l.calls(tp, refundID("DEV-1", 0), want...)
			l.onceThirty(tp, p)
		})
	}
}

// onceThirty wants DEV-1 to be one refund of 30.00 that another amount, or
// another Pix, under its reference does not change.
func (l *lab) onceThirty(tp *tape, p pix.Payment) {
	l.t.Helper()
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "30.00")
	other := l.sold("PED-2", "100.00")
	l.unmoved("the same reference again", func() {
		l.refund(http.StatusUnprocessableEntity, "DEV-1", p, "40.00")
		l.refund(http.StatusUnprocessableEntity, "DEV-1", other, "30.00")
		l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
		l.rest()
	})
	if got := l.shown("DEV-1"); got.Amount != "30.00" {
		l.t.Errorf("the refund shows %s, want 30.00", got.Amount)
	}
	l.putOnly(tp, refundID("DEV-1", 0))
	l.openCases()
	l.endOfDay()
}

// Another amount under a reference is refused while the first is still on its
// way, too; the PSP never hears of it.
func TestAnotherAmountUnderOneReferenceIsRefusedBeforeAnyCall(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	first := l.shown("DEV-1")
	l.refund(http.StatusUnprocessableEntity, "DEV-1", p, "40.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "30.00")
	if again := l.shown("DEV-1"); again != first {
		t.Errorf("the refund was %+v and is %+v", first, again)
	}
	l.holds(receiver.AccountInProcess, "30.00")
	l.rest()
	l.calls(tp, first.ID, "PUT 201")
	l.returned(p.EndToEndID, "30.00")
	l.endOfDay()
}

// A process dies between the PSP's effect and its own note of the call. The next
// one knows only that a call may have left: a refusal of its repeat proves
// nothing, whatever it says, while the query may still be behind.
func TestRefusedRepeatAfterACrashIsNoProof(t *testing.T) {
	l := newLab(t, labOptions{receivers: 2})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	l.refund(http.StatusAccepted, "DEV-1", p, "60.00")
	l.store.before["RecordRefunds"] = func() error { return receiver.ErrUnavailable }
	if err := l.step("refunds"); err == nil {
		t.Fatal("the sender's turn: want an error")
	}
	// A PSP that looks at the sum before the id: the first call took the rest.
	tp.on(http.MethodGet, instead(http.StatusNotFound))
	tp.on(http.MethodPut, problem(http.StatusBadRequest))
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 201", "GET 404", "PUT 400", "GET 200")
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "60.00")
	l.left(p.EndToEndID, "40.00")
	l.endOfDay()
}

// The hour for which the PSP may hide an effect counts from the last call that
// nobody has an answer of, not from the first: that last one is what took effect.
func TestRefusedRepeatIsNoProofForAnHourAfterTheLastUnansweredCall(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	began, made := l.clock.Now(), time.Time{}
	proofs := 0
	for range 300 {
		tp.on(http.MethodPut, func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
			switch now := l.clock.Now(); {
			case now.Sub(began) < 50*time.Minute:
				return never(req, call)
			case made.IsZero():
				made = now
				return lost(req, call)
			case now.Sub(began) > time.Hour:
				proofs++
			}
			return problem(http.StatusBadRequest)(req, call)
		})
		tp.on(http.MethodGet, func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error) {
			if made.IsZero() || l.clock.Now().Sub(made) < 40*time.Minute {
				return instead(http.StatusNotFound)(req, call)
			}
			return call()
		})
	}
	l.refund(http.StatusAccepted, "DEV-1", p, "60.00")
	l.rest()
	l.stands("DEV-1", receiver.RefundReturned)
	l.returned(p.EndToEndID, "60.00")
	l.left(p.EndToEndID, "40.00")
	if proofs == 0 {
		t.Error("no repeat was refused when the first call was an hour old: the test looks at nothing")
	}
	l.endOfDay()
}

// The other side of it: the very first call's refusal is final at once, and a
// later one is once the PSP has had its time and still knows of no refund.
func TestRefusedRefundPutsTheMoneyBack(t *testing.T) {
	l := newLab(t, labOptions{})
	tp := l.record()
	p := l.sold("PED-1", "100.00")
	tp.on(http.MethodPut, problem(http.StatusBadRequest))
	l.refund(http.StatusAccepted, "DEV-1", p, "60.00")
	l.rest()
	l.calls(tp, refundID("DEV-1", 0), "PUT 400")
	l.stands("DEV-1", receiver.RefundFailed)
	l.left(p.EndToEndID, "100.00")

	start := l.clock.Now()
	tp.on(http.MethodPut, never)
	for range 100 {
		tp.on(http.MethodPut, problem(http.StatusBadRequest))
	}
	l.refund(http.StatusAccepted, "DEV-2", p, "60.00")
	l.rest()
	l.stands("DEV-2", receiver.RefundFailed)
	if took := l.clock.Now().Sub(start); took < time.Hour || took > 2*time.Hour {
		t.Errorf("the refusal was believed after %s, want the hour in which the PSP may hide an effect", took)
	}
	l.left(p.EndToEndID, "100.00")
	l.holds(receiver.AccountInProcess, "0.00")
	l.returned(p.EndToEndID)
	l.putOnly(tp, refundID("DEV-1", 0), refundID("DEV-2", 0))
	l.endOfDay()
}

// From the field: an id of a refund was taken for unique. It is so within its
// Pix alone.
func TestOneRefundIdOnTwoPixIsTwoRefunds(t *testing.T) {
	l := newLab(t, labOptions{})
	one, two := l.sold("PED-1", "100.00"), l.sold("PED-2", "100.00")
	l.inApp(one, "1", "10.00")
	l.inApp(two, "1", "20.00")
	l.news()
	l.rest()
	l.returned(one.EndToEndID, "10.00")
	l.returned(two.EndToEndID, "20.00")
	l.holds(receiver.AccountSettlement, "170.00")
	l.openCases()
	l.endOfDay()
}

// From the field: the bank's app used an id that we had chosen and not sent yet,
// and its refund was taken for ours. It is its own, of whatever amount; ours
// gets another id, and only after the PSP was asked.
func TestForeignRefundUnderOurUnsentIdIsNotOurs(t *testing.T) {
	for _, amount := range []string{"5.00", "15.00"} {
		t.Run(amount, func(t *testing.T) {
			l := newLab(t, labOptions{})
			tp := l.record()
			p := l.sold("PED-3", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "15.00")
			old, fresh := refundID("DEV-1", 0), refundID("DEV-1", 1)
			row := l.inApp(p, old, amount)
			l.deliver()
			if _, err := l.steps[0]["worker/1"].RunOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.calls(tp, old, "GET 200")
			l.returned(p.EndToEndID, amount)
			l.stands("DEV-1", receiver.RefundReserved)
			l.rest()
			l.calls(tp, old, "GET 200")
			l.calls(tp, fresh, "PUT 201")
			l.stands("DEV-1", receiver.RefundReturned)
			if x := l.shown("DEV-1"); x.ID != fresh || x.ReturnID == row.ReturnID || x.ReturnID == "" || x.Amount != "15.00" {
				t.Errorf("ours is %+v", x)
			}
			l.news()
			l.rest()
			rows := l.refunds(p.EndToEndID)
			if i := slices.IndexFunc(rows, func(x receiver.Refund) bool { return x.ReturnID == row.ReturnID }); i < 0 ||
				rows[i].Origin != receiver.RefundByPSP || rows[i].Amount != pix.MustAmount(amount) || len(rows) != 2 {
				t.Errorf("the refunds are %+v", rows)
			}
			l.returned(p.EndToEndID, "15.00", amount)
			l.openCases()
			l.endOfDay()
		})
	}
}

// The same, and our own call is the first to hear of it: the answer is about a
// refund of another amount, so the id is given up after a GET.
func TestForeignRefundMetByOurOwnCallIsNotOurs(t *testing.T) {
	for _, habit := range habits() {
		t.Run(habit, func(t *testing.T) {
			l := newLab(t, labOptions{psp: func(c *fakepsp.Config) { noRetries(c); repeats(habit)(c) }})
			tp := l.record()
			p := l.sold("PED-3", "100.00")
			l.refund(http.StatusAccepted, "DEV-1", p, "15.00")
			old, fresh := refundID("DEV-1", 0), refundID("DEV-1", 1)
			l.inApp(p, old, "5.00")
			l.lose()
			l.rest()
			refusal := "PUT 400" // the same id with another body is in use by any habit
			if habit == fakepsp.RefundRepeatConflict {
				refusal = "PUT 409"
			}
			l.calls(tp, old, refusal, "GET 200")
			l.calls(tp, fresh, "PUT 201")
			l.stands("DEV-1", receiver.RefundReturned)
			l.returned(p.EndToEndID, "15.00")
			l.duty("changed")
			l.rest()
			l.returned(p.EndToEndID, "15.00", "5.00")
			l.left(p.EndToEndID, "80.00")
			l.openCases()
			l.endOfDay()
		})
	}
}
