package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/chaos"
	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// Options say how to run a plan.
type Options struct {
	Plan *chaos.Plan
	// Binary is the pixlab program that the processes are started from.
	Binary string
	// DatabaseURL names a server to use; "" is what pgcluster finds.
	DatabaseURL string
	// Log takes what the database server writes; nil takes nothing.
	Log io.Writer
	// Tell hears in a few words what goes on; nil hears nothing.
	Tell func(what string)
}

// Result is what a live run came to.
type Result struct {
	*scenarios.Report
	// Skipped says in words which of the plan's faults could not be carried out.
	Skipped []string
}

// Check refuses a plan that is not for live runs, and says why.
func Check(plan *chaos.Plan) error {
	if !plan.Live {
		return errors.New("the plan is not marked for live runs, which take real time and carry out plans of 20 s at most; want one of pixlab plan --profile live")
	}
	return psp.CheckPlan(plan)
}

// SettleBound is how long a run may take to come to rest once all has healed.
const SettleBound = 3 * time.Minute

// afterLast is left between the plan's last action and the heal, so that the
// action itself still meets its faults.
const afterLast = 500 * time.Millisecond

// Run carries a plan out on processes of its own and judges what came of it. All
// that it started is gone when it returns. It errs where the machine refuses.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := Check(o.Plan); err != nil {
		return nil, err
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	r := &run{o: o, referee: newReferee(o.Plan)}
	r.endpoint = &endpoint{referee: r.referee, got: map[int64]int{}}
	o.Tell("starting PostgreSQL, the PSP and the receivers")
	w, err := build(ctx, o.Binary, o.DatabaseURL, habitsOf(o.Plan), r.referee, r.endpoint, o.Log)
	if err != nil {
		return nil, err
	}
	r.house, r.psp = w, w.teller()
	result, err := r.carryOut()
	if e := w.close(); err == nil && e != nil {
		err = fmt.Errorf("clean up: %w", e)
	}
	return result, err
}

// habitsOf are what the plan's settings, made for a live run, tell the processes.
func habitsOf(p *chaos.Plan) habits {
	s, ms := p.Settings, func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	lag := s.StatementLagMS
	f := p.Merge()
	most := lag
	for _, place := range []string{chaos.PlaceList, chaos.PlaceStatement} {
		for _, w := range f.Windows(place) {
			most = max(most, lag+w.Change.LagMS)
		}
	}
	repeat := s.RefundRepeat
	if repeat == "" {
		repeat = "same"
	}
	return habits{
		instances: s.Instances, workers: s.Workers, pageSize: s.PageSize, sweepEvery: ms(s.SweepEveryMS), lag: ms(lag),
		grace: ms(most) + 1500*time.Millisecond, callbackTimeout: ms(s.CallbackTimeoutMS), refundRepeat: repeat,
	}
}

// run is one live run under way.
type run struct {
	o        Options
	house    *house
	psp      *psp.Client
	referee  *referee
	endpoint *endpoint
	merchant *merchant
	skipped  []string
	deaf     bool // callbacks that the PSP will send some day are not waited for
	began    time.Time
	broken   error // of the lab itself, met while a fault was carried out
}

func (r *run) carryOut() (*Result, error) {
	ctx := r.house.ctx
	state, err := r.psp.Apply(ctx, r.o.Plan, false)
	if err != nil {
		return nil, err
	}
	r.began = state.BeganAt
	r.referee.cut = func() {
		if err := r.house.db.cut(ctx); err != nil {
			r.o.Tell("connections were not cut: " + err.Error())
		}
	}
	r.referee.start(r.began)
	r.merchant = &merchant{
		plan: r.o.Plan, front: r.house.frontURL, token: r.house.api, zero: r.began, faults: r.o.Plan.Merge(), http: &http.Client{},
		fired: r.referee.fireThose,
	}
	asking, stop := context.WithCancel(ctx)
	defer r.merchant.working.Wait()
	defer stop()
	r.merchant.start(asking)
	last := time.Duration(r.o.Plan.LastActionMS()) * time.Millisecond
	r.o.Tell(fmt.Sprintf("the plan runs for %.1f s", last.Seconds()))
	r.strikeStore(ctx)
	if !sleep(ctx, time.Until(r.began.Add(last+afterLast))) {
		return nil, ctx.Err()
	}
	if err := r.heal(ctx); err != nil {
		return nil, err
	}
	return r.settle(ctx)
}

// strikeStore kills the database server through each of the plan's windows.
func (r *run) strikeStore(ctx context.Context) {
	db := r.house.db
	for _, w := range r.referee.windows(chaos.PlaceStore) {
		if !w.Change.Down {
			continue
		}
		if db.cluster.Given() {
			r.skipped = append(r.skipped, fmt.Sprintf("the database is down from %s to %s: the server is not ours to kill", w.From.Duration(), w.To.Duration()))
			continue
		}
		if !sleep(ctx, time.Until(r.began.Add(w.From.Duration()))) {
			return
		}
		r.referee.fire(w.Merged.From)
		err := db.kill()
		sleep(ctx, time.Until(r.began.Add(w.To.Duration())))
		if err = errors.Join(err, db.restart(ctx)); err != nil && ctx.Err() == nil {
			r.broken = fmt.Errorf("kill and restart the database: %w", err)
			return
		}
	}
}

// heal turns every fault off: what was lost stays lost, what is down comes up,
// and the operator wakes what waits in quarantine, once.
func (r *run) heal(ctx context.Context) error {
	r.o.Tell("all faults end")
	if r.broken != nil {
		return r.broken
	}
	r.referee.heal()
	if _, err := r.psp.Heal(ctx); err != nil {
		return err
	}
	now := time.Now()
	r.merchant.healed.Store(&now)
	store := r.house.db.store
	waiting, err := again(ctx, func() ([]receiver.Event, error) {
		return store.ListEvents(ctx, receiver.EventQuery{State: receiver.EventQuarantined, Quarantine: receiver.QuarantineWaiting})
	})
	if err != nil || len(waiting) == 0 {
		return err
	}
	in := make([]receiver.Decision, len(waiting))
	for i, e := range waiting {
		in[i] = receiver.Decision{EventID: e.ID, Operator: "world", Note: "healed", Now: time.Now().UTC()}
	}
	_, err = again(ctx, func() ([]bool, error) { return store.RequeueEvents(ctx, in) })
	return err
}

// again repeats a command on the store while connections from before a cut, or
// from before a kill, are found dead.
func again[T any](ctx context.Context, do func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		out, err := do()
		if err == nil || !receiver.Retryable(err) || try == 10 || !sleep(ctx, 100*time.Millisecond) {
			return out, err
		}
	}
}

// settle waits for rest, delivers everything again, and judges.
func (r *run) settle(ctx context.Context) (*Result, error) {
	r.o.Tell("waiting until nothing is due")
	out := scenarios.Outcome{Plan: r.o.Plan}
	var err error
	if out.Pending, err = r.rest(ctx, SettleBound); err != nil {
		return nil, err
	}
	if len(out.Pending) == 0 {
		r.o.Tell("delivering everything again")
		if out.Replayed, err = r.redeliver(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.collect(ctx, &out); err != nil {
		return nil, err
	}
	return &Result{Report: scenarios.Judge(out), Skipped: r.skipped}, nil
}

// sign signs a body as the PSP does, now.
func (r *run) sign(body []byte) string { return pix.Sign(r.house.secret, time.Now(), body) }
