package scenarios

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/receiver"
)

// instance is one receiver process. A crash kills its actors and loses all
// that it had in memory; its restart builds it anew on the same store.
type instance struct {
	w           *World
	number      int
	name        string // "receiver/1"
	life        int    // restarts so far
	dead        bool
	handler     http.Handler
	steps       []receiver.Step
	actors      []*actor
	clockPlace  string
	workerPlace string
	nths        map[string]int // executions of commands by command and subject
}

func newInstance(w *World, number int) *instance {
	return &instance{
		w: w, number: number, name: "receiver/" + strconv.Itoa(number), nths: map[string]int{},
		clockPlace:  chaos.InstancePlace(number, chaos.PlaceClock),
		workerPlace: chaos.InstancePlace(number, chaos.PlaceWorker),
	}
}

// start builds the receiver and sets its steps going.
func (in *instance) start() error {
	w := in.w
	built, err := w.build(Env{
		Config:  w.receiverConfig(in),
		Store:   &simStore{in: in, life: in.life, inner: w.store},
		Workers: w.plan.Settings.Workers, NewLatch: func() receiver.Latch { return &latch{w: w} },
	})
	if err != nil {
		return err
	}
	in.dead = false
	in.handler, in.steps = built.Handler, built.Steps
	w.emit(in.name, "instance.up", "", "life", strconv.Itoa(in.life))
	if b := built.Batcher; b != nil {
		w.spawn(in, in.name+"/batcher"+lifeSuffix(in.life), "", func() { in.flush(b) }, nil)
	}
	for _, s := range in.steps {
		w.spawn(in, in.name+"/"+s.Name()+lifeSuffix(in.life), "", func() { in.loop(s) }, nil)
	}
	return nil
}

func lifeSuffix(life int) string {
	if life == 0 {
		return ""
	}
	return "#" + strconv.Itoa(life)
}

// crash ends the process where it stands. Its actors unwind after the current
// step; the world starts it again after the pause.
func (in *instance) crash(restart chaos.Instant, why string) {
	if in.dead {
		return
	}
	w := in.w
	in.dead = true
	in.life++
	w.marks.reach(markCrash)
	w.emit(in.name, "instance.crash", why)
	w.reap = append(w.reap, in)
	w.at(w.sched.Now()+restart, in.name+"/restart/"+strconv.Itoa(in.life), "", "restart", in.revive)
}

func (in *instance) revive() {
	if !in.dead {
		return
	}
	if err := in.start(); err != nil {
		in.w.fail(err)
	}
}

// bury unwinds the actors of an instance that died.
func (w *World) bury() {
	for len(w.reap) > 0 {
		in := w.reap[0]
		w.reap = w.reap[1:]
		for _, a := range slices.Clone(in.actors) {
			w.kill(a)
		}
	}
}

func (in *instance) forget(a *actor) {
	if i := slices.Index(in.actors, a); i >= 0 {
		in.actors = slices.Delete(in.actors, i, i+1)
	}
}

// pick chooses the instance that the load balancer sends a request to: one
// that is up, by the request's name.
func (w *World) pick(name string) *instance {
	up := make([]*instance, 0, len(w.instances))
	for _, in := range w.instances {
		if !in.dead {
			up = append(up, in)
		}
	}
	if len(up) == 0 {
		return nil
	}
	return up[w.balance.Mix(chaos.HashName(name), 0, 0)%uint64(len(up))]
}

// idlePause is how long a loop waits after a turn that found nothing although
// its queue said that something was due: another one took it.
const idlePause = 50 * chaos.Millisecond

// loop runs a step whenever its queue has something due.
func (in *instance) loop(s receiver.Step) {
	w, a := in.w, in.w.self()
	errs, queue := 0, s.Queue()
	idle := &idler{a: a, queue: queue, duty: w.duty(queue) != nil}
	for {
		wake := w.nextTurn(queue)
		if wake > w.sched.Now() {
			in.wait(idle, wake)
			continue
		}
		turn := w.beginTurn(queue)
		p, err := s.RunOnce(context.Background())
		w.endTurn(queue, turn, p, err)
		if w.stop() {
			return
		}
		switch {
		case err != nil:
			errs++
			w.emit(a.task.Name, "step.error", err.Error())
			a.park(w.sched.Now()+chaos.Span(in.errorPause(s, errs)), "", "pause")
		case p.Done == 0:
			errs = 0
			a.park(w.sched.Now()+idlePause, "", "pause")
		default:
			errs = 0
		}
	}
}

// flush runs a batcher as long as the instance lives. What goes wrong with a
// flush its callers are told.
func (in *instance) flush(b *receiver.Batcher) {
	for ctx := context.Background(); !in.w.stop() && b.Wait(ctx) == nil; {
		_, _ = b.RunOnce(ctx)
	}
}

// wait parks a loop that the world may wake earlier.
func (in *instance) wait(i *idler, wake chaos.Instant) {
	in.w.idle(i)
	i.seen = in.w.version
	defer in.w.awake(i)
	i.a.park(wake, "", "idle")
}

// errorPause grows with the errors in a row, from half a second to a minute.
func (in *instance) errorPause(s receiver.Step, nth int) time.Duration {
	d := min(time.Second<<min(nth-1, 6), time.Minute)
	return d/2 + d/2*time.Duration(in.w.plan.Seed.Jitter(in.name+"/"+s.Name(), nth))/999
}
