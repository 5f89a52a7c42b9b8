package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/demo"
	"github.com/pixlab/pixlab/scenarios/live"
)

// liveShow watches a stage under load, and does to it what the page orders.
type liveShow struct {
	stage *live.Stage
	load  *liveLoad
	books *liveBooks
	board *demo.Board
	began time.Time

	last    demo.Reading
	at      time.Time
	restful bool // the books were audited since the load was last on
}

// liveLook is how often the stage is read: so many readings a second a page gets,
// whatever the load.
const liveLook = 500 * time.Millisecond

// watch reads the stage until ctx ends.
func (w *liveShow) watch(ctx context.Context) {
	tick := time.NewTicker(liveLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look(ctx)
		}
	}
}

// look is one reading.
func (w *liveShow) look(ctx context.Context) {
	now := time.Now()
	within, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	r := demo.Reading{MS: now.Sub(w.began).Milliseconds(), Database: w.stage.DatabaseUp()}
	r.Books = w.books.read(within, now)
	var acks *spread
	r.Load, acks = w.load.now(now)
	if acks != nil {
		r.AckP50, r.AckP99 = &acks.P50, &acks.P99
	}
	if g, err := w.stage.Gauges(within); err == nil && g["pixlab_receiver_store_up"] == 1 {
		lag, depth := g["pixlab_receiver_inbox_lag_seconds"], int64(g["pixlab_receiver_inbox_depth"])
		r.Lag, r.Depth = &lag, &depth
	}
	w.processes(&r)
	if span := now.Sub(w.at); !w.at.IsZero() && span > 0 {
		r.AckRate = float64(r.Acked-w.last.Acked) / span.Seconds()
		r.CreditRate = float64(r.Entries-w.last.Entries) / span.Seconds()
	}
	w.rest(within, &r)
	w.at, w.last = now, r
	w.board.Add(r)
}

// processes notes who is up, and tells of those that came back.
func (w *liveShow) processes(r *demo.Reading) {
	for i, x := range w.stage.Instances() {
		r.Receivers = append(r.Receivers, demo.Receiver{Up: x.Up, PID: x.PID, Lives: x.Lives})
		if x.Died != "" && (w.at.IsZero() || w.last.Receivers[i].Up) && !x.Up {
			w.say("live.died", x.Died, true)
		}
		if x.Up && !w.at.IsZero() && x.Lives > w.last.Receivers[i].Lives {
			w.say("live.back", letter(i+1), false)
		}
	}
}

// rest audits the books once nothing is on its way any more.
func (w *liveShow) rest(ctx context.Context, r *demo.Reading) {
	if r.On || r.Paid == 0 || r.Outstanding > 0 || r.OnWay > 0 || !r.Read {
		w.restful = w.restful && !r.On
		return
	}
	if w.restful {
		return
	}
	lines, cents, err := w.books.audit(ctx)
	if err != nil {
		return // the next look tries again
	}
	w.restful = true
	if cents != 0 {
		w.say("live.differs", strconv.FormatInt(cents, 10), true)
		return
	}
	w.say("live.rest", strconv.Itoa(lines), false)
}

func (w *liveShow) say(word, value string, bad bool) {
	w.board.Say(demo.Happening{MS: time.Since(w.began).Milliseconds(), Word: word, Value: value, Bad: bad})
}

// letter names a receiver: 1 is A.
func letter(n int) string { return string(rune('A' + n - 1)) }

// do carries one order out.
func (w *liveShow) do(ctx context.Context, a demo.Act) error {
	switch a.Do {
	case "kill":
		if !w.stage.Kill(a.N) {
			return fmt.Errorf("receiver %s is dead, or there is none", letter(a.N))
		}
		w.say("live.killed", letter(a.N), false)
	case "cut":
		if err := w.stage.Cut(ctx); err != nil {
			return fmt.Errorf("cut the database's connections: %w", err)
		}
		w.say("live.cut", "", false)
	case "database":
		if !w.stage.DatabaseUp() {
			return w.heal(ctx)
		}
		if err := w.stage.StopDatabase(); err != nil {
			return err
		}
		w.say("live.stopped", "", false)
	case "heal":
		return w.heal(ctx)
	case "load":
		w.load.order(func(l *demo.Load) { l.On = a.On })
		w.say(map[bool]string{true: "live.on", false: "live.off"}[a.On], "", false)
	case "rate", "copies":
		return w.tune(a)
	default:
		return fmt.Errorf("order %q is %w", a.Do, demo.ErrUnknown)
	}
	return nil
}

// heal starts the database; who is dead comes back without being told.
func (w *liveShow) heal(ctx context.Context) error {
	down := !w.stage.DatabaseUp()
	if err := w.stage.Heal(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the database: %w", err)
	}
	if down {
		w.say("live.started", "", false)
	} else {
		w.say("live.healed", "", false)
	}
	return nil
}

func (w *liveShow) tune(a demo.Act) error {
	most := map[string]int{"rate": liveMostRate, "copies": 100}[a.Do]
	if a.N < 0 || a.N > most {
		return fmt.Errorf("%s is %d; want 0 to %d", a.Do, a.N, most)
	}
	w.load.order(func(l *demo.Load) {
		if a.Do == "rate" {
			l.Rate = a.N
		} else {
			l.Copies = a.N
		}
	})
	return nil
}
