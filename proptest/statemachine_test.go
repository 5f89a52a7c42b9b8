package proptest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
)

// In whatever order charges, payments, callbacks, losses, sweeps, work, crashes
// and reconciliations come, no Pix is ever credited twice and the books
// balance; and at the day's end each settled Pix is credited once and ledger
// and statement agree.
func TestAnyOrderOfEventsCreditsExactlyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, anyOrder(nil, true, stockOf(t)))
}

// anyOrder is the property of a receiver; nil is the reference. With lies the
// PSP's own key also signs amounts that are not so, and Pix that never settle.
func anyOrder(build scenarios.Build, lies bool, s stock) func(*rapid.T) {
	return func(t *rapid.T) {
		lag := time.Duration(rapid.Int64Range(0, 120_000).Draw(t, "lag")) * time.Millisecond
		h, err := newHand(t, s, build, lag, rapid.SampledFrom([]int{100, 3, 1}).Draw(t, "page"))
		if err != nil {
			t.Fatal(err)
		}
		m := &machine{hand: h, lost: map[int]bool{}}
		actions := m.actions()
		if !lies {
			delete(actions, "altered")
			delete(actions, "phantom")
		}
		t.Repeat(actions)
		m.end(t)
	}
}

// machine is the merchant, the payers, the PSP's courier and fate.
type machine struct {
	*hand
	asked    []saleAsked
	lost     map[int]bool // callbacks, by the Pix's place in the truth, that are lost for good
	payments int
	phantoms int
}

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":          m.check,
		"charge":    m.ask,
		"pay":       m.pay,
		"deliver":   m.deliver,
		"altered":   m.altered,
		"phantom":   m.phantom,
		"forged":    m.forged,
		"lose":      m.lose,
		"work":      m.work,
		"duty":      m.duty,
		"reconcile": m.reconcile,
		"crash":     m.crash,
		"wait":      m.wait,
		"remove":    m.remove,
	}
}

func (m *machine) check(t *rapid.T) {
	if wrong := readBooks(m.store).complaint(m.store); wrong != "" {
		t.Fatal(wrong)
	}
}

// life is the context of a process that may die during what it does next, and
// whether it does. What comes of a process that died is not looked at.
func (m *machine) life(t *rapid.T) (ctx context.Context, dies bool) {
	if dies = rapid.IntRange(0, 3).Draw(t, "dies") == 3; dies {
		return newMortal(rapid.IntRange(0, 10).Draw(t, "moves")), true
	}
	return context.Background(), false
}

func (m *machine) instance(t *rapid.T) int { return rapid.IntRange(0, 1).Draw(t, "instance") }

// afterlife builds the instance anew that has died.
func (m *machine) afterlife(t *rapid.T, i int, dies bool) {
	if !dies {
		return
	}
	if err := m.rebuild(i); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) ask(t *rapid.T) {
	c := saleAsked{
		reference: fmt.Sprintf("PED-%d", len(m.asked)),
		kind:      rapid.SampledFrom([]receiver.ChargeKind{receiver.ChargeDynamic, receiver.ChargeStatic}).Draw(t, "kind"),
		due:       pix.Amount(rapid.Int64Range(1, 100_000).Draw(t, "due")),
	}
	m.asked = append(m.asked, c)
	ctx, dies := m.life(t)
	i := m.instance(t)
	if status := m.charge(ctx, i, c); !dies && status != http.StatusCreated {
		t.Fatalf("charge %s was answered with %d", c.reference, status)
	}
	m.afterlife(t, i, dies)
}

// anyAsked is one of the charges asked for; drawn from a range of its own, so
// that fewer charges leave the draw good.
func (m *machine) anyAsked(t *rapid.T) (saleAsked, bool) {
	n := rapid.IntRange(0, 9).Draw(t, "charge")
	if len(m.asked) == 0 {
		return saleAsked{}, false
	}
	return m.asked[n%len(m.asked)], true
}

// pay has a payer try: a charge of ours, mostly to the cent, or the bare key.
func (m *machine) pay(t *rapid.T) {
	order := fakepsp.PayOrder{
		EndToEndID: m.newID("p", m.payments), PixKey: ourKey,
		Amount: pix.Amount(rapid.Int64Range(1, 100_000).Draw(t, "cents")),
		Lax:    rapid.IntRange(0, 3).Draw(t, "lax") == 3,
	}
	m.payments++
	if c, ok := m.anyAsked(t); ok && rapid.IntRange(0, 4).Draw(t, "bare") < 4 {
		order.TxID, order.Static = m.txid(c), c.kind == receiver.ChargeStatic
		if !order.Lax {
			order.Amount = c.due
		}
	}
	var void *fakepsp.NotPayable
	if _, err := m.psp.Pay(order); err != nil && !errors.As(err, &void) {
		t.Fatal(err)
	}
}

func (m *machine) newID(kind string, n int) pix.EndToEndID {
	return pix.EndToEndID("E99999008" + m.now.Format("200601021504") + kind + fmt.Sprintf("%010d", n))
}

// anyTold are some settled Pix whose callback is not lost: the newest, older
// ones, the same one several times over.
func (m *machine) anyTold(t *rapid.T, most int) []pix.Payment {
	settled := m.settled()
	var out []pix.Payment
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 19), 1, most).Draw(t, "which") {
		if len(settled) == 0 {
			break
		}
		if n %= len(settled); !m.lost[n] {
			out = append(out, settled[n])
		}
	}
	return out
}

func (m *machine) deliver(t *rapid.T) {
	told := m.anyTold(t, 4)
	ctx, dies := m.life(t)
	i := m.instance(t)
	if status := m.callback(ctx, i, m.secret, pix.EncodeCallback(told)); !dies && status != http.StatusOK {
		t.Fatalf("a genuine callback was answered with %d", status)
	}
	m.afterlife(t, i, dies)
}

// altered tells of settled Pix under the right signature and another amount.
func (m *machine) altered(t *rapid.T) {
	told := m.anyTold(t, 2)
	for i := range told {
		told[i].Amount = pix.Amount(rapid.Int64Range(1, 100_000).Draw(t, "says"))
	}
	m.callback(context.Background(), m.instance(t), m.secret, pix.EncodeCallback(told))
}

// phantom tells of a Pix that never settles, and that would pay a charge exactly.
func (m *machine) phantom(t *rapid.T) {
	c, ok := m.anyAsked(t)
	if !ok {
		return
	}
	p := pix.Payment{
		EndToEndID: m.newID("f", m.phantoms), TxID: m.txid(c), Amount: c.due, PixKey: ourKey,
		PaidAt: m.now.Truncate(time.Millisecond),
	}
	m.phantoms++
	m.callback(context.Background(), m.instance(t), m.secret, pix.EncodeCallback([]pix.Payment{p}))
}

// forged tells of settled Pix in the name of the PSP, without its key.
func (m *machine) forged(t *rapid.T) {
	body := pix.EncodeCallback(m.anyTold(t, 2))
	before := m.store.Dump()
	status := m.callback(context.Background(), m.instance(t), pix.Secret{ID: "k1", Key: []byte("somebody else's key")}, body)
	if after := m.store.Dump(); status != http.StatusUnauthorized || len(after.Events) != len(before.Events) {
		t.Fatalf("a forged callback was answered with %d", status)
	}
}

func (m *machine) lose(t *rapid.T) {
	if n := len(m.settled()); n > 0 {
		m.lost[rapid.IntRange(0, 19).Draw(t, "which")%n] = true
	}
}

func (m *machine) work(t *rapid.T) {
	m.run(t, rapid.SampledFrom([]receiver.Queue{
		receiver.QueueInbox, receiver.QueueInbox, receiver.QueueCharges, receiver.OutboxQueue(receiver.DefaultEndpoint),
	}).Draw(t, "queue"))
}

func (m *machine) duty(t *rapid.T) {
	m.run(t, rapid.SampledFrom([]receiver.Queue{
		receiver.DutySweep, receiver.DutyPending, receiver.DutyRegister,
	}).Draw(t, "queue"))
}

func (m *machine) reconcile(t *rapid.T) {
	m.until(receiver.DutyReconcile)
	m.run(t, receiver.DutyReconcile)
}

// run moves the clock to where a queue has work, if it has, and does one turn
// of it; the process may die on the way.
func (m *machine) run(t *rapid.T, q receiver.Queue) {
	m.until(q)
	ctx, dies := m.life(t)
	i := m.instance(t)
	if err := m.step(ctx, i, q); err != nil && !dies {
		t.Fatalf("%s: %v", q, err)
	}
	m.afterlife(t, i, dies)
}

// crash kills an instance at rest.
func (m *machine) crash(t *rapid.T) { m.afterlife(t, m.instance(t), true) }

func (m *machine) wait(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.Int64Range(1, 7_200_000).Draw(t, "ms")) * time.Millisecond)
}

func (m *machine) remove(t *rapid.T) {
	c, ok := m.anyAsked(t)
	if !ok {
		return
	}
	ctx, dies := m.life(t)
	i := m.instance(t)
	m.send(ctx, i, http.MethodDelete, "/charges/"+c.reference, nil, nil)
	m.afterlife(t, i, dies)
}

// end lets the day end and compares.
func (m *machine) end(t *rapid.T) {
	if err := m.hand.settle(); err != nil {
		t.Fatal(err)
	}
	m.check(t)
	if wrong := readBooks(m.store).difference(m.settled(), m.psp.Balance()); wrong != "" {
		t.Fatal(wrong)
	}
	events, err := m.events()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.State != receiver.EventProcessed && e.State != receiver.EventQuarantined {
			t.Fatalf("event %s is still %s", e.Key, e.State)
		}
	}
	if err := m.psp.Check(); err != nil {
		t.Fatal(err)
	}
}

// A Pix whose event lay in the inbox through two reconciliations, since no
// worker ran, and was then booked at once with an amount that the PSP had
// misstated, is brought to the statement by the next.
func TestReconciliationAfterWorkersStoodStill(t *testing.T) {
	h, err := newHand(t, stockOf(t), nil, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c := saleAsked{reference: "PED-0", kind: receiver.ChargeDynamic, due: 2_00}
	h.charge(ctx, 0, c)
	paid, err := h.psp.Pay(fakepsp.PayOrder{
		EndToEndID: "E99999008202603021200p0000000000", TxID: h.txid(c), PixKey: ourKey, Amount: 1_00, Lax: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	misstated := paid.Pix.Payment
	misstated.Amount = c.due
	if status := h.callback(ctx, 0, h.secret, pix.EncodeCallback([]pix.Payment{misstated})); status != http.StatusOK {
		t.Fatalf("the callback was answered with %d", status)
	}
	for range 2 {
		h.until(receiver.DutyReconcile)
		if err := h.step(ctx, 0, receiver.DutyReconcile); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.settle(); err != nil {
		t.Fatal(err)
	}
	if wrong := readBooks(h.store).difference(h.settled(), h.psp.Balance()); wrong != "" {
		t.Fatal(wrong)
	}
}

// The same machine finds receivers that are wrong without any race: it has no
// two threads, but it can kill. Two of them reconcile nothing, so to them the
// PSP tells no lies.
func TestAnyOrderCanFail(t *testing.T) {
	huntFlags(t)
	for name, want := range map[string]string{
		"dedupe-by-delivery":    "was credited 2 times",
		"seen-before-done":      "it was credited 0 times",
		"watermark-first":       "it was credited 0 times",
		"signature-not-checked": "a forged callback was answered with 200",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, ok := broken.ByName(name)
			if !ok {
				t.Fatalf("no broken receiver is called %s", name)
			}
			tr := try(t, anyOrder(rec.Build, false, stockFor(t, name)))
			if !tr.failed || !strings.Contains(tr.last(), want) {
				t.Fatalf("want %q of a receiver that %s; got:\n%s", want, rec.Doc, tr.output())
			}
			t.Logf("%s\n%s: %s", strings.SplitN(tr.output(), ":", 2)[0], tr.last(), rec.Doc)
		})
	}
}
