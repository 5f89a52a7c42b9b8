package live

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// machine is the PSP with its clock, its plan and its journal, under one lock.
// Whoever holds the lock has the PSP to himself, so its tally and its observer
// need no lock of their own.
type machine struct {
	opt   Options
	idKey []byte         // of the ids that the PSP makes
	self  fakepsp.Client // the lab's own

	mu      sync.Mutex
	now     time.Time // of the entry that is going on
	psp     *fakepsp.PSP
	journal *journal
	past    []pastCall // while a plan with faults can still come
	moved   bool       // money did
	run     *run       // the plan that was applied, or nil

	courierBell, timetableBell bell
}

func newMachine(o Options) (*machine, error) {
	m := &machine{
		opt: o, idKey: []byte(rand.Text()), self: fakepsp.Client{ID: insider, Secret: rand.Text()},
		journal: &journal{}, courierBell: newBell(), timetableBell: newBell(),
	}
	m.tick()
	var err error
	m.psp, err = m.newPSP(nil)
	return m, err
}

// newPSP is a PSP without a past. Where r is not nil its faults strike.
func (m *machine) newPSP(r *run) (*fakepsp.PSP, error) {
	o := m.opt
	cfg := fakepsp.Config{
		PixKeys: o.PixKeys, Now: func() time.Time { return m.now }, Start: m.now,
		Retry: o.Retry, CallbackTimeout: o.CallbackTimeout, StatementLag: o.StatementLag, TokenTTL: o.TokenTTL,
		Secret: o.Secret, Clients: append([]fakepsp.Client{m.self}, o.Clients...), RefundRepeat: o.RefundRepeat,
		Subject: m.subject, Terms: m.terms, NewID: m.newID, Observe: m.journal,
		PayoutIDs: o.PayoutIDs, PayoutKeyTTL: o.PayoutKeyTTL, PayoutTerms: m.payoutTerms,
	}
	if r != nil {
		cfg.Start, cfg.Faults, cfg.Tally = r.began, r.faults, r.tally
		r.payoutHabits(&cfg)
	}
	return fakepsp.New(cfg)
}

// tick moves the clock. It follows the machine's, but never back: where that is
// put back, it stands still until the other has caught up.
func (m *machine) tick() {
	if t := time.Now().UTC().Round(0); t.After(m.now) {
		m.now = t
	}
}

// do enters the PSP at one instant. What fn did may have made a callback due.
func (m *machine) do(fn func(p *fakepsp.PSP)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	fn(m.psp)
	m.courierBell.ring()
}

// handle answers a call of the API whose body was read already.
func (m *machine) handle(r *http.Request, body []byte) (reply fakepsp.Reply) {
	m.do(func(*fakepsp.PSP) { reply = m.act(r, body) })
	return reply
}

// act has the PSP act on a call, and keeps what a reborn one has to know. The
// lock is held.
func (m *machine) act(r *http.Request, body []byte) fakepsp.Reply {
	r.Body = newBody(body)
	reply := m.psp.Handle(r)
	if m.run == nil && !m.moved && r.Method != http.MethodGet && reply.Status >= 200 && reply.Status <= 299 {
		m.past = append(m.past, pastCall{m.now, r.Method, r.URL.RequestURI(), pickHeader(r.Header), body})
	}
	return reply
}

// newID makes ids that no other process makes: a receiver keeps those of
// earlier ones.
func (m *machine) newID(kind, key string, n int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	const fair = 256 / len(alphabet) * len(alphabet) // above it, some would come more often
	out := make([]byte, 0, n)
	for block := 0; len(out) < n; block++ {
		mac := hmac.New(sha256.New, m.idKey)
		mac.Write([]byte(kind + "\x00" + key + "\x00" + strconv.Itoa(block)))
		for _, b := range mac.Sum(nil) {
			if int(b) < fair && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// subject is the plan's name of what an id stands for.
func (m *machine) subject(id string) string {
	if m.run == nil {
		return ""
	}
	return m.run.subjects[id]
}

// terms is what the plan wants of a refund that the merchant asks for.
func (m *machine) terms(of pix.EndToEndID, id pix.RefundID) fakepsp.RefundTerms {
	if m.run == nil {
		return fakepsp.RefundTerms{NotifyAfter: refundNotice}
	}
	return m.run.terms(of, id)
}

// refundNotice is when the end of a refund that no plan knows is told of.
const refundNotice = 200 * time.Millisecond

// heal ends all faults, and counts those that there were.
func (m *machine) heal() Faults {
	m.do(func(p *fakepsp.PSP) {
		p.Heal()
		if m.run != nil {
			m.run.faults.Heal()
		}
	})
	return m.faults()
}

// faults counts the plan's deviations, and those that showed.
func (m *machine) faults() Faults {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Faults{Kinds: []FaultKind{}}
	if m.run == nil {
		return out
	}
	out.Planned, out.Fired, out.Healed = m.run.tally.Planned(), m.run.tally.Fired(), m.run.faults.Healed()
	for _, k := range m.run.tally.Counts() {
		out.Kinds = append(out.Kinds, FaultKind(k))
	}
	return out
}
