package proptest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// climate says of how many in ten something is so.
type climate struct {
	early   int // Pix whose refund is told of before anything else is
	trouble int // calls about refunds that meet trouble
	fate    int // deeds during which a process dies, fails or is interrupted
}

// ordersMachine is the merchant, the payers, their banks, the PSP's courier and fate.
type ordersMachine struct {
	*ordersLab
	climate
	t         *rapid.T
	sales     []saleAsked
	strangers []saleAsked // codes that were paid and that nobody has registered
	asked     []refundAsked
	payments  int
	apps      int
	cases     []fakepsp.DisputeOrder
	inApp     map[ledgerRefund]bool
	terms     map[ledgerRefund]fakepsp.RefundTerms
	within    bool // a deed within another's
	// lenient is for broken receivers: what they answer to the merchant is not
	// looked at, so that what is found is what their money does.
	lenient bool
}

// refundAsked is a refund that the merchant asked for.
type refundAsked struct {
	reference string
	id        pix.EndToEndID
	cents     pix.Amount
}

type ledgerRefund struct {
	of pix.EndToEndID
	id pix.RefundID
}

func newOrdersMachine(t *rapid.T, ways habits, c climate) *ordersMachine {
	m := &ordersMachine{climate: c, t: t, inApp: map[ledgerRefund]bool{}, terms: map[ledgerRefund]fakepsp.RefundTerms{}}
	ways.lag = time.Duration(rapid.Int64Range(0, 120_000).Draw(t, "lag")) * time.Millisecond
	ways.page = pick(m, "page", []int{100, 3, 1})
	ways.repeat = pick(m, "repeat", []string{fakepsp.RefundRepeatSame, fakepsp.RefundRepeatRefused, fakepsp.RefundRepeatConflict})
	hides := []time.Duration{0, 0, 3 * time.Second, 20 * time.Minute}
	ways.hidePix = pick(m, "a Pix is hidden", hides)
	ways.hideDev = pick(m, "a refund is hidden", hides)
	ways.terms, ways.log = m.termsOf, t.Logf
	var err error
	if m.ordersLab, err = newOrdersLab(t, ways); err != nil {
		t.Fatal(err)
	}
	return m
}

// deeds are what can happen next, those twice that should happen more often.
func (m *ordersMachine) deeds() []deed {
	work := deed{"work", func() { m.orElse(receiver.QueueInbox, func() { m.turn(receiver.DutySweep) }) }}
	send := deed{"send", func() { m.orElse(receiver.QueueRefunds, m.ask) }}
	notices, ask, goOn := deed{"notices", m.deliver}, deed{"a refund is asked for", m.ask}, deed{"the PSP goes on", m.goOn}
	return []deed{
		{"nothing", func() {}}, notices, work, send, ask, goOn, {"the bank refunds", m.bankRefunds}, {"duty", m.duty}, {"time passes", m.wait},
		notices, work, send, ask, goOn, {"refunds are asked for", m.askMany}, {"reconcile", func() { m.turn(receiver.DutyReconcile) }},
		notices, work, send, {"MED is reported", m.report}, {"trouble on the line", m.arm}, {"a notice is lost", m.lose},
		{"a Pix settles", func() { m.settle(false) }}, {"a refund is asked for again", m.askAgain}, {"a sale is made", m.register},
		{"the receiver hears of MED", m.memo}, {"crash", func() { m.mustRevive(m.instance()) }},
	}
}

// deed is something that happens.
type deed struct {
	name string
	do   func()
}

// next draws a deed and does it.
func (m *ordersMachine) next(t *rapid.T) {
	d := pick(m, "deed", m.deeds())
	t.Logf("%s", d.name)
	d.do()
}

// die draws a number below n, all alike; rapid's own ranges love the small ones.
func (m *ordersMachine) die(n int, what string) int {
	return rapid.Custom(func(t *rapid.T) int {
		x := 0
		for range 8 {
			x *= 2
			if rapid.Bool().Draw(t, "bit") {
				x++
			}
		}
		return x % n
	}).Draw(m.t, what)
}

// pick draws one of a list, all alike.
func pick[T any](m *ordersMachine, what string, of []T) T { return of[m.die(len(of), what)] }

func (m *ordersMachine) oneIn(n int, what string) bool { return m.die(n, what) == n-1 }

func (m *ordersMachine) ofTen(n int, what string) bool { return m.die(10, what) >= 10-n }

func (m *ordersMachine) instance() int { return m.die(2, "instance") }

func (m *ordersMachine) must(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *ordersMachine) mustRevive(i int) { m.must(m.revive(i)) }

// fated does something on an instance, whose process may die, fail or be
// interrupted on the way. True: it was left alone, and what came of it counts.
func (m *ordersMachine) fated(i int, do func(context.Context)) (alone bool) {
	m.now = m.now.Add(7 * time.Millisecond)
	if m.within || !m.ofTen(m.fate, "fate") {
		met := m.met
		do(context.Background())
		m.must(m.hear())
		return m.met == met && !m.within
	}
	l := m.lives[i]
	l.moves = m.die(12, "moves")
	dies := false
	switch m.die(5, "kind of fate") {
	case 0, 1:
		l.fate = func(at move) error { m.meanwhile(); return nil }
	case 2:
		l.fate = trouble
	case 3:
		dies = true
		l.fate = func(move) error { l.dead = true; panic(death{}) }
	default:
		dies = true
		l.fate = func(move) error { l.dead = true; return errDied }
	}
	survived(do)
	l.fate = nil
	if dies {
		m.mustRevive(i)
	}
	m.must(m.hear())
	return false
}

// survived does something at whose end a process may be dead.
func survived(do func(context.Context)) {
	defer func() {
		if r := recover(); r != nil {
			if _, died := r.(death); !died {
				panic(r)
			}
		}
	}()
	do(context.Background())
}

// meanwhile is what happens elsewhere while a process is held up.
func (m *ordersMachine) meanwhile() {
	m.within = true
	defer func() { m.within = false }()
	m.must(m.hear())
	for range rapid.IntRange(1, 3).Draw(m.t, "meanwhile") {
		pick(m, "deed", []func(){
			m.deliver,
			func() { m.turn(receiver.QueueInbox) },
			func() { m.turn(receiver.QueueRefunds) },
			m.ask,
			m.duty,
			m.bankRefunds,
			m.goOn,
			func() { m.now = m.now.Add(31 * time.Second) }, // the lease is over
		})()
	}
}

// anyPix is one of the Pix that settled; the first are as good as the last.
func (m *ordersMachine) anyPix() (pix.Payment, bool) {
	settled := m.psp.Settled()
	n := m.die(5, "which Pix")
	if len(settled) == 0 {
		return pix.Payment{}, false
	}
	return m.psp.Payment(settled[n%len(settled)].EndToEndID)
}

// part is some of an amount, often all of it, half of it or a cent too much.
func (m *ordersMachine) part(of pix.Amount) pix.Amount {
	return max(1, pick(m, "part", []pix.Amount{of, of / 2, of/2 + 1, of / 3, 1, of + 1, of - 1}))
}

func (m *ordersMachine) ask() {
	p, ok := m.anyPix()
	if !ok {
		return
	}
	if !m.within && m.ofTen(5, "swept before") {
		m.must(m.revive(0)) // a fresh process, whose sweep has no fate
		m.now = m.now.Add(2 * time.Minute)
		m.until(receiver.DutySweep)
		m.sideStep(receiver.DutySweep)
		m.sideStep(receiver.QueueInbox)
	}
	m.put(refundAsked{fmt.Sprintf("DEV-%d", len(m.asked)+1), p.EndToEndID, m.part(p.Amount)})
}

// sideStep is a turn that nothing befalls; trouble on the line may.
func (m *ordersMachine) sideStep(q receiver.Queue) {
	met := m.met
	if err := m.step(context.Background(), 0, q); err != nil && m.met == met {
		m.t.Fatalf("%s: %v", q, err)
	}
}

// askMany asks for more than there is of one Pix, on both instances.
func (m *ordersMachine) askMany() {
	p, ok := m.anyPix()
	if !ok {
		return
	}
	for range rapid.IntRange(2, 4).Draw(m.t, "requests") {
		m.put(refundAsked{fmt.Sprintf("DEV-%d", len(m.asked)+1), p.EndToEndID, p.Amount/2 + 1})
	}
}

// askAgain repeats a request, word by word or for another amount.
func (m *ordersMachine) askAgain() {
	n := m.die(10, "which")
	other := m.oneIn(3, "another amount")
	if len(m.asked) == 0 {
		return
	}
	r := m.asked[n%len(m.asked)]
	if other {
		r.cents++
	}
	m.put(r)
}

// put posts a request and wants the answer that the books give, where nothing
// came between.
func (m *ordersMachine) put(r refundAsked) {
	i := m.instance()
	if !slices.ContainsFunc(m.asked, func(o refundAsked) bool { return o.reference == r.reference }) {
		m.asked = append(m.asked, r)
	}
	body := fmt.Appendf(nil, `{"reference":%q,"endToEndId":%q,"amount":%q}`, r.reference, r.id, r.cents)
	var got, want int
	alone := m.fated(i, func(ctx context.Context) {
		want = m.due(r)
		got = m.send(ctx, i, http.MethodPost, "/refunds", nil, body).Code
	})
	if alone && got != want && !m.lenient {
		m.t.Fatalf("refund %s of %s was answered with %d, the books say %d", r.reference, r.cents, got, want)
	}
}

// due is the answer that a request for a refund is due.
func (m *ordersMachine) due(r refundAsked) int {
	for id, rows := range m.view.refunds {
		if x, known := rows["ref "+r.reference]; known {
			if id == r.id && x.Amount == r.cents {
				return http.StatusAccepted
			}
			return http.StatusUnprocessableEntity
		}
	}
	p, booked := m.view.payments[r.id]
	switch {
	case !booked || !p.Confirmed:
		return http.StatusConflict
	case m.now.After(p.PaidAt.Add(receiver.RefundWindow)),
		r.cents > m.view.holdings(r.id).Total(), r.cents > m.view.free():
		return http.StatusUnprocessableEntity
	}
	return http.StatusAccepted
}

// memo tells the receiver of a case's block, or of its end, in any order.
func (m *ordersMachine) memo() {
	n, released := m.die(6, "which"), m.oneIn(2, "released")
	if len(m.cases) == 0 {
		return
	}
	c := m.cases[n%len(m.cases)]
	body := fmt.Appendf(nil, `{"id":%q,"endToEndId":%q,"amount":%q,"released":%t}`, c.ID, c.EndToEndID, c.Amount, released)
	i := m.instance()
	m.fated(i, func(ctx context.Context) { m.send(ctx, i, http.MethodPost, "/memos", nil, body) })
}

// deliver brings some notices in one body: the newest, older ones, one twice.
func (m *ordersMachine) deliver() {
	var items [][]byte
	for _, back := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 3).Draw(m.t, "how far back") {
		if n := len(m.notices); n > 0 {
			items = append(items, m.notices[n-1-back%n])
		}
	}
	m.bring(items...)
}

func (m *ordersMachine) bring(items ...[]byte) {
	i, status := m.instance(), 0
	alone := m.fated(i, func(ctx context.Context) { status = m.callback(ctx, i, m.secret, grouped(items)) })
	if alone && status != http.StatusOK {
		m.t.Fatalf("a genuine callback was answered with %d", status)
	}
}

func (m *ordersMachine) lose() {
	at := m.die(10, "which")
	if n := len(m.notices); n > 0 {
		m.notices = slices.Delete(m.notices, at%n, at%n+1)
	}
}

// turn moves the clock to where a queue has work, if it has, and does it.
func (m *ordersMachine) turn(q receiver.Queue) {
	if !m.within || m.oneIn(2, "in time") {
		m.until(q)
	}
	i := m.instance()
	var err error
	alone := m.fated(i, func(ctx context.Context) { err = m.step(ctx, i, q) })
	if alone && err != nil && q != receiver.DutyReconcile { // which stops where something waits
		m.t.Fatalf("%s: %v", q, err)
	}
}

// orElse does a turn of a queue that has work, and something else where it has none.
func (m *ordersMachine) orElse(q receiver.Queue, other func()) {
	if _, ok, err := m.store.NextDue(context.Background(), q); err == nil && !ok {
		other()
		return
	}
	m.turn(q)
}

func (m *ordersMachine) duty() {
	m.turn(pick(m, "duty", []receiver.Queue{
		receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.OutboxQueue(receiver.DefaultEndpoint),
	}))
}

// arm puts trouble in the way of the next calls of a kind.
func (m *ordersMachine) arm() {
	kind := pick(m, "calls", []callKind{putRefundCall, putRefundCall, getRefundCall, getPixCall, listCall})
	for range rapid.IntRange(1, 3).Draw(m.t, "calls struck") {
		m.armed[kind] = append(m.armed[kind], pick(m, "trouble", []callTrouble{
			{0, true}, {0, false}, {500, true}, {503, false}, {504, true}, {429, false}, {409, false},
		}))
	}
}

func (m *ordersMachine) wait() {
	m.now = m.now.Add(pick(m, "for", []time.Duration{
		50 * time.Millisecond, 2 * time.Second, time.Minute, 20 * time.Minute, 2 * time.Hour, 26 * time.Hour, 40 * 24 * time.Hour,
	}))
	m.must(m.hear())
}

// prologue settles the first Pix, and has some of them refunded and told of so
// at once.
func (m *ordersMachine) prologue() {
	for range 1 + m.die(3, "Pix") {
		early := m.ofTen(m.early, "early")
		id, ok := m.settle(early)
		p, _ := m.psp.Payment(id)
		if !ok || !early {
			continue
		}
		known := len(m.notices)
		if m.oneIn(2, "by MED") {
			m.dispute(p)
		} else {
			m.bankRefund(p)
		}
		if len(m.notices) == known {
			m.goOn()
		}
		if len(m.notices) > known {
			m.bring(m.notices[len(m.notices)-1])
			m.turn(receiver.QueueInbox)
		}
		m.check()
	}
	for range m.trouble {
		if m.oneIn(3, "trouble from the start") {
			m.arm()
		}
	}
}
