package proptest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// climates are what the orders are drawn in. Each has draws of its own.
func climates() map[string]climate {
	return map[string]climate{
		"refunds come before their Pix": {early: 8, trouble: 1, fate: 1},
		"nobody knows what a call did":  {early: 4, trouble: 5, fate: 2},
		"processes die and are held up": {early: 4, trouble: 1, fate: 5},
	}
}

// In whatever order Pix settle, are refunded by the merchant, by the bank's app
// and under MED, are told of, swept, booked, sent and reconciled, and whatever
// dies or is lost on the way: never is a Pix credited twice or more of it
// returned than it brought, and in the end ledger and statement are the same
// lines, and each refund that was asked for went out once or not at all.
func TestOrdersOfRefundsEndAsOne(t *testing.T) {
	t.Parallel()
	var seen ordersTally
	t.Run("in any order", func(t *testing.T) {
		for name, c := range climates() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rapid.Check(&repeating{T: t}, refundsInAnyOrder(nil, c, &seen, stockOf(t)))
			})
		}
	})
	if !t.Failed() {
		seen.judge(t)
	}
}

// refundsInAnyOrder is the property of a receiver; nil is the reference.
func refundsInAnyOrder(build scenarios.Build, c climate, seen *ordersTally, s stock) func(*rapid.T) {
	return func(t *rapid.T) {
		m := newOrdersMachine(t, habits{build: build, stock: s}, c)
		m.lenient = build != nil
		m.prologue()
		for range 10 + m.die(60, "deeds") {
			m.next(t)
			m.check()
		}
		m.end()
		if seen != nil {
			seen.add(m.trail)
		}
	}
}

// check looks at what has to hold at every step.
func (m *ordersMachine) check() {
	if m.view.wrong != "" {
		m.t.Fatal(m.view.wrong)
	}
	sum := map[pix.EndToEndID]pix.Amount{}
	for _, x := range m.psp.Refunds() {
		if x.Status == pix.RefundFailed {
			continue
		}
		sum[x.EndToEndID] += x.Amount
		if p, _ := m.psp.Payment(x.EndToEndID); sum[x.EndToEndID] > p.Amount {
			m.t.Fatalf("the PSP returns %d cents of Pix %s, which brought %d", sum[x.EndToEndID], x.EndToEndID, p.Amount)
		}
	}
	var all pix.Amount
	for account, cents := range m.view.balance {
		all += cents
		if stored := m.store.Balance(account); stored != cents {
			m.t.Fatalf("%s stands at %d cents, its entries sum to %d", account, stored, cents)
		}
	}
	if all != 0 {
		m.t.Fatalf("the accounts sum to %d cents", all)
	}
}

// end lets the day end and compares.
func (m *ordersMachine) end() {
	m.trail.closed = true
	for i := range m.instances {
		m.mustRevive(i)
	}
	if m.oneIn(2, "the rest is delivered") {
		for _, item := range slices.Clone(m.notices) {
			m.within = true // nothing befalls it
			m.bring(item)
		}
	}
	m.within = false
	m.must(m.heal())
	m.check()
	m.must(m.psp.Check())
	for _, wrong := range []string{m.lineByLine(), m.intentions(), m.atRest(), m.view.casesAreSuspense()} {
		if wrong != "" {
			m.t.Fatal(wrong)
		}
	}
	if wrong := readBooks(m.store).complaint(m.store); wrong != "" {
		m.t.Fatal(wrong)
	}
}

// lineByLine says where ledger and statement part.
func (m *ordersMachine) lineByLine() string {
	left := maps.Clone(m.view.lines)
	for _, l := range m.psp.Statement(time.Time{}, m.now.Add(time.Hour)) {
		at := ledgerLine{l.EndToEndID, ""}
		if l.Kind == pix.KindRefundOut {
			at.refund = pix.ReturnID(l.ID)
		} else if n := m.view.credits[l.EndToEndID]; n != 1 {
			return fmt.Sprintf("Pix %s was credited %d times", l.EndToEndID, n)
		}
		if got := left[at]; got != pix.Amount(l.Signed()) {
			return fmt.Sprintf("%s %s %s: %d cents in the ledger, %d in the statement", l.Kind, l.EndToEndID, l.ID, got, l.Signed())
		}
		delete(left, at)
	}
	for at, cents := range left {
		if cents != 0 {
			return fmt.Sprintf("the ledger has %d cents for %s %s, the statement nothing", cents, at.id, at.refund)
		}
	}
	if got := m.view.balance[receiver.AccountSettlement]; got != m.psp.Balance() {
		return fmt.Sprintf("the ledger stands at %d cents, the account at %d", got, m.psp.Balance())
	}
	return ""
}

// intentions says which refund that the merchant asked for did not go out as
// often as it says, or what went out in the merchant's name unasked.
func (m *ordersMachine) intentions() string {
	claimed := map[pix.ReturnID]bool{}
	for _, r := range m.asked {
		x, stored := m.view.refunds[r.id]["ref "+r.reference]
		if !stored {
			continue
		}
		made := 0
		for _, d := range m.psp.Refunds() {
			mine := d.EndToEndID == r.id && (d.ReturnID == x.ReturnID ||
				m.view.ids[r.reference][d.ID] && !m.inApp[ledgerRefund{d.EndToEndID, d.ID}])
			if !mine || d.Status != pix.RefundReturned {
				continue
			}
			made++
			claimed[d.ReturnID] = true
			if d.Amount != x.Amount {
				return fmt.Sprintf("refund %s of %d cents went out with %d", r.reference, x.Amount, d.Amount)
			}
		}
		if want := map[receiver.RefundState]int{receiver.RefundReturned: 1, receiver.RefundFailed: 0}[x.State]; !x.State.Final() || made != want {
			return fmt.Sprintf("refund %s is %s and the PSP made it %d times", r.reference, x.State, made)
		}
	}
	for _, d := range m.psp.Refunds() {
		if d.Status == pix.RefundReturned && d.Nature == pix.NatureOriginal && !claimed[d.ReturnID] && !m.inApp[ledgerRefund{d.EndToEndID, d.ID}] {
			return fmt.Sprintf("the PSP returned %d cents of Pix %s as %s, and nobody asked for it", d.Amount, d.EndToEndID, d.ID)
		}
	}
	return ""
}

// atRest says what is still in process.
func (m *ordersMachine) atRest() string {
	if cents := m.view.balance[receiver.AccountInProcess]; cents != 0 {
		return fmt.Sprintf("%d cents are still in process", -cents)
	}
	if cents := m.psp.Reserved(); cents != 0 {
		return fmt.Sprintf("the PSP holds %d cents for refunds", cents)
	}
	events, err := m.store.ListEvents(context.Background(), receiver.EventQuery{})
	m.must(err)
	for _, e := range events { // all of them are genuine
		if e.State != receiver.EventProcessed {
			return fmt.Sprintf("event %s is %s: %s", e.Key, e.State, e.Reason)
		}
	}
	for _, o := range m.view.outbox {
		if !o.Sent {
			return fmt.Sprintf("the merchant was not told of %s of Pix %s", o.Kind, o.EndToEndID)
		}
	}
	return ""
}

// repeating is a test whose last line, if it fails, says how to repeat it.
type repeating struct {
	*testing.T
	heard bool
}

// Errorf listens for the seed that rapid prints.
func (r *repeating) Errorf(format string, args ...any) {
	r.T.Helper()
	r.T.Errorf(format, args...)
	seed := regexp.MustCompile(`-rapid\.seed=\d+`).FindString(fmt.Sprintf(format, args...))
	if seed == "" || r.heard {
		return
	}
	r.heard = true
	r.T.Cleanup(func() {
		parts := strings.Split(r.T.Name(), "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		r.T.Logf("repeat: go test ./proptest/ -run '%s' %s", strings.Join(parts, "/"), seed)
	})
}

// The same machine notices receivers that are wrong in one known way.
func TestOrdersOfRefundsCanFail(t *testing.T) {
	huntFlags(t)
	for name, want := range map[string]string{
		"early-refund-dropped": `cents in the ledger, -\d+ in the statement`,
		"timeout-is-failure":   `is failed and the PSP made it 1 times`,
		"cap-without-lock":     `refunds of Pix \w+ come to \d+ cents, it brought|answered with 202, the books say 422`,
		"snapshot-overwrites":  `went from (returned|failed) to|cents in process, its refunds|does not come to rest`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, ok := broken.ByName(name)
			if !ok {
				t.Fatalf("no broken receiver is called %s", name)
			}
			tr := try(t, refundsInAnyOrder(rec.Build, climate{early: 5, trouble: 3, fate: 3}, nil, stockFor(t, name)))
			if !tr.failed || !regexp.MustCompile(want).MatchString(tr.last()) {
				t.Fatalf("want %q of a receiver that %s; got:\n%s", want, rec.Doc, tr.output())
			}
			t.Logf("%s\n%s: %s", strings.SplitN(tr.output(), ":", 2)[0], tr.last(), rec.Doc)
		})
	}
}
