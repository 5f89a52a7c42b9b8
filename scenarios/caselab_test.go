package scenarios_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

const (
	labSeed  chaos.Seed = 42
	labKey   pix.PixKey = "pix@loja.example"
	otherKey pix.PixKey = "filial@loja.example"

	labReceiver = "https://receiver.lab"
	labPSP      = "https://psp.lab"
	labShop     = "https://merchant.lab/events"

	// labGrace is the receiver's default: a difference younger than this may
	// still be on its way.
	labGrace = time.Hour
)

func labStart() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

func labSecret() pix.Secret { return pix.Secret{ID: "k1", Key: []byte("sixteen bytes or more")} }

// labOptions say how a lab differs from the plain one.
type labOptions struct {
	receivers int // 1 unless said
	start     time.Time
	psp       func(*fakepsp.Config)
	receiver  func(*receiver.Config)
	faults    []chaos.Deviation
}

// lab is a PSP, a store and one or two receivers on it, all in the test's hand:
// nothing moves, the clock included, unless the test moves it. A callback goes
// through the receiver's real handler, a call of the receiver straight to
// [fakepsp.PSP.Handle].
type lab struct {
	t         *testing.T
	clock     *handClock
	psp       *fakepsp.PSP
	pspAhead  time.Duration // of the PSP's clock before ours
	mem       *memory.Store
	store     *struckStore
	receivers []*receiver.Receiver
	steps     []map[string]receiver.Step
	// meet, where set, stands between a receiver and the network: it may hold
	// the request, make it by call, and bend or lose the answer.
	meet func(req *http.Request, call func() (*http.Response, error)) (*http.Response, error)
	told map[int64]int // the merchant's events, by id
	made int           // endToEndIds so far
	// requests counts those of the merchant: each has a key of its own.
	requests int
}

func newLab(t *testing.T, o labOptions) *lab {
	t.Helper()
	t.Parallel()
	if o.start.IsZero() {
		o.start = labStart()
	}
	l := &lab{t: t, clock: &handClock{now: o.start}, told: map[int64]int{}}
	cfg := fakepsp.Config{
		PixKeys: []pix.PixKey{labKey, otherKey}, Start: o.start, Secret: labSecret(),
		Now:    func() time.Time { return l.clock.Now().Add(l.pspAhead) },
		Retry:  chaos.RetryTable{Name: "lab", Delays: []time.Duration{time.Second, 10 * time.Second, time.Minute}},
		Faults: (&chaos.Plan{Faults: o.faults}).Merge(),
	}
	if o.psp != nil {
		o.psp(&cfg)
	}
	psp, err := fakepsp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l.psp = psp
	l.mem = memory.New(memory.Config{Rules: receiver.Rules{Keys: []pix.PixKey{labKey}}, Now: l.clock.Now})
	l.store = &struckStore{Store: l.mem, before: map[string]func() error{}, after: map[string]func() error{}}
	for i := range max(1, o.receivers) {
		l.build(i+1, o.receiver)
	}
	l.duty("register")
	t.Cleanup(l.sane)
	return l
}

func (l *lab) build(n int, change func(*receiver.Config)) {
	l.t.Helper()
	cfg := l.config(n)
	if change != nil {
		change(&cfg)
	}
	r, err := receiver.New(cfg, l.store)
	if err != nil {
		l.t.Fatal(err)
	}
	steps := map[string]receiver.Step{}
	for _, s := range r.Steps(1) {
		steps[s.Name()] = s
	}
	l.receivers, l.steps = append(l.receivers, r), append(l.steps, steps)
}

func (l *lab) config(n int) receiver.Config {
	return receiver.Config{
		Name: fmt.Sprintf("receiver/%d", n), PixKeys: []pix.PixKey{labKey}, Open: true,
		PSPURL: labPSP, CallbackURL: labReceiver, Secrets: []pix.Secret{labSecret()},
		Endpoints: []receiver.Endpoint{{Name: receiver.DefaultEndpoint, URL: labShop, Secret: labSecret()}},
		HTTP:      wire{l}, Clock: l.clock, Jitter: labSeed.Jitter, NewID: labSeed.ID,
	}
}

// handClock moves when it is told to.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// advance moves the clock on.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
}

// until moves the clock on to an instant; one that has passed leaves it.
func (c *handClock) until(at time.Time) { c.advance(at.Sub(c.Now())) }

// Sleep is over at once, on a clock moved by d.
func (c *handClock) Sleep(ctx context.Context, d time.Duration) error {
	c.advance(d)
	return ctx.Err()
}

func (c *handClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return handDeadline{ctx, c, c.Now().Add(d)}, func() {}
}

// handDeadline is a context that ends by the hand-moved clock.
type handDeadline struct {
	context.Context
	clock *handClock
	at    time.Time
}

func (d handDeadline) Deadline() (time.Time, bool) { return d.at, true }

func (d handDeadline) Err() error {
	if !d.clock.Now().Before(d.at) {
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

// struckStore is the store with a hook before and after some commands. A hook
// is used up by the first command that meets it, and runs outside the store's
// lock, so that it may do whatever another process could do at that point.
type struckStore struct {
	receiver.Store
	before, after map[string]func() error
}

func strike(hooks map[string]func() error, command string) error {
	hook := hooks[command]
	if hook == nil {
		return nil
	}
	delete(hooks, command)
	return hook()
}

func struck[T any](s *struckStore, command string, do func() (T, error)) (out T, err error) {
	if err := strike(s.before, command); err != nil {
		return out, err
	}
	if out, err = do(); err != nil {
		return out, err
	}
	return out, strike(s.after, command)
}

func (s *struckStore) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return struck(s, "AppendInbox", func() ([]receiver.AppendOutcome, error) { return s.Store.AppendInbox(ctx, in) })
}

func (s *struckStore) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	return struck(s, "ApplyEvents", func() ([]receiver.ApplyOutcome, error) { return s.Store.ApplyEvents(ctx, in) })
}

func (s *struckStore) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	return struck(s, "CreateCharges", func() ([]receiver.CreateOutcome, error) { return s.Store.CreateCharges(ctx, in) })
}

func (s *struckStore) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	return struck(s, "RecordCalls", func() ([]receiver.CallOutcome, error) { return s.Store.RecordCalls(ctx, in) })
}

func (s *struckStore) ReleaseKeys(ctx context.Context, in []receiver.KeyHold) ([]bool, error) {
	return struck(s, "ReleaseKeys", func() ([]bool, error) { return s.Store.ReleaseKeys(ctx, in) })
}

func (s *struckStore) RecordRefunds(ctx context.Context, in []receiver.RefundCall) ([]receiver.Refund, error) {
	return struck(s, "RecordRefunds", func() ([]receiver.Refund, error) { return s.Store.RecordRefunds(ctx, in) })
}

func (s *struckStore) ReservePayouts(ctx context.Context, in []receiver.NewPayout) ([]receiver.ReservePayoutOutcome, error) {
	return struck(s, "ReservePayouts", func() ([]receiver.ReservePayoutOutcome, error) { return s.Store.ReservePayouts(ctx, in) })
}

func (s *struckStore) RecordPayouts(ctx context.Context, in []receiver.PayoutCall) ([]receiver.Payout, error) {
	return struck(s, "RecordPayouts", func() ([]receiver.Payout, error) { return s.Store.RecordPayouts(ctx, in) })
}

// wire is the network of a receiver: the PSP, and the merchant's endpoint.
type wire struct{ l *lab }

var errCut = errors.New("connection cut")

func (w wire) Do(req *http.Request) (*http.Response, error) {
	call := func() (*http.Response, error) { return w.carry(req) }
	if w.l.meet != nil {
		return w.l.meet(req, call)
	}
	return call()
}

func (w wire) carry(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(req.URL.String(), labShop) {
		return w.toShop(req)
	}
	reply := w.l.psp.Handle(req)
	if deadline, ok := req.Context().Deadline(); ok && w.l.clock.Now().Add(reply.After).After(deadline) {
		w.l.clock.until(deadline)
		return nil, context.DeadlineExceeded
	}
	w.l.clock.advance(reply.After)
	if reply.Cut {
		return nil, errCut
	}
	return respond(req, reply.Status, reply.Header, reply.Body), nil
}

func (w wire) toShop(req *http.Request) (*http.Response, error) {
	var event struct {
		ID int64 `json:"id"`
	}
	if err := json.NewDecoder(req.Body).Decode(&event); err != nil {
		return nil, err
	}
	w.l.told[event.ID]++
	return respond(req, http.StatusOK, http.Header{}, nil), nil
}

func respond(req *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}
}

// step runs one turn of a step of the first receiver and hands on its error.
func (l *lab) step(name string) error {
	l.t.Helper()
	s := l.steps[0][name]
	if s == nil {
		l.t.Fatalf("there is no step %q", name)
	}
	_, err := s.RunOnce(l.t.Context())
	return err
}

// work runs workers, the senders of charges, refunds and payouts, and dispatchers of all
// receivers until none finds anything that is due now.
func (l *lab) work() {
	l.t.Helper()
	for range 5000 {
		done := 0
		for _, steps := range l.steps {
			for _, name := range []string{"worker/1", "charges", "refunds", "payouts", "dispatcher/merchant"} {
				p, err := steps[name].RunOnce(l.t.Context())
				if err != nil {
					l.t.Fatalf("%s: %v", name, err)
				}
				done += p.Done
			}
		}
		if done == 0 {
			return
		}
	}
	l.t.Fatal("the work never ends")
}

// rest works, and moves the clock to whatever is due next, until nothing is
// left to do but the periodic duties.
func (l *lab) rest() {
	l.t.Helper()
	for range 1000 {
		l.work()
		var next time.Time
		for _, q := range []receiver.Queue{receiver.QueueInbox, receiver.QueueCharges, receiver.QueueRefunds, receiver.QueuePayouts, receiver.QueueOutbox} {
			due, ok, err := l.store.NextDue(l.t.Context(), q)
			if err != nil {
				l.t.Fatal(err)
			}
			if ok && (next.IsZero() || due.Before(next)) {
				next = due
			}
		}
		if next.IsZero() {
			return
		}
		l.clock.until(next)
	}
	l.t.Fatal("it never comes to rest")
}

// duty runs a turn of a periodic duty, at the instant it is due.
func (l *lab) duty(name string) {
	l.t.Helper()
	s := l.steps[0][name]
	due, _, err := l.store.NextDue(l.t.Context(), s.Queue())
	if err != nil {
		l.t.Fatal(err)
	}
	l.clock.until(due)
	p, err := s.RunOnce(l.t.Context())
	if err != nil || p.Done == 0 {
		l.t.Fatalf("%s: done %d, %v", name, p.Done, err)
	}
}

// sweep reads the PSP's list once, when the sweep is due, and books what it
// brought.
func (l *lab) sweep() {
	l.t.Helper()
	l.duty("sweep")
	l.rest()
}

// reconcile compares ledger and account statement, once everything so far is
// old enough to count, and books what that brought.
func (l *lab) reconcile() {
	l.t.Helper()
	l.clock.advance(labGrace + time.Minute)
	l.duty("reconcile")
	l.rest()
}

// endOfDay is a last sweep and a last reconciliation, after which the ledger
// has to be the statement, the merchant knows of every effect, and a second
// round finds nothing to do.
func (l *lab) endOfDay() {
	l.t.Helper()
	l.sweep()
	l.reconcile()
	l.ledgerIsStatement()
	for _, o := range l.mem.Dump().Outbox {
		if l.told[o.After.ID] == 0 {
			l.t.Errorf("the merchant was never told of %s, %s %s", o.After.EndToEndID, o.After.Kind, o.After.Amount)
		}
	}
	l.unmoved("a second sweep and reconciliation", func() {
		l.sweep()
		l.reconcile()
	})
}
