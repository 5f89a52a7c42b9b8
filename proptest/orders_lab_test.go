package proptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// callKind is a kind of call that a trouble can meet.
type callKind string

const (
	putRefundCall callKind = "PUT refund"
	getRefundCall callKind = "GET refund"
	getPixCall    callKind = "GET pix"
	listCall      callKind = "list"
	otherCall     callKind = "other"
)

func kindOfCall(req *http.Request) callKind {
	switch refund := strings.Contains(req.URL.Path, "/devolucao/"); {
	case refund && req.Method == http.MethodPut:
		return putRefundCall
	case refund:
		return getRefundCall
	case strings.HasPrefix(req.URL.Path, "/v2/pix/"):
		return getPixCall
	case req.URL.Path == "/v2/pix" || req.URL.Path == "/extrato":
		return listCall
	}
	return otherCall
}

// callTrouble is what comes of one call. A status of 0 is a cut line; acts says
// that the PSP did what it was asked for before.
type callTrouble struct {
	status int
	acts   bool
}

// habits are what a PSP does one way and another does another.
type habits struct {
	lag     time.Duration // of the statement and the lists
	repeat  string        // see fakepsp.Config.RefundRepeat
	hidePix time.Duration // how long GET /pix/{e2eid} does not know a Pix
	hideDev time.Duration // the same of a refund
	page    int
	terms   func(pix.EndToEndID, pix.RefundID) fakepsp.RefundTerms
	build   scenarios.Build
	stock   stock
	log     func(format string, args ...any)
}

// ordersLab is a hand on which a process can die, fail or be interrupted at any
// move, on which calls meet trouble, and on which the PSP's notices lie in a
// heap until somebody delivers them.
type ordersLab struct {
	*hand
	habits
	view  *ordersView
	trail *trail
	lives [2]*life
	// notices are the items that the PSP has told of, each as it stood then.
	notices [][]byte
	armed   map[callKind][]callTrouble
	met     int // calls that met trouble
}

func newOrdersLab(t subject, ways habits) (*ordersLab, error) {
	if ways.build == nil {
		ways.build = scenarios.Reference().Build
	}
	l := &ordersLab{habits: ways, trail: newTrail(), armed: map[callKind][]callTrouble{}}
	l.hand = &hand{
		now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), seed: 1, pageSize: ways.page,
		secret: pix.Secret{ID: "k1", Key: []byte("a key that both sides hold")},
	}
	var err error
	l.psp, err = fakepsp.New(fakepsp.Config{
		PixKeys: []pix.PixKey{ourKey}, Now: l.time, Start: l.now, Retry: chaos.RetryTables()[0],
		StatementLag: ways.lag, Secret: l.secret, RefundRepeat: ways.repeat, Terms: ways.terms,
	})
	if err != nil {
		return nil, err
	}
	l.view = newOrdersView(func(id pix.EndToEndID) pix.Amount {
		p, _ := l.psp.Payment(id)
		return p.Amount
	})
	l.store, err = ways.stock.open(t, ourRules(), l.time, func(cs *receiver.ChangeSet) {
		l.view.follow(cs)
		l.trail.follow(cs)
		l.tell(cs)
	})
	if err != nil {
		return nil, err
	}
	for i := range l.instances {
		if err := l.revive(i); err != nil {
			return nil, err
		}
	}
	return l, l.step(context.Background(), 0, receiver.DutyRegister)
}

// tell takes down what a commit did to refunds and to the ledger.
func (l *ordersLab) tell(cs *receiver.ChangeSet) {
	for _, c := range cs.Refunds {
		if x := c.After; c.Before == nil || c.Before.State != x.State || c.Before.ID != x.ID {
			l.log("  %s refund %s%s of %s: %s, %s, rtrId %s", l.now.Format("02 15:04:05.000"), x.Reference, x.ID, x.EndToEndID, x.Amount, x.State, x.ReturnID)
		}
	}
	for _, c := range cs.Events {
		if e := c.After; c.Before == nil || c.Before.State != e.State || c.Before.Reason != e.Reason {
			l.log("  %s event %s: %s %s", l.now.Format("02 15:04:05.000"), e.Key, e.State, e.Reason)
		}
	}
	for _, tx := range cs.Transactions {
		l.log("  %s %s", l.now.Format("02 15:04:05.000"), tx.Reference)
	}
}

// revive builds an instance anew on the same store, as after a crash.
func (l *ordersLab) revive(i int) (err error) {
	l.lives[i] = &life{}
	cfg := l.config(i)
	cfg.HTTP, cfg.SweepBack = lifeWire{l.line, l.lives[i]}, 400*24*time.Hour
	l.instances[i], err = l.habits.build(scenarios.Env{Config: cfg, Store: lifeStore{l.store, l.lives[i]}, Workers: 1})
	return err
}

// line carries a call and takes it down.
func (l *ordersLab) line(req *http.Request) (*http.Response, error) {
	answer, err := l.carry(req)
	if kindOfCall(req) != otherCall {
		heard := "nothing"
		if err == nil {
			heard = fmt.Sprint(answer.StatusCode)
		}
		l.log("  %s %s %s, heard %s", l.now.Format("02 15:04:05.000"), req.Method, req.URL.Path, heard)
	}
	return answer, err
}

// carry carries a call, with the trouble that was put in its way.
func (l *ordersLab) carry(req *http.Request) (*http.Response, error) {
	kind := kindOfCall(req)
	next := l.armed[kind]
	if len(next) == 0 {
		if req.Method == http.MethodGet && l.hidden(req.URL.Path) {
			return written(req, http.StatusNotFound), nil
		}
		return handWire{l.hand}.Do(req)
	}
	l.armed[kind] = next[1:]
	l.met++
	if next[0].acts {
		if _, err := (handWire{l.hand}).Do(req); err != nil {
			return nil, err
		}
	}
	if next[0].status == 0 {
		return nil, errLine
	}
	return written(req, next[0].status), nil
}

func written(req *http.Request, status int) *http.Response {
	rec := httptest.NewRecorder()
	rec.WriteHeader(status)
	answer := rec.Result()
	answer.Request, answer.Body = req, io.NopCloser(strings.NewReader(""))
	return answer
}

// hidden says whether the PSP does not show yet what a GET asks for.
func (l *ordersLab) hidden(path string) bool {
	rest, ok := strings.CutPrefix(path, "/v2/pix/")
	if !ok {
		return false
	}
	id, refund, isRefund := strings.Cut(rest, "/devolucao/")
	p, _ := l.psp.Payment(pix.EndToEndID(id))
	if !isRefund {
		return l.now.Before(p.PaidAt.Add(l.hidePix))
	}
	for _, x := range p.Refunds {
		if x.ID == pix.RefundID(refund) {
			return l.now.Before(x.RequestedAt.Add(l.hideDev))
		}
	}
	return false
}

// hear lets the PSP do what is due and puts its notices on the heap.
func (l *ordersLab) hear() error {
	for a := l.psp.Take(); a != nil; a = l.psp.Take() {
		items, err := pix.ParseCallback(a.Body)
		if err != nil {
			return fmt.Errorf("the PSP's own callback: %w", err)
		}
		for _, it := range items {
			l.notices = append(l.notices, it.Raw)
		}
		l.psp.Done(a, fakepsp.Answer{Status: http.StatusOK})
	}
	return nil
}

// grouped is one callback of some items.
func grouped(items [][]byte) []byte {
	return []byte(`{"pix":[` + string(bytes.Join(items, []byte(","))) + `]}`)
}

// advance moves the clock to the next thing that the PSP does by itself.
func (l *ordersLab) advance() (bool, error) {
	if err := l.hear(); err != nil {
		return false, err
	}
	due, ok := l.psp.Due()
	if !ok {
		return false, nil
	}
	l.now = due
	return true, l.hear()
}

// rest works off whatever is due, refunds too, in the order in which it is due.
func (l *ordersLab) rest() error {
	for range 3_000 {
		var first receiver.Queue
		var at time.Time
		for _, q := range []receiver.Queue{receiver.QueueInbox, receiver.QueueCharges, receiver.QueueRefunds, receiver.OutboxQueue(receiver.DefaultEndpoint)} {
			due, ok, err := l.store.NextDue(context.Background(), q)
			if err != nil {
				return err
			}
			if ok && (first == "" || due.Before(at)) {
				first, at = q, due
			}
		}
		if first == "" {
			return nil
		}
		l.until(first)
		if err := l.step(context.Background(), 0, first); err != nil {
			return fmt.Errorf("%s: %w", first, err)
		}
	}
	return fmt.Errorf("the receiver does not come to rest")
}

// heal ends all trouble, lets the PSP finish what it has begun, and sweeps and
// reconciles until that finds nothing.
func (l *ordersLab) heal() error {
	l.armed, l.hidePix, l.hideDev = nil, 0, 0
	l.psp.Heal()
	for {
		more, err := l.advance()
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for range 12 {
		before := l.view.commits
		for _, q := range []receiver.Queue{receiver.DutySweep, receiver.DutyChanged, receiver.DutyPending, receiver.DutyReconcile} {
			if err := l.rest(); err != nil {
				return err
			}
			l.until(q)
			if q == receiver.DutyReconcile {
				l.now = l.now.Add(2 * time.Hour) // past the grace
			}
			if err := l.step(context.Background(), 0, q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		if l.view.commits == before {
			return nil
		}
	}
	return fmt.Errorf("sweeps and reconciliations go on finding something")
}
