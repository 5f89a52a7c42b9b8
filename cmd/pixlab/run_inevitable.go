package main

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pixlab/pixlab/scenarios"
)

// turningPoint is where a failure became inevitable: the last event from which
// the run still comes right if everything that goes wrong ends there.
type turningPoint struct {
	event int64 // 0 where it comes right from none
	runs  int
	line  string // of the event after it: the one that made it inevitable
}

type turningJSON struct {
	Event int64  `json:"last_good_event"`
	Line  string `json:"next_event"`
	Runs  int    `json:"runs"`
}

func (t *turningPoint) encode() *turningJSON { return &turningJSON{t.event, t.line, t.runs} }

func (t *turningPoint) text(p *page) {
	if t == nil {
		return
	}
	p.line("")
	if t.event == 0 {
		p.line("inevitable from the start: healed from any event before, the run fails all the same (%s)", counted(t.runs, "run", "runs"))
		return
	}
	p.line("healed after event %s the run still comes right, healed later it does not (%s); what follows is", grouped(t.event), counted(t.runs, "run", "runs"))
	p.wrapped(2, t.line)
}

// turningPoint looks for the last event, before the violation, from which a
// failed run comes right. It looks backwards, since what comes right from one
// event need not come right from an earlier one.
func (c *cli) turningPoint(run *finished, receiver scenarios.Receiver) (*turningPoint, error) {
	if run.Verdict == scenarios.Held {
		return nil, nil
	}
	var trace bytes.Buffer
	if _, err := c.drive(run.source.plan, scenarios.Options{Receiver: &receiver, Trace: &trace}, nil); err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(trace.String(), "\n"), "\n")
	first := int64(len(lines))
	for _, i := range run.broken() {
		if i.Event > 0 {
			first = min(first, i.Event)
		}
	}
	show := c.progress()
	defer show.clear()
	b := &backward{cli: c, run: run, receiver: receiver, show: show}
	b.next.Store(first)
	var crew sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		crew.Go(b.work)
	}
	crew.Wait()
	if b.err != nil {
		return nil, b.err
	}
	t := &turningPoint{event: b.found.Load(), runs: int(b.runs.Load())}
	if t.event > 0 && t.event < int64(len(lines)) {
		t.line = lines[t.event]
	}
	return t, nil
}

// backward looks at one event after the other, from the last to the first.
type backward struct {
	cli      *cli
	run      *finished
	receiver scenarios.Receiver
	show     *progress

	next, found, runs atomic.Int64
	mu                sync.Mutex
	err               error
}

func (b *backward) work() {
	for {
		event := b.next.Add(-1)
		if event < 1 || b.found.Load() >= event {
			return
		}
		b.show.say("healing after event %s", grouped(event))
		b.runs.Add(1)
		report, err := b.cli.drive(b.run.source.plan, scenarios.Options{Receiver: &b.receiver, HealAt: event, StopAtFirst: true}, nil)
		if err != nil {
			b.mu.Lock()
			b.err = err
			b.mu.Unlock()
			b.next.Store(0)
			return
		}
		if report.Verdict != scenarios.Held {
			continue
		}
		for {
			known := b.found.Load()
			if known >= event || b.found.CompareAndSwap(known, event) {
				break
			}
		}
	}
}
