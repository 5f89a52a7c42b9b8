package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// merchantKey is the Pix key of the merchant in every world.
const merchantKey pix.PixKey = "pix@loja.example"

// World is one PSP, one receiver of several instances on one store, one clock,
// and the schedule that decides who moves. It belongs to one goroutine.
type World struct {
	plan   *chaos.Plan
	build  Build
	option Options
	faults *chaos.Faults
	tally  *chaos.Tally
	sched  *chaos.Scheduler
	trace  *chaos.Trace
	pool   coroutines

	psp       *fakepsp.PSP
	store     Store
	view      *View
	judge     *judge
	endpoints []*endpoint
	instances []*instance
	courier   *chaos.Task

	current      *actor
	reap         []*instance
	balance      chaos.Mixer
	subjects     map[string]string // txid, endToEndId, reference → plan subject
	charges      map[string]*chaos.Charge
	payments     map[string]*chaos.Payment
	removals     map[string]int64 // charge → when a fault has it removed
	refundByID   map[refundName]*chaos.Refund
	falseRefusal string // a refund that should have been accepted
	// refusedRefunds says, by reference, what was wrong with the store's refusal.
	refusedRefunds map[string]string
	payoutByKey    map[string]*chaos.Payout
	// refusedPayouts is refusedRefunds for payouts.
	refusedPayouts map[string]string
	nths           map[string]int
	paused         map[int]bool
	idlers         []*idler
	turns          []queueTurn // of one look at all queues
	duties         map[receiver.Queue]*dutyRest
	version        uint64 // rises with everything that a duty could notice
	windows        uint64 // rises with each beginning and end of a fault's window
	lastChange     chaos.Instant
	lastSettled    chaos.Instant
	maxLag         chaos.Instant
	healed         bool
	void           []Void
	calls          int64
	troubles       int // store faults so far
	acknowledged   int
	refusals       int // genuine callbacks that were refused
	firstRefusal   string
	replaying      bool
	replays        int
	replayed       string // what delivering everything again moved
	failure        error  // of the lab itself
	closed         bool
	progress       atomic.Int64
	// stored is the balance that the store itself keeps of an account, if it does.
	stored func(receiver.Account) (cents pix.Amount, kept bool)
	// left is what a run left behind that this world did not step; nil where it does.
	left   *Outcome
	marks  *marks
	wishes []*chaos.Task // what the plan has left to do, in a run that heals early
	// watch is shown every exchange of the PSP's API; lastCall is the one it is of.
	watch    func(req *http.Request, body []byte, reply fakepsp.Reply)
	lastCall fakepsp.APICall
}

// Void is a payment that could not be made.
type Void struct {
	Payment string
	Reason  string
}

// NewWorld sets a plan up; nothing runs yet.
func NewWorld(plan *chaos.Plan, o Options) (*World, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	w := newWorld(plan, o)
	w.build = Reference().Build
	if o.Receiver != nil {
		w.build = o.Receiver.Build
	}
	open := o.Store
	if open == nil {
		open = openMemory
	}
	var err error
	if w.store, err = open(w.rules(), w.now, w.observe); err != nil {
		return nil, err
	}
	w.stored = func(a receiver.Account) (pix.Amount, bool) { return w.store.Balance(a), true }
	return w, w.openPSP()
}

// newWorld is a world without a PSP and without a store.
func newWorld(plan *chaos.Plan, o Options) *World {
	w := &World{
		plan: plan, option: o,
		faults: plan.Merge(), tally: chaos.NewTally(plan),
		sched: chaos.NewScheduler(plan.Seed), trace: chaos.NewTrace(o.Trace),
		balance: plan.Seed.Mixer("balance"),
		charges: map[string]*chaos.Charge{}, payments: map[string]*chaos.Payment{}, removals: map[string]int64{},
		subjects: map[string]string{}, refusedRefunds: map[string]string{}, refundByID: map[refundName]*chaos.Refund{},
		payoutByKey: map[string]*chaos.Payout{}, refusedPayouts: map[string]string{}, nths: map[string]int{}, paused: map[int]bool{},
		duties: map[receiver.Queue]*dutyRest{}, endpoints: newEndpoints(), marks: newMarks(),
	}
	w.sched.Follow(plan.Schedule)
	if o.Record {
		w.sched.Record()
	}
	if step := chaos.MS(plan.Settings.StepMS); step > 0 {
		w.sched.Slow(step)
	}
	w.indexSubjects()
	w.view = newView()
	w.view.endpoints = w.rules().Endpoints
	w.judge = newJudge(w, o.Without)
	return w
}

// indexSubjects gives every id of the plan its subject.
func (w *World) indexSubjects() {
	for i := range w.plan.Charges {
		c := &w.plan.Charges[i]
		w.charges[c.ID] = c
		w.subjects[c.Reference] = c.ID
		w.subjects[chaos.Txid(w.plan.Seed, *c)] = c.ID
	}
	for i := range w.plan.Payments {
		p := &w.plan.Payments[i]
		w.payments[p.ID] = p
		w.subjects[p.EndToEndID] = p.ID
		if m := w.faults.Payment(p.ID); m.Change.RemoveAtMS > 0 {
			w.removals[p.Charge] = m.Change.RemoveAtMS
		}
	}
	for i := range w.plan.Refunds {
		r := &w.plan.Refunds[i]
		if r.Origin == chaos.OriginMerchant {
			w.subjects[r.Reference] = r.ID
		}
		at := refundName{pix.EndToEndID(w.payments[r.Payment].EndToEndID), pix.RefundID(chaos.RefundID(w.plan.Seed, *r))}
		w.refundByID[at] = r
	}
	w.indexPayouts()
}

func (w *World) openPSP() error {
	s := w.plan.Settings
	table, ok := chaos.RetryTableNamed(s.Retry)
	if !ok {
		return fmt.Errorf("plan: no retry table is called %q", s.Retry)
	}
	w.maxLag = chaos.MS(s.StatementLagMS)
	for _, place := range []string{chaos.PlaceList, chaos.PlaceStatement} {
		for _, win := range w.faults.Windows(place) {
			w.maxLag = max(w.maxLag, chaos.MS(s.StatementLagMS+win.Change.LagMS))
		}
	}
	var err error
	w.psp, err = fakepsp.New(fakepsp.Config{
		PixKeys: []pix.PixKey{merchantKey}, Now: w.now, Start: w.plan.Start,
		Retry: table, CallbackTimeout: time.Duration(s.CallbackTimeoutMS) * time.Millisecond,
		StatementLag: time.Duration(s.StatementLagMS) * time.Millisecond,
		Secret:       callbackSecret(w.plan.Seed), Faults: w.faults, Tally: w.tally,
		Subject:       func(id string) string { return w.subjects[id] },
		Clients:       []fakepsp.Client{labClient(w.plan.Seed), otherClient(w.plan.Seed)},
		OversizeBytes: maxBody + 1,
		NewID:         w.plan.Seed.ID, Terms: w.refundTerms, RefundRepeat: s.RefundRepeat,
		PayoutTerms: w.payoutTerms, PayoutIDs: s.PayoutIDs, PayoutKeyTTL: w.keyTTL(),
		Observe: pspObserver{w: w}, Insert: w.option.Insert,
		Room: fakepsp.Room{Pix: len(w.plan.Payments), Refunds: len(w.plan.Refunds), Payouts: len(w.plan.Payouts)},
	})
	return err
}

// callbackSecret is the key that both sides share in a run.
func callbackSecret(seed chaos.Seed) pix.Secret {
	return pix.Secret{ID: "k1", Key: []byte(seed.ID("secret", "callback", 32))}
}

// consumerToken is what the merchant shows the receiver.
func consumerToken(seed chaos.Seed) string { return seed.ID("secret", "consumer", 32) }

// labClient is the receiver's identity at the PSP.
func labClient(seed chaos.Seed) fakepsp.Client {
	return fakepsp.Client{
		ID: "loja", Secret: seed.ID("secret", "client", 32),
		Scopes: []string{"cob.write", "cob.read", "pix.write", "pix.read", "webhook.write", "webhook.read"},
	}
}

// otherClient is another system of the same merchant.
func otherClient(seed chaos.Seed) fakepsp.Client {
	return fakepsp.Client{ID: "outro-sistema", Secret: seed.ID("secret", "other", 32), Scopes: []string{"cob.write"}}
}

// What a world's receivers are told of time. Sweeps reach behind the last one by
// nearly twice the longest lag that a plan can hold ([chaos.MaxLagMS]) and no
// more, so that a sweep that loses something is found out.
const (
	sweepOverlap   = time.Hour
	reconcileEvery = 6 * time.Hour
	changedEvery   = 6 * time.Hour
	reconcileGrace = time.Hour
	purgeEvery     = 6 * time.Hour
)

// maxBody bounds a callback in a world, in bytes. It is less than a receiver's
// usual bound and more than any honest body of a world: to make, sign and read
// a megabyte takes longer than many a step, and shows nothing more.
const maxBody = 256 << 10

// receiverConfig is what one instance is told.
func (w *World) receiverConfig(in *instance) receiver.Config {
	seed := w.plan.Seed
	return receiver.Config{
		Name: in.name, PixKeys: []pix.PixKey{merchantKey},
		PSPURL: "https://" + hostPSP, CallbackURL: "https://" + hostReceiver, Endpoints: w.receiverEndpoints(),
		TokenURL: "https://" + hostPSP + "/oauth/token", ClientID: labClient(seed).ID, ClientSecret: labClient(seed).Secret,
		Secrets:    []pix.Secret{callbackSecret(seed)},
		SweepEvery: time.Duration(w.plan.Settings.SweepEveryMS) * time.Millisecond, PageSize: w.plan.Settings.PageSize,
		Overlap: sweepOverlap, ReconcileEvery: reconcileEvery, ChangedEvery: changedEvery, Grace: reconcileGrace,
		KeyPurgeEvery: purgeEvery,
		Consumers:     map[string]receiver.TokenDigest{consumer: receiver.DigestToken(consumerToken(seed))}, Consumer: consumer,
		PayoutKeyTTL: w.keyTTL(), PayoutLookup: w.plan.Settings.PayoutIDs == chaos.PayoutIDsLookup,
		Observer: w.marks, MaxBody: maxBody,
		HTTP: client{in}, Clock: clock{in}, Jitter: seed.Jitter, NewID: seed.ID,
	}
}

// instant is the wall time of a virtual instant.
func (w *World) instant(i chaos.Instant) time.Time { return w.plan.Start.Add(i.Duration()) }

// now is the true time.
func (w *World) now() time.Time { return w.instant(w.sched.Now()) }

// virtual is the instant of a wall time, rounded up to the microsecond.
func (w *World) virtual(t time.Time) chaos.Instant {
	return chaos.Span(t.Sub(w.plan.Start) + time.Microsecond - 1)
}

func (w *World) emit(actor, kind, detail string, ids ...string) {
	if w.closed {
		return // the trace ends with the run
	}
	w.trace.Emit(w.sched.Now(), actor, kind, detail, ids...)
}

// fail ends the run by a fault of the lab itself.
func (w *World) fail(err error) {
	if w.failure == nil {
		w.failure = err
	}
}

// panicked records a panic of the receiver.
func (w *World) panicked(a *actor, text string, stack []byte) {
	w.emit(a.task.Name, "panic", text)
	w.judge.report("panic", fmt.Sprintf("the receiver panicked in %s: %s", a.task.Name, text), stack)
}

// subjectOfPath finds the subject that a URL's path speaks of.
func (w *World) subjectOfPath(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if s, ok := w.subjects[part]; ok {
			return s
		}
	}
	return ""
}

// subjectOfEvent is the subject of an inbox event.
func (w *World) subjectOfEvent(id int64) string {
	e := w.view.Events.at(id)
	if e == nil {
		return ""
	}
	return w.subjects[string(e.EndToEndID())]
}

// observe is told of every change set at its commit.
func (w *World) observe(cs *receiver.ChangeSet) {
	w.version++
	w.lastChange = w.sched.Now()
	w.view.apply(cs)
	w.marks.commit(cs)
	if w.replaying {
		w.watchReplay(cs)
	}
	w.judge.commit(cs)
	if w.option.Watch != nil {
		w.option.Watch(w.sched.Now(), w.actorName(), w.trace.Count()+1, cs)
	}
}

// actorName is whose turn it is: an actor's, or the world's own.
func (w *World) actorName() string {
	if w.current == nil {
		return "world"
	}
	return w.current.task.Name
}

// stop says whether the run is over before its time.
func (w *World) stop() bool {
	return w.failure != nil || w.option.StopAtFirst && w.judge.broken() || w.cameTo(w.option.Until)
}

// maxSteps bounds a run, against a receiver that spins.
const maxSteps = 2_000_000

// runUntil steps until the limit, or until nothing is left to do.
func (w *World) runUntil(limit chaos.Instant) {
	for !w.stop() && !w.healsNow() {
		t := w.sched.Next(limit)
		if t == nil {
			if w.healed && w.unnoticed() {
				w.rouse()
				continue
			}
			return
		}
		switch o := t.Owner.(type) {
		case *actor:
			w.resume(o)
		case func():
			o()
		}
		w.bury()
		w.progress.Store(w.sched.Steps())
		if w.sched.Steps() > maxSteps+int64(len(w.plan.Payments))*20_000 {
			w.fail(fmt.Errorf("the run took %d steps without an end: a loop spins", w.sched.Steps()))
		}
	}
}

// Progress counts the steps taken; unlike all else it may be read while the
// run goes on, by whoever watches for a hang.
func (w *World) Progress() int64 { return w.progress.Load() }

// HealBound is how long a run may take to settle once all faults are off: every
// retry table ends within it.
const HealBound = chaos.Instant(chaos.RetryBound / time.Microsecond)

// healPause is left between the plan's last action and the heal, so that the
// action itself still meets its faults.
const healPause = 30 * chaos.Second

// Run carries the plan out, heals, and judges.
func (w *World) Run() (*Report, error) {
	defer w.close()
	if err := w.start(); err != nil {
		return nil, err
	}
	last := chaos.MS(w.plan.LastActionMS()) + healPause
	w.runUntil(last)
	w.dropWishes()
	w.heal()
	w.runUntil(last + HealBound)
	pending := w.pending()
	if len(pending) == 0 && !w.stop() {
		w.redeliver(last + HealBound)
	}
	if w.failure != nil {
		return nil, w.failure
	}
	if !w.stop() {
		w.judge.end()
	}
	return w.report(pending), w.trace.Err()
}

func (w *World) start() error {
	s := w.plan.Settings
	w.emit("world", "start", w.plan.Profile, "seed", w.plan.Seed.String())
	for i := range max(1, s.Instances) {
		in := newInstance(w, i+1)
		w.instances = append(w.instances, in)
		if err := in.start(); err != nil {
			return err
		}
	}
	w.courier = chaos.NewTask("psp/courier", func() { w.deliver() })
	w.schedulePlan()
	return nil
}

// heal turns every fault off: what was lost stays lost, what is down comes
// up, and the operator wakes what waits in quarantine, once.
func (w *World) heal() {
	if w.stop() {
		return
	}
	w.emit("world", "heal", "")
	w.healed = true
	w.psp.Heal() // first: it still has to see what its faults have done
	w.faults.Heal()
	for _, in := range w.instances {
		in.revive()
	}
	w.requeueWaiting()
	w.operate()
	w.scheduleOperator()
	w.windows++
	w.scheduleCourier()
	w.rouse()
}

func (w *World) requeueWaiting() {
	ctx := context.Background()
	waiting, err := w.store.ListEvents(ctx, receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: receiver.QuarantineWaiting})
	if err != nil {
		w.fail(err)
		return
	}
	in := make([]receiver.Decision, len(waiting))
	for i, e := range waiting {
		in[i] = receiver.Decision{EventID: e.ID, Operator: "world", Note: "healed", Now: w.now()}
	}
	if len(in) == 0 {
		return
	}
	if _, err := w.store.RequeueEvents(ctx, in); err != nil {
		w.fail(err)
	}
}

// close unwinds every actor, so that no coroutine outlives its world.
func (w *World) close() {
	w.closed = true
	for _, in := range w.instances {
		in.dead = true
		w.reap = append(w.reap, in)
	}
	w.bury()
	w.pool.close()
}
