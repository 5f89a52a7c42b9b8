package proptest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// The most refunds and MED cases that a drawn plan holds.
const (
	mostRefunds  = 4
	mostDisputes = 2
)

// refundDraw is one refund as it is drawn: its payment by number, its instant
// counted from the payment.
type refundDraw struct {
	of                            int
	tenths                        int64 // of what was paid
	waitMS, settleAfter, notifyMS int64
	bank, fails                   bool
}

// drawReturnsPlan draws a plan as the deliveries have it, with refunds and MED
// cases on its payments.
func drawReturnsPlan() *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		p := drawPlan().Draw(t, "plan").plan
		p.Settings.RefundRepeat = rapid.SampledFrom([]string{"same", "400", "409"}).Draw(t, "repeat")
		for i, r := range atMost(rapid.SliceOf(drawRefund()).Draw(t, "refunds"), mostRefunds) {
			addRefund(p, i, r)
		}
		for i, d := range atMost(rapid.SliceOf(drawRefund()).Draw(t, "disputes"), mostDisputes) {
			addDispute(p, i, d)
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("the drawn plan is none: %v", err)
		}
		return drawn{p}
	})
}

func drawRefund() *rapid.Generator[refundDraw] {
	return rapid.Custom(func(t *rapid.T) refundDraw {
		return refundDraw{
			of:          rapid.IntRange(0, mostSales-1).Draw(t, "payment"),
			tenths:      rapid.Int64Range(1, 11).Draw(t, "tenths"),
			waitMS:      rapid.Int64Range(0, 4*hourMS).Draw(t, "wait"),
			settleAfter: rapid.Int64Range(0, 20*minuteMS).Draw(t, "settle"),
			notifyMS:    rapid.Int64Range(0, 2*secondMS).Draw(t, "notify"),
			bank:        rapid.Bool().Draw(t, "bank"), fails: rapid.Bool().Draw(t, "fails"),
		}
	})
}

func addRefund(p *chaos.Plan, n int, r refundDraw) {
	pay := p.Payments[r.of%len(p.Payments)]
	x := chaos.Refund{
		ID: fmt.Sprintf("r%d", n), Payment: pay.ID, Origin: chaos.OriginMerchant, Reference: fmt.Sprintf("DEV-%d", n),
		AmountCents: max(1, pay.AmountCents*r.tenths/10), AtMS: pay.AtMS + r.waitMS, SettleAfterMS: r.settleAfter,
		NotifyAfterMS: r.notifyMS, Fails: r.fails,
	}
	if r.bank {
		x.Origin, x.Reference = chaos.OriginBank, fmt.Sprintf("R%d", n)
	}
	p.Refunds = append(p.Refunds, x)
}

func addDispute(p *chaos.Plan, n int, r refundDraw) {
	pay := p.Payments[r.of%len(p.Payments)]
	outcome := chaos.DisputeAccepted
	if r.fails {
		outcome = chaos.DisputeRejected
	}
	p.Disputes = append(p.Disputes, chaos.Dispute{
		ID: fmt.Sprintf("m%d", n), Payment: pay.ID, Nature: "MED_FRAUDE", Outcome: outcome,
		AmountCents: max(1, pay.AmountCents*r.tenths/10), ReportAtMS: pay.AtMS + r.waitMS, DecideAfterMS: r.settleAfter,
		Memo: r.bank, NotifyAfterMS: r.notifyMS,
	})
}

// Whatever is asked back, by whom, and how often, every invariant holds.
func TestReturnsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, returnsHold(nil, &keeper{t: t}))
}

// returnsHold is the property of a receiver; of a broken one it judges the
// invariant alone that it is known to break.
func returnsHold(rec *scenarios.Receiver, k *keeper) func(*rapid.T) {
	return func(t *rapid.T) {
		plan := drawReturnsPlan().Draw(t, "plan").plan
		report, err := play(plan, rec, inMemory{}, nil)
		wrong := ""
		switch {
		case err != nil:
			wrong = "the lab failed: " + err.Error()
		case rec != nil:
			wrong = brokenInvariant(report, rec.Invariant)
		case report.Verdict != scenarios.Held:
			wrong = fmt.Sprintf("%s: %s %v", report.Verdict, brokenInvariant(report, report.FirstBroken()), report.Pending)
		}
		if wrong == "" {
			return
		}
		command, err := k.keep(plan, rec)
		if err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s\n%s", wrong, command)
	}
}

// What rapid leaves behind is a plan like any other: it is read, replayed up to
// an event, and fails the same way again.
func TestReturnsCanFail(t *testing.T) {
	huntFlags(t)
	for _, name := range []string{"refunds-refused"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, ok := broken.ByName(name)
			if !ok {
				t.Fatalf("no broken receiver is called %s", name)
			}
			tr := try(t, returnsHold(&rec, &keeper{t: t}))
			if !tr.failed {
				t.Fatalf("rapid found no plan that breaks %s:\n%s", rec.Invariant, tr.output())
			}
			replayLeftover(t, tr, &rec)
		})
	}
}

// replayLeftover takes the plan that a failed trial kept through the file, to
// its middle and to its end.
func replayLeftover(t *testing.T, tr *trial, rec *scenarios.Receiver) {
	t.Helper()
	words := strings.Fields(tr.last())
	if len(words) != 6 || strings.Join(words[:3], " ") != "pixlab run --plan" {
		t.Fatalf("the last line is no command that repeats it: %q", tr.last())
	}
	text, err := os.ReadFile(words[3])
	if err != nil {
		t.Fatal(err)
	}
	plan, err := chaos.ReadPlan(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("the plan kept is none: %v", err)
	}
	whole, err := play(plan, rec, inMemory{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if brokenInvariant(whole, rec.Invariant) == "" {
		t.Errorf("run again, the plan kept breaks no %s", rec.Invariant)
	}
	w, err := scenarios.NewWorld(plan, scenarios.Options{Receiver: rec, Until: whole.Events / 2, Show: true})
	if err != nil {
		t.Fatal(err)
	}
	half, err := w.Run()
	if err != nil || half.State == nil || half.Events < whole.Events/2 {
		t.Errorf("replayed up to event %d: %v, %+v", whole.Events/2, err, half)
	}
	t.Logf("%s: %d payments, %d refunds, %d faults left", rec.Name, len(plan.Payments), len(plan.Refunds), len(plan.Faults))
	if os.Remove(words[3]) == nil {
		os.Remove(strings.TrimSuffix(words[3], "/plan.json"))
	}
}
