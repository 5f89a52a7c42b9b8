package live

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// commander decides what a receiver is ordered at an edge.
type commander interface {
	hello(instance int) Hello
	order(q Question) Order
}

// controlHandler is where receivers ask.
func controlHandler(c commander, token string) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /hello", func(w http.ResponseWriter, r *http.Request) {
		answerQuestion(w, r, func(q Question) any { return c.hello(q.Instance) })
	})
	m.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		answerQuestion(w, r, func(q Question) any { return c.order(q) })
	})
	return withToken(token, m)
}

func answerQuestion(w http.ResponseWriter, r *http.Request, answer func(Question) any) {
	var q Question
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 8<<20)).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer(q)) // the receiver may be dead by now
}

func withToken(token string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// referee knows the plan's faults outside the PSP and counts those that fire.
type referee struct {
	plan *chaos.Plan
	skew map[int]time.Duration // of an instance's clock
	cut  func()                // cuts all connections to the database

	mu       sync.Mutex
	faults   *chaos.Faults
	tally    *chaos.Tally
	subjects map[string]string // txid, endToEndId, reference → plan subject
	nths     map[string]int    // executions, by instance ("" is all), command and subject
	paused   map[int]bool      // pauses that were, by deviation
	restart  map[int]time.Duration
	began    time.Time // the plan's zero; before it nothing strikes
}

func newReferee(plan *chaos.Plan) *referee {
	r := &referee{
		plan: plan, cut: func() {}, faults: plan.Merge(), tally: chaos.NewTally(plan), subjects: map[string]string{},
		nths: map[string]int{}, paused: map[int]bool{}, restart: map[int]time.Duration{},
	}
	for _, c := range plan.Charges {
		r.subjects[c.Reference] = c.ID
	}
	for _, p := range plan.Payments {
		r.subjects[p.EndToEndID] = p.ID
	}
	for _, x := range plan.Refunds {
		if x.Origin == chaos.OriginMerchant {
			r.subjects[x.Reference] = x.ID
		}
	}
	for _, duty := range []string{chaos.DutySweep, chaos.DutyChanged, chaos.DutyPending, chaos.DutyReconcile, chaos.DutyRegister} {
		r.subjects[duty] = duty
	}
	return r
}

// hello lists the commands that the plan strikes.
func (r *referee) hello(instance int) Hello {
	out := Hello{Seed: r.plan.Seed.String(), Commands: []string{}, SkewMS: r.skew[instance].Milliseconds()}
	add := func(command string) {
		if !slices.Contains(out.Commands, command) {
			out.Commands = append(out.Commands, command)
		}
	}
	for _, d := range r.plan.Faults {
		if d.Target.Command != nil {
			add(d.Target.Command.Command)
		}
		if d.Set.PauseMS > 0 {
			add(chaos.CommandClaimEvents)
		}
	}
	return out
}

// start sets the plan's zero.
func (r *referee) start(zero time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began = zero
}

// now is the plan's instant, false before it began and once all is healed. The
// lock is held.
func (r *referee) now() (chaos.Instant, bool) {
	if r.began.IsZero() || r.faults.Healed() {
		return 0, false
	}
	at := time.Since(r.began)
	return chaos.Span(at), at >= 0
}

func (r *referee) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults.Heal()
}

// at is what goes wrong at a place now, and counts it.
func (r *referee) at(place string) chaos.Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, on := r.now()
	if !on {
		return chaos.Change{}
	}
	m := r.faults.At(place, now)
	r.tally.Fire(m.From)
	return m.Change
}

// windows are a place's, to be carried out by the run.
func (r *referee) windows(place string) []chaos.MergedWindow {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults.Windows(place)
}

func (r *referee) fire(from []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Fire(from)
}

// fireThose counts those of some deviations that do one thing.
func (r *referee) fireThose(from []int, does func(chaos.Change) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range from {
		if does(r.plan.Faults[i].Set) {
			r.tally.FireOne(i)
		}
	}
}

// restartAfter is how long an instance that was ordered to die stays dead; false
// if nobody ordered it.
func (r *referee) restartAfter(instance int) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, ordered := r.restart[instance]
	delete(r.restart, instance)
	return d, ordered
}

// counts are how often each fault kind was planned and fired here.
func (r *referee) counts() []chaos.KindCount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tally.Counts()
}

// order looks for what the plan has in store at this edge.
func (r *referee) order(q Question) Order {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, on := r.now(); !on {
		return Order{}
	}
	if q.Counts == nil {
		q.Counts = r.count(q)
	}
	o := Order{Counts: q.Counts}
	for _, c := range q.Counts {
		m := r.faults.Command(strconv.Itoa(q.Instance), q.Command, c.Subject, q.Edge, c.Here, c.Everywhere)
		if !m.Any() {
			continue
		}
		r.tally.Fire(m.From)
		o.Kill = o.Kill || m.Change.Crash
		o.LoseCommit = o.LoseCommit || m.Change.LoseCommit
		if m.Change.Crash {
			r.restart[q.Instance] = time.Duration(m.Change.RestartMS) * time.Millisecond
		}
	}
	if o.LoseCommit {
		r.cut()
	}
	if q.Command == chaos.CommandClaimEvents && q.Edge == chaos.EdgeAfter {
		o.PauseMS = r.pause(q.Instance)
	}
	return o
}

// count numbers an execution for each of its subjects. The lock is held.
func (r *referee) count(q Question) []Count {
	out := []Count{}
	for _, id := range q.IDs {
		subject := r.subjects[id]
		if subject == "" {
			continue
		}
		here, all := strconv.Itoa(q.Instance)+"/"+q.Command+"/"+subject, "/"+q.Command+"/"+subject
		r.nths[here]++
		r.nths[all]++
		out = append(out, Count{Subject: subject, Here: r.nths[here], Everywhere: r.nths[all]})
	}
	return out
}

// pause holds a worker that has just claimed work, once a window. The lock is held.
func (r *referee) pause(instance int) int64 {
	now, _ := r.now()
	m := r.faults.At(chaos.InstancePlace(instance, chaos.PlaceWorker), now)
	if m.Change.PauseMS == 0 || !m.First(r.paused) {
		return 0
	}
	r.tally.Fire(m.From)
	return m.Change.PauseMS
}
