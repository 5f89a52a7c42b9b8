package proptest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// Whatever the PSP, the network and the receiver's own processes do to them,
// the deliveries of a few payments end with each settled Pix credited exactly
// once and the ledger equal to the statement.
func TestDeliveriesCreditExactlyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, creditsExactlyOnce(nil, &keeper{t: t}, stockOf(t)))
}

// creditsExactlyOnce is the property of a receiver; nil is the reference. Of a
// broken one it judges the invariant alone that it is known to break, so that
// shrinking does not end at another of its sins.
func creditsExactlyOnce(rec *scenarios.Receiver, k *keeper, s stock) func(*rapid.T) {
	return func(t *rapid.T) {
		plan := drawPlan().Draw(t, "plan").plan
		wrong := judge(plan, rec, s)
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

// judge runs a plan and says what is wrong with what came of it.
func judge(plan *chaos.Plan, rec *scenarios.Receiver, s stock) string {
	report, err := play(plan, rec, s, nil)
	switch {
	case err != nil:
		return "the lab failed: " + err.Error()
	case rec != nil:
		return brokenInvariant(report, rec.Invariant)
	}
	return complaint(plan, report)
}

func brokenInvariant(r *scenarios.Report, id string) string {
	for _, i := range r.Invariants {
		if i.ID == id && !i.Held {
			return id + " broke: " + i.Detail
		}
	}
	return ""
}

// complaint says what is wrong with a run, "" if nothing is. It does not take
// the verdict's word alone: the totals are counted from the plan once more.
func complaint(plan *chaos.Plan, r *scenarios.Report) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Verdict != scenarios.Held {
		add("the verdict is %s", r.Verdict)
	}
	for _, p := range r.Pending {
		add("pending: %s", p)
	}
	judged := map[string]bool{}
	for _, i := range r.Invariants {
		judged[i.ID] = true
		if !i.Held {
			add("%s broke: %s", i.ID, i.Detail)
		}
	}
	for _, id := range []string{"I1", "I2", "I3", "I4", "I5", "I6", "I10", "I11", "I12", "I16", "I17"} {
		if !judged[id] {
			add("nobody judged %s", id)
		}
	}
	if len(out) > 0 {
		return strings.Join(out, "\n") + r.Stack
	}
	settled, cents := paid(plan, r)
	if r.Settled != settled || r.StatementCents != cents || r.LedgerCents != cents || r.Credits < settled {
		add("by the plan %d Pix of %d cents settled; the statement has %d of %d, the ledger %d of %d",
			settled, cents, r.Settled, r.StatementCents, r.Credits, r.LedgerCents)
	}
	return strings.Join(out, "\n")
}

// paid counts what should have settled: every payment of the plan that was not
// void, at what its payer paid.
func paid(plan *chaos.Plan, r *scenarios.Report) (n int, cents int64) {
	void := map[string]bool{}
	for _, v := range r.Void {
		void[v.Payment] = true
	}
	faults := plan.Merge()
	for _, p := range plan.Payments {
		if void[p.ID] {
			continue
		}
		n++
		if c := faults.Payment(p.ID).Change.PayCents; c > 0 {
			cents += c
		} else {
			cents += p.AmountCents
		}
	}
	return n, cents
}

// Broken receivers are found by the same property; what is left of the plan is
// readable, and breaks the same invariant again. How small it has become is only
// told: shrinking has two seconds, and what it gets done in them is the machine's.
func TestDeliveriesCanFail(t *testing.T) {
	huntFlags(t)
	for _, name := range brokenAtMoneyIn() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, ok := broken.ByName(name)
			if !ok {
				t.Fatalf("no broken receiver is called %s", name)
			}
			s := stockFor(t, name)
			tr := try(t, creditsExactlyOnce(&rec, &keeper{t: t}, s))
			if !tr.failed {
				t.Fatalf("rapid found no plan that breaks %s:\n%s", rec.Invariant, tr.output())
			}
			checkLeftovers(t, tr, &rec, s)
		})
	}
}

// brokenAtMoneyIn names the receivers that are wrong where plans without a
// refund can show it: the drawn plans have none.
func brokenAtMoneyIn() []string {
	return []string{
		"check-then-insert", "signature-not-checked", "seen-before-done", "dedupe-by-delivery",
		"all-to-suspense", "callbacks-refused", "watermark-first", "trusts-completed",
	}
}

// checkLeftovers takes the last line of a failed trial at its word.
func checkLeftovers(t *testing.T, tr *trial, rec *scenarios.Receiver, s stock) {
	t.Helper()
	words := strings.Fields(tr.last())
	if len(words) != 6 || strings.Join(words[:3], " ") != "pixlab run --plan" || words[5] != rec.Name {
		t.Fatalf("the last line is no command that repeats it: %q", tr.last())
	}
	f, err := os.Open(words[3])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plan, err := chaos.ReadPlan(f)
	if err != nil {
		t.Fatalf("the plan kept is none: %v", err)
	}
	wrong := judge(plan, rec, s)
	if wrong == "" || !strings.Contains(tr.output(), wrong) {
		t.Errorf("run again, the plan kept gives %q; rapid saw:\n%s", wrong, tr.output())
	}
	t.Logf("%s: %d payments, %d faults after two seconds of shrinking", rec.Name, len(plan.Payments), len(plan.Faults))
	if os.Remove(words[3]) == nil {
		os.Remove(strings.TrimSuffix(words[3], "/plan.json"))
	}
	t.Logf("%s\n%s, with %#v", strings.SplitN(tr.output(), ":", 2)[0], wrong, drawn{plan})
}
