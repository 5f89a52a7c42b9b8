package main

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	live "github.com/pixlab/pixlab/scenarios/live/broken"
)

// suspect is one thing that is wrong on purpose, or the reference, which is not.
type suspect struct {
	name, doc string
	// invariant is the one that has to break, empty on the reference.
	invariant string
	mode      string // model, unless it is wrong on a real database alone
	options   scenarios.Options
	live      live.Receiver // in live mode
}

// hunt is the search for the first seed that shows what is wrong.
type hunt struct {
	cli     *cli
	suspect suspect
	profile string
	base    int // the seed before the first
	seeds   int
	jobs    int
	show    *progress

	next  atomic.Int64
	first atomic.Int64 // the lowest seed that shows it, seeds+1 while none does
	mu    sync.Mutex
	err   error
}

// catch is what a hunt came to.
type catch struct {
	suspect suspect
	caught  bool
	seed    int // the first that shows it
	tried   int
	detail  string // what a live one showed
	skipped string // why nobody looked
}

// run tries the seeds after base up to the first that shows what is wrong. However
// many goroutines look, every seed below that one has been tried, so the
// answer does not depend on their number.
func (h *hunt) run() (catch, error) {
	h.first.Store(int64(h.seeds) + 1)
	var crew sync.WaitGroup
	for range h.jobs {
		crew.Go(h.work)
	}
	crew.Wait()
	if h.err != nil {
		return catch{}, h.err
	}
	first := int(h.first.Load())
	if first > h.seeds {
		return catch{suspect: h.suspect, tried: h.seeds}, nil
	}
	return catch{suspect: h.suspect, caught: true, seed: h.base + first, tried: first}, nil
}

func (h *hunt) work() {
	for {
		seed := h.next.Add(1)
		if seed >= h.first.Load() {
			return
		}
		h.show.say("%s: seed %s of %s", h.suspect.name, grouped(seed), grouped(h.seeds))
		shows, err := h.try(chaos.Seed(h.base) + chaos.Seed(seed))
		if err != nil {
			h.mu.Lock()
			h.err = fmt.Errorf("%s, seed %d: %w", h.suspect.name, int64(h.base)+seed, err)
			h.mu.Unlock()
			h.first.Store(0)
			return
		}
		for shows {
			lowest := h.first.Load()
			if seed >= lowest || h.first.CompareAndSwap(lowest, seed) {
				break
			}
		}
	}
}

// try says whether a seed shows what is wrong: the invariant that was to break
// broke, or, on the reference, anything did.
func (h *hunt) try(seed chaos.Seed) (bool, error) {
	plan, err := chaos.Generate(chaos.Options{Seed: seed, Profile: h.profile})
	if err != nil {
		return false, usageError{err.Error()}
	}
	o := h.suspect.options
	o.StopAtFirst = true
	report, err := h.cli.drive(plan, o, nil)
	if err != nil || report.Verdict == scenarios.Held {
		return false, err
	}
	if h.suspect.invariant == "" || broke(report, h.suspect.invariant) {
		return true, nil
	}
	// Another one broke before; the whole run tells whether ours breaks too.
	o.StopAtFirst = false
	report, err = h.cli.drive(plan, o, nil)
	return err == nil && broke(report, h.suspect.invariant), err
}

func broke(r *scenarios.Report, invariant string) bool {
	for _, i := range r.Invariants {
		if i.ID == invariant {
			return !i.Held
		}
	}
	return false
}
