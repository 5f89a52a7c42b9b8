package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
)

// panicError is a panic of the lab itself, met while it drove a run.
type panicError struct {
	value any
	stack []byte
}

// Error is the panic's text.
func (e panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// hungError says that a run stood still.
type hungError struct {
	patience time.Duration
	steps    int64
}

// Error says for how long, and where in the run.
func (e hungError) Error() string {
	return fmt.Sprintf("the run has stood still for %s at step %s: something waits for what can never come", e.patience, grouped(e.steps))
}

// drive carries out one plan. A run that stands still in real time is given
// up; its goroutine cannot be stopped and is left behind.
func (c *cli) drive(plan *chaos.Plan, o scenarios.Options, tell func(steps int64)) (*scenarios.Report, error) {
	world, err := scenarios.NewWorld(plan, o)
	if err != nil {
		return nil, err
	}
	type result struct {
		report *scenarios.Report
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: panicError{p, debug.Stack()}}
			}
			done <- r
		}()
		r.report, r.err = world.Run()
	}()
	look := min(time.Second, c.patience/4)
	tick := time.NewTicker(look)
	defer tick.Stop()
	last, moved := int64(-1), time.Now()
	for {
		select {
		case r := <-done:
			return r.report, r.err
		case now := <-tick.C:
			steps := world.Progress()
			if steps != last {
				last, moved = steps, now
			}
			if now.Sub(moved) >= c.patience {
				return nil, hungError{c.patience, steps}
			}
			if tell != nil {
				tell(steps)
			}
		}
	}
}

// collectSeldom trades memory for speed in commands that run worlds: a world is
// small, short-lived, and makes much garbage. GOGC in the environment wins.
func collectSeldom() {
	const percent = 400
	if _, given := os.LookupEnv("GOGC"); !given {
		debug.SetGCPercent(percent)
	}
}
